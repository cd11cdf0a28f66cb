// Pipelines over their shared parts: JSON-RPC API, IPFS API, IPFS gateway. Each handles a request in the order
// authenticate -> authorize -> parse -> admit -> run -> meter.
// Tested by src/server/create-pipeline.test.ts
import { createKuboPipeline, type KuboPipelineDeps } from '../kubo/create-kubo-pipeline.ts'
import type { KuboPipeline } from '../kubo/kubo-command.ts'
import type { GatewayPipeline } from '../ipfs-gateway/gateway-pipeline.ts'
import { createGatewayPipeline, type PathRules } from '../ipfs-gateway/create-gateway-pipeline.ts'
import { createRpcPipeline, type RpcPipelineDeps } from '../rpc/create-rpc-pipeline.ts'
import type { RpcPipeline } from '../rpc/rpc-pipeline.ts'

export type PipelineDeps = RpcPipelineDeps &
  KuboPipelineDeps & {
    /** Access rules for `/ipfs/<cid>`. */
    readonly paths: PathRules
  }

export type Pipeline = RpcPipeline & KuboPipeline & GatewayPipeline

export function createPipeline(parts: PipelineDeps): Pipeline {
  const kubo = createKuboPipeline(parts)
  return {
    ...createRpcPipeline(parts),
    ...kubo,
    ...createGatewayPipeline({
      rules: parts.paths,
      files: parts.files,
      filesOf: parts.filesOf ?? null,
      transferMeters: parts.transferMeters,
      enter: kubo.authenticateFiles,
      count: parts.count,
      clock: parts.clock,
      log: parts.log,
    }),
  }
}

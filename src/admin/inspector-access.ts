// Inspector access for admin operations: recorded requests, and replays of a request as its key.
// Tested by test/admin/inspector.test.ts
import type { RpcPipeline } from '../rpc/rpc-pipeline.ts'
import type { Caller } from '../access/accounts/caller.ts'
import type { Network } from '../chain/network.ts'
import type { Inspector } from '../pipeline/inspector/inspector.ts'

export type InspectorAccess = {
  readonly inspector: Inspector
  readonly gateway: Pick<RpcPipeline, 'authenticateRpc' | 'runRpc'>
  readonly networks: () => readonly Network[]
  /** The key as authenticated with its secret, without its allowlists; null: the account has no such valid key. */
  readonly callerOf: (accountId: string, keyId: string) => Caller | null | Promise<Caller | null>
}

// Makes the proof bundle of an answer: runs the operation, records its reads, and verifies the bundle as a client does.
// Tested by src/rpc/bundles/proof-bundle.test.ts
import { toHex, toQuantity } from '../../base/hex.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import type { ProofData } from '../../chain/proof-data-network.ts'
import type { Network } from '../../chain/network.ts'
import { recordReads } from '../../chain/recorded-reads.ts'
import { ProofWatch } from '../answer-cache.ts'
import { type RpcCall, type RpcOperation, runOperation } from '../operation.ts'
import type { ProofBundle } from './proof-bundle.ts'
import { anonymousCaller, replay } from './bundle-replay.ts'
import { resolveBlock } from '../request-context.ts'

/** A request that an operation has parsed. `params`: as the client sent them. */
export type BundledCall = {
  readonly operation: RpcOperation<unknown>
  readonly input: unknown
  readonly params: readonly unknown[]
}

/**
 * Runs the operation and bundles the data that proves its answer. `call` must already report to `watch`. The bundle was verified as
 * clients verify it. Throws what the operation throws.
 */
export async function runBundled(
  bundled: BundledCall,
  call: RpcCall,
  watch: ProofWatch,
): Promise<{ readonly result: unknown; readonly proof: ProofBundle }> {
  const { operation, input } = bundled
  const { network } = call
  if (operation.bundle === undefined) {
    const result = await runOperation(operation, input, call)
    return { result, proof: bareBundle(bundled, network, watch) }
  }
  const reads = recordReads(network)
  const result = await runOperation(operation, input, { ...call, network: reads.network })
  const bare = bareBundle(bundled, network, watch)
  const block = watch.provedBlock
  if (block === null) return { result, proof: bare }
  const params = operation.bundle.params(input, toHex(block.hash), block.number)
  if (params === null) return { result, proof: bare }
  const bytes = reads.find(block.hash)
  if (bytes === null) throw new Error(`${operation.name} was proved without its block's header`)
  const evidence: ProofData = {
    block: { hash: block.hash, bytes, header: decodeHeader(bytes) },
    pieces: reads.pieces(),
    ...(network.known !== undefined && { known: network.known }),
    blobFeeFraction: (timestamp) => network.blobFeeFraction(timestamp),
    calls: network.calls,
  }
  // Replays the request as the verifier does. With `as`, the verifier runs another operation, which resolves the block in another
  // way.
  const named = operation.bundle.as === undefined ? operation.parse(params) : input
  const { used } = await replay(operation, named, evidence)
  const proof = {
    ...bare,
    method: operation.bundle.as ?? operation.name,
    params,
    header: toHex(bytes),
    nodes: used.nodes.map(toHex),
    ...codesOf(operation, used.codes.map(toHex)),
  }
  return { result, proof }
}

/** The bundle of a request without limits of a key. Throws what `parse` and the operation throw. */
export async function requestBundle(
  operation: RpcOperation<unknown>,
  params: readonly unknown[],
  network: Network,
  signal: AbortSignal,
): Promise<ProofBundle> {
  const input = operation.parse(params)
  const watch = new ProofWatch({ level: () => {}, block: () => {} })
  const call = watch.watched({
    caller: anonymousCaller,
    network,
    labels: watch,
    signal,
    resolve: (block) => resolveBlock(network, block),
  })
  const { proof } = await runBundled({ operation, input, params }, call, watch)
  return proof
}

/** `codes` for a call, which may read the code of several contracts; `code` for `eth_getCode`, which reads one. */
function codesOf(
  { name }: RpcOperation<unknown>,
  codes: readonly string[],
): Pick<ProofBundle, 'v' | 'code' | 'codes'> {
  const [code] = codes
  if (name !== 'eth_getCode') return codes.length === 0 ? { v: 1 } : { v: 2, codes }
  return code === undefined ? { v: 1 } : { v: 1, code }
}

/** A bundle that describes the answer and proves nothing. */
function bareBundle(
  { operation, params }: BundledCall,
  { chainId }: Network,
  watch: ProofWatch,
): ProofBundle {
  const { level, block } = watch.recorded
  return {
    v: 1,
    chainId: toQuantity(chainId),
    method: operation.name,
    params,
    block: block === null ? null : { hash: toHex(block.hash), number: toQuantity(block.number) },
    // An answer without a level comes from this server.
    verified: level ?? 'trusted',
    head: block?.anchor ?? null,
    header: null,
    nodes: [],
  }
}

// Creates and verifies proof bundles without a server: the answer of an operation with its bundle, and the verdict for a request
// and a block hash.
import { systemClock } from '../../src/base/clock.ts'
import type { Caller } from '../../src/access/accounts/caller.ts'
import { fromHex } from '../../src/base/hex.ts'
import type { Network } from '../../src/chain/network.ts'
import { createSenderCache } from '../../src/chain/sender-cache.ts'
import { ProofWatch } from '../../src/rpc/answer-cache.ts'
import { createRpcOperations } from '../../src/rpc/methods/index.ts'
import { runBundled } from '../../src/rpc/bundles/make-bundle.ts'
import { parseBundle, type ProofBundle } from '../../src/rpc/bundles/proof-bundle.ts'
import { resolveBlock } from '../../src/rpc/request-context.ts'
import { type BundleVerdict, verifyBundle } from '../../src/rpc/bundles/verify-bundle.ts'
import type { BlockParameter } from '../../src/rpc/operation.ts'

export const operations = createRpcOperations({
  clientVersion: 'Cairn/v0.0.0/test',
  clock: systemClock,
  findSender: createSenderCache(1000).find,
})

export async function bundleOf(
  network: Network,
  method: string,
  params: readonly unknown[],
): Promise<{ readonly result: unknown; readonly proof: ProofBundle }> {
  const operation = operations.get(method)
  if (operation === undefined) throw new TypeError(`no operation ${method}`)
  const { signal } = new AbortController()
  const watch = new ProofWatch({ level: () => {}, block: () => {} })
  const call = watch.watched({
    caller: {} as Caller,
    network,
    labels: watch,
    signal,
    resolve: (parameter: BlockParameter) => resolveBlock(network, parameter),
  })
  return await runBundled({ operation, input: operation.parse(params), params }, call, watch)
}

/** `call` null: the request in the bundle. `bundle` is converted to JSON and back, as over a network. */
export async function verdictOn(
  bundle: unknown,
  block: string,
  call: readonly [method: string, params: readonly unknown[]] | null = null,
  blobFeeFraction: bigint | null = null,
): Promise<BundleVerdict> {
  const parsed = parseBundle(JSON.parse(JSON.stringify(bundle)))
  if ('refused' in parsed) return parsed
  const request = {
    blockHash: fromHex(block),
    expectedRequest: call === null ? null : { method: call[0], params: call[1] },
    blobFeeFraction,
  }
  return await verifyBundle(parsed.bundle, request, operations)
}

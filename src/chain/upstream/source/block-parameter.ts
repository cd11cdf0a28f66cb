// Encodes the block of a state request: by hash (EIP-1898); by number only if the upstream refuses a hash, and then its
// reply may be of another block.
// Tested by src/chain/upstream/source/fetch-proof.test.ts
import { toHex, toQuantity } from '../../../base/hex.ts'
import { UpstreamError } from '../node/upstream-error.ts'
import type { Upstream } from '../node/upstream.ts'

/** `number`: null when it is not known. */
export type RequestedBlockHash = { readonly hash: Uint8Array; readonly number: bigint | null }

/** `pinned`: it was requested by hash, so a reply for another block is an invalid reply. */
type StateReply = {
  readonly params: readonly unknown[]
  readonly result: unknown
  readonly pinned: boolean
}

/** Calls a state method; `params`: those before the block. Throws UpstreamError. */
export type CallAt = (
  upstream: Upstream,
  call: {
    readonly method: string
    readonly params: readonly unknown[]
    readonly block: RequestedBlockHash
  },
  signal: AbortSignal,
) => Promise<StateReply>

/** Remembers which upstreams refuse a hash, for the lifetime of both. */
export function createCallAt(): CallAt {
  const refusing = new WeakSet<Upstream>()
  return async (upstream, { method, params, block }, signal) => {
    const byHash = [...params, { blockHash: toHex(block.hash) }]
    const byNumber = block.number === null ? null : [...params, toQuantity(block.number)]
    if (byNumber === null || !refusing.has(upstream)) {
      try {
        const result = await upstream.call(method, byHash, signal)
        return { params: byHash, result, pinned: true }
      } catch (thrown) {
        const isRefusal = thrown instanceof UpstreamError && thrown.kind === 'client_fault'
        if (!isRefusal || byNumber === null) throw thrown
      }
    }
    const result = await upstream.call(method, byNumber, signal)
    refusing.add(upstream)
    return { params: byNumber, result, pinned: false }
  }
}

// The debug_getRaw… calls return the bytes themselves and are tried first. They take a number or a tag by specification;
// go-ethereum also accepts a hash. After a refusal, the upstream receives requests for JSON.
// Tested by src/chain/upstream/source/upstream-source.test.ts
import { toHex } from '../../../base/hex.ts'
import { UpstreamError, type UpstreamErrorKind } from '../node/upstream-error.ts'
import type { Upstream } from '../node/upstream.ts'

export type RawCalls = {
  /** The result, or null if this upstream lacks the method, or does not accept a hash. Throws UpstreamError. */
  byHash(
    upstream: Upstream,
    method: string,
    blockHash: Uint8Array,
    signal: AbortSignal,
  ): Promise<{ readonly result: unknown; readonly params: readonly unknown[] } | null>
}

/** The upstream would return the same error next time. */
const refusals: readonly UpstreamErrorKind[] = ['unsupported', 'client_fault']
/** These errors are not about the method: another call would fail too. */
const troubles: readonly UpstreamErrorKind[] = ['trouble', 'rate_limit', 'not_asked']

/** Remembers refusals for the lifetime of itself and of the upstream. */
export function createRawCalls(): RawCalls {
  const refused = new WeakMap<Upstream, Set<string>>()
  return {
    async byHash(upstream, method, blockHash, signal) {
      if (refused.get(upstream)?.has(method) === true) return null
      const params = [toHex(blockHash)]
      try {
        return { result: await upstream.call(method, params, signal), params }
      } catch (thrown) {
        if (!(thrown instanceof UpstreamError) || troubles.includes(thrown.kind)) throw thrown
        if (refusals.includes(thrown.kind)) {
          refused.set(upstream, (refused.get(upstream) ?? new Set()).add(method))
        }
        return null
      }
    },
  }
}

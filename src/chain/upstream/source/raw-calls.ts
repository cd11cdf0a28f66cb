// The debug_getRaw… calls bring bytes as they are, and are tried first. By specification they take a number or a
// tag; go-ethereum takes a hash too. An upstream that refused one is asked for JSON from then on.
// Tested by src/chain/upstream/source/upstream-source.test.ts
import { toHex } from '../../../base/hex.ts'
import { UpstreamError, type UpstreamErrorKind } from '../node/upstream-error.ts'
import type { Upstream } from '../node/upstream.ts'

export type RawCalls = {
  /** The result, or null when this upstream does not have the method, or not by hash. Throws UpstreamError. */
  byHash(
    upstream: Upstream,
    method: string,
    blockHash: Uint8Array,
    signal: AbortSignal,
  ): Promise<{ readonly result: unknown; readonly params: readonly unknown[] } | null>
}

/** It will say the same next time. */
const refusals: readonly UpstreamErrorKind[] = ['unsupported', 'client_fault']
/** These say nothing of the method: another call would fare no better. */
const troubles: readonly UpstreamErrorKind[] = ['trouble', 'rate_limit', 'not_asked']

/** Remembers refusals for as long as it and the upstream live. */
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

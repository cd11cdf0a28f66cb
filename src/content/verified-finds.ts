// Reads for a thread that uses the store without `obtain`: each copy is verified after the read, and read again before it is
// considered damaged. The request thread, which finds such a copy too, quarantines it.
// Tested by src/content/verified-finds.test.ts
import { verifyDagBlock } from '../codec/ipld/verify-dag-block.ts'
import { verifyKeccakKinds } from '../codec/hash/verify-keccak.ts'
import type { ContentRef, Verify } from './ref.ts'
import { Fault, hasCode } from '../base/fault.ts'
import type { LocalStore } from './block-store.ts'

export const verify: Verify = ({ kind, hash }, bytes) => {
  if (kind === 'dag-block') verifyDagBlock(hash, bytes)
  else verifyKeccakKinds({ kind, hash }, bytes)
}

/** Maximum number of reads of a copy. */
const readsMax = 3

/**
 * Wraps `store` so that `get` and `peek` verify the served copy. They throw `damaged` for a copy that fails repeatedly or is in
 * quarantine.
 */
export function verifiedFinds(store: LocalStore): LocalStore {
  function findProved(ref: ContentRef): Uint8Array | null {
    let failure: unknown = null
    for (let read = 1; read <= readsMax; read += 1) {
      const bytes = read === 1 ? store.peek(ref) : store.peek(ref, 'reread')
      if (bytes === null) break
      try {
        verify(ref, bytes)
        return bytes
      } catch (thrown) {
        if (!hasCode(thrown, 'unverified')) throw thrown
        failure = thrown
      }
    }
    if (failure === null && store.peek(ref, 'quarantined') === null) return null
    throw new Fault('damaged', { cause: failure })
  }

  return {
    ...store,
    get: async (ref, copy) => (copy === undefined ? findProved(ref) : store.peek(ref, copy)),
    peek: (ref, copy) => (copy === undefined ? findProved(ref) : store.peek(ref, copy)),
  }
}

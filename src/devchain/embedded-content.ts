// Content of a chain that has no other source than this data folder. All content that its canonical blocks reach was
// stored with them, so missing content is damage, and never absence.
// Tested by src/devchain/embedded-content.test.ts
import { Fault, hasCode } from '../base/fault.ts'
import type { Obtain } from '../content/ref.ts'
import type { ChainIndex } from './chain-index.ts'

/** `obtain`, which throws `damaged` in place of `not_found`, but for the header of a block that the chain does not have. */
export function obtainEmbedded(obtain: Obtain, index: Pick<ChainIndex, 'has'>): Obtain {
  return async (ref, hint, signal) => {
    try {
      return await obtain(ref, hint, signal)
    } catch (thrown) {
      const mayBeUnknown = ref.kind === 'header' && !index.has(ref.hash)
      if (mayBeUnknown || !hasCode(thrown, 'not_found')) throw thrown
      throw new Fault('damaged', { cause: thrown })
    }
  }
}

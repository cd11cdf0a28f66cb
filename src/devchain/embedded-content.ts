// Content of a chain whose only source is this data folder. All content that its canonical blocks reference was stored with
// them, so missing content means damage.
// Tested by src/devchain/embedded-content.test.ts
import { Fault, hasCode } from '../base/fault.ts'
import type { Obtain } from '../content/ref.ts'
import type { ChainIndex } from './chain-index.ts'

/** `obtain`, but throws `damaged` in place of `not_found`, except for the header of a block that is not on the chain. */
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

// A run of stored content, one piece after the other, each verified before it is given: the way to read a large
// file. What is not here or wrong is told, not fetched: that is `obtain`'s business.
import type { Log } from '../base/log.ts'
import { refKey, type ContentRef, type Verify } from './ref.ts'
import type { Store, StoredPiece } from './store.ts'

export type RunParts = {
  readonly store: Pick<Store, 'read' | 'drop'>
  readonly verify: Verify
  /** The same of a dag-pb leaf, by the file bytes that are stored of it. */
  readonly verifyLeaf: (multihash: Uint8Array, data: Uint8Array) => void
  readonly log: Log
  readonly count: (event: 'held' | 'bad_copy', source: null) => void
}

/**
 * What `refs` name, in their order; each valid as long as a piece of `Store.read`. Null: not here, or its copy was wrong
 * and is dropped by now, or cannot be read. Throws what the store throws, and the reason of `signal`.
 */
export type ReadRun = (
  refs: readonly ContentRef[],
  signal: AbortSignal,
) => AsyncGenerator<StoredPiece | null>

export function createReadRun({ store, verify, verifyLeaf, log, count }: RunParts): ReadRun {
  function isGood(ref: ContentRef, { data, leaf }: StoredPiece): boolean {
    try {
      if (leaf) verifyLeaf(ref.hash, data)
      else verify(ref, data)
      count('held', null)
      return true
    } catch (error) {
      count('bad_copy', null)
      log('error', 'content_bad_copy', { ref: refKey(ref), error })
      return false
    }
  }

  async function drop(ref: ContentRef): Promise<void> {
    try {
      await store.drop(ref)
    } catch (error) {
      log('error', 'content_bad_copy_not_dropped', { ref: refKey(ref), error })
    }
  }

  return async function* readRun(refs, signal) {
    const pieces = store.read(refs, signal)
    try {
      for (const ref of refs) {
        const step = await pieces.next()
        signal.throwIfAborted()
        const piece = step.done === true ? null : step.value
        if (piece === null || isGood(ref, piece)) yield piece
        else {
          await drop(ref)
          yield null
        }
      }
    } finally {
      await pieces.return(null)
    }
  }
}

// Refetchable keeps: verified bytes on their way to the store, off the wire path. They are readable here
// until the store has them; what does not fit or fails is only one more fetch later.
// Tested by src/content/obtain.test.ts
import type { Log } from '../base/log.ts'
import { refKey, type ContentRef } from './ref.ts'
import type { Store } from './store.ts'

export type Keeping = {
  find(ref: ContentRef): Uint8Array | null
  /** Returns at once. `bytes` are verified by the caller. */
  add(ref: ContentRef, bytes: Uint8Array): void
  /** Resolves when nothing is on its way. */
  idle(): Promise<void>
}

export function createKeeping(parts: {
  readonly store: Store
  readonly log: Log
  readonly bytesMax: number
  /** Told of each keep given up, for lack of room or because the store failed. */
  readonly onLost: () => void
}): Keeping {
  const { store, log, bytesMax, onLost } = parts
  const underway = new Map<string, { readonly bytes: Uint8Array; readonly done: Promise<void> }>()
  let bytesUnderway = 0

  async function write(key: string, ref: ContentRef, bytes: Uint8Array): Promise<void> {
    try {
      await store.commit([{ ref, bytes }])
    } catch (error) {
      onLost()
      log('warn', 'content_not_kept', { ref: key, error })
    } finally {
      underway.delete(key)
      bytesUnderway -= bytes.length
    }
  }

  return {
    find: (ref) => (underway.size === 0 ? null : (underway.get(refKey(ref))?.bytes ?? null)),
    add(ref, bytes) {
      const key = refKey(ref)
      if (underway.has(key)) return
      if (bytesUnderway + bytes.length > bytesMax) return onLost()
      bytesUnderway += bytes.length
      // A turn later, so that the entry is in the map before it can be taken out.
      const done = Promise.resolve().then(() => write(key, ref, bytes))
      underway.set(key, { bytes, done })
    },
    async idle() {
      while (underway.size > 0) await Promise.all([...underway.values()].map(({ done }) => done))
    },
  }
}

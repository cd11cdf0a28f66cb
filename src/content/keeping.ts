// Refetchable keeps: verified bytes on their way to the store, off the wire path. They are readable here
// until the store has them; what does not fit or fails is only one more fetch later.
// Tested by src/content/obtain.test.ts
import type { Log } from '../base/log.ts'
import { refKey, type ContentRef, type Item } from './ref.ts'
import type { Store } from './store.ts'

export type Keeping = {
  find(ref: ContentRef): Uint8Array | null
  /** Returns at once. `bytes` are verified by the caller. */
  add(ref: ContentRef, bytes: Uint8Array): void
  /** Resolves when nothing is on its way. */
  idle(): Promise<void>
}

type Entry = Item & {
  readonly key: string
  readonly resolve: (done: Promise<void>) => void
}

/** Items in one transaction. */
const groupMax = 256

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
  let gathered: Entry[] = []

  /** Together in one transaction, so that a reply's nodes cost one message and one sync. */
  async function write(group: readonly Entry[]): Promise<void> {
    try {
      await store.commit(group)
    } catch (error) {
      // One may fit where all together do not.
      if (group.length > 1) return void (await Promise.all(group.map((one) => write([one]))))
      onLost()
      log('warn', 'content_not_kept', { ref: group.map(({ ref }) => refKey(ref)).join(), error })
    }
    for (const { key, bytes } of group) {
      underway.delete(key)
      bytesUnderway -= bytes.length
    }
  }

  function flush(): void {
    const group = gathered
    gathered = []
    for (let at = 0; at < group.length; at += groupMax) {
      const some = group.slice(at, at + groupMax)
      const done = write(some)
      for (const { resolve } of some) resolve(done)
    }
  }

  return {
    find: (ref) => (underway.size === 0 ? null : (underway.get(refKey(ref))?.bytes ?? null)),
    add(ref, bytes) {
      const key = refKey(ref)
      if (underway.has(key)) return
      if (bytesUnderway + bytes.length > bytesMax) return onLost()
      bytesUnderway += bytes.length
      const { promise: done, resolve } = Promise.withResolvers<void>()
      underway.set(key, { bytes, done })
      // After what waits for these bytes has gone on.
      if (gathered.length === 0) setImmediate(flush)
      gathered.push({ key, ref, bytes, resolve })
    },
    async idle() {
      while (underway.size > 0) await Promise.all([...underway.values()].map(({ done }) => done))
    },
  }
}

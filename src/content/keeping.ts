// Refetchable keeps: verified bytes on their way to the store, off the wire path. They are readable here
// until the store has them; what does not fit or fails is only one more fetch later.
// Tested by src/content/obtain.test.ts
import type { Clock } from '../base/clock.ts'
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
/** How long the first of them waits for others: a crash loses only what can be fetched again. */
const lingerMs = 50
/** A power of two. */
const endsCount = 4096

export function createKeeping(parts: {
  readonly store: Store
  readonly log: Log
  readonly bytesMax: number
  readonly clock: Clock
  /** Told of each keep given up, for lack of room or because the store failed. */
  readonly onLost: () => void
}): Keeping {
  const { store, log, bytesMax, clock, onLost } = parts
  const underway = new Map<string, { readonly bytes: Uint8Array; readonly done: Promise<void> }>()
  /** How many of them end alike: most that are looked for are not here, and need not be spelled. */
  const ends = new Uint32Array(endsCount)
  let bytesUnderway = 0
  let gathered: Entry[] = []
  let stopTimer: () => void = () => {}

  function countEnd(ref: ContentRef, change: 1 | -1): void {
    const at = endOf(ref)
    ends[at] = (ends[at] ?? 0) + change
  }

  /** Together in one transaction, so that many nodes cost one message and one sync. */
  async function write(group: readonly Entry[]): Promise<void> {
    try {
      await store.commit(group)
    } catch (error) {
      // One may fit where all together do not.
      if (group.length > 1) return void (await Promise.all(group.map((one) => write([one]))))
      onLost()
      log('warn', 'content_not_kept', { ref: group.map(({ ref }) => refKey(ref)).join(), error })
    }
    for (const { key, ref, bytes } of group) {
      underway.delete(key)
      countEnd(ref, -1)
      bytesUnderway -= bytes.length
    }
  }

  function flush(): void {
    stopTimer()
    const group = gathered
    gathered = []
    if (group.length === 0) return
    const done = write(group)
    for (const { resolve } of group) resolve(done)
  }

  return {
    find: (ref) => (ends[endOf(ref)] === 0 ? null : (underway.get(refKey(ref))?.bytes ?? null)),
    add(ref, bytes) {
      const key = refKey(ref)
      if (underway.has(key)) return
      if (bytesUnderway + bytes.length > bytesMax) return onLost()
      bytesUnderway += bytes.length
      const { promise: done, resolve } = Promise.withResolvers<void>()
      underway.set(key, { bytes, done })
      countEnd(ref, 1)
      gathered.push({ key, ref, bytes, resolve })
      if (gathered.length === groupMax) flush()
      else if (gathered.length === 1) stopTimer = clock.after(lingerMs, flush)
    },
    async idle() {
      flush()
      while (underway.size > 0) await Promise.all([...underway.values()].map(({ done }) => done))
    },
  }
}

/** Out of the last two bytes of its hash. */
function endOf({ hash }: ContentRef): number {
  const { length } = hash
  return (((hash[length - 2] ?? 0) << 8) | (hash[length - 1] ?? 0)) % endsCount
}

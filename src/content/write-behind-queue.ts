// Write-behind queue for content that can be fetched again: verified bytes are stored after the reply. They are readable from the
// queue until the store has them. An item that does not fit, or whose write fails, only costs another fetch later.
// Tested by src/content/obtain.test.ts
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { type ContentRef, type UnverifiedItem, refKey } from './ref.ts'
import type { BlockStore } from './block-store.ts'

export type WriteBehindQueue = {
  find(ref: ContentRef): Uint8Array | null
  /** Returns immediately. The caller has verified `bytes`. */
  add(ref: ContentRef, bytes: Uint8Array): void
  /** Resolves when the queue is empty. */
  idle(): Promise<void>
}

type Entry = UnverifiedItem & { readonly key: string }

/** Maximum number of items in one transaction. */
const groupMax = 256
/** Bytes of waiting items that start a transaction. */
const groupBytesMax = 1024 * 1024
/**
 * How long the first item waits for others: a crash loses only content that can be fetched again. Trie nodes are small: nearly
 * the whole cost of a write is that of its transaction.
 */
const lingerMs = 500

export function createWriteBehindQueue(parts: {
  readonly store: BlockStore
  readonly log: Log
  readonly bytesMax: number
  readonly clock: Clock
  /** Called for each dropped item: the queue was full, or the store failed. */
  readonly onLost: () => void
}): WriteBehindQueue {
  const { store, log, bytesMax, clock, onLost } = parts
  const underway = new Map<string, Uint8Array>()
  const writes = new Set<Promise<void>>()
  let bytesUnderway = 0
  let gathered: Entry[] = []
  let gatheredBytes = 0
  let stopTimer: () => void = () => {}

  /** Writes a group in one transaction, so that many nodes cost one message and one sync. */
  async function write(group: readonly Entry[]): Promise<void> {
    try {
      await store.put(group)
    } catch (error) {
      // A single item may fit if the group does not.
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
    stopTimer()
    const group = gathered
    gathered = []
    gatheredBytes = 0
    if (group.length === 0) return
    const done = write(group)
    writes.add(done)
    void done.then(() => writes.delete(done))
  }

  return {
    find: (ref) => underway.get(refKey(ref)) ?? null,
    add(ref, bytes) {
      const key = refKey(ref)
      if (underway.has(key)) return
      if (bytesUnderway + bytes.length > bytesMax) return onLost()
      bytesUnderway += bytes.length
      underway.set(key, bytes)
      gathered.push({ key, ref, bytes })
      gatheredBytes += bytes.length
      if (gathered.length === groupMax || gatheredBytes >= groupBytesMax) flush()
      else if (gathered.length === 1) stopTimer = clock.after(lingerMs, flush)
    },
    async idle() {
      flush()
      while (writes.size > 0) await Promise.all(writes)
    },
  }
}

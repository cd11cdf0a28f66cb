// Local half of `obtain`: the copies that this process can read, each verified before use. It looks in memory, among unrequested
// items of earlier replies, in the write-behind queue, and in the store.
// Tested by src/content/obtain.test.ts
import {
  type ContentRef,
  type Peek,
  type PeekNode,
  type UnverifiedItem,
  type Verify,
  refKey,
} from './ref.ts'
import type { Clock } from '../base/clock.ts'
import { hasCode } from '../base/fault.ts'
import { setNewest } from '../base/lru-cache.ts'
import type { Log } from '../base/log.ts'
import { createWriteBehindQueue } from './write-behind-queue.ts'
import { createMemory, isShared } from './memory.ts'
import type { CountObtain, ObtainLimits } from './obtain-limits.ts'
import type { BlockStore } from './block-store.ts'

/** `proved`: this process computed the name from the bytes. */
type UnrequestedItem = UnverifiedItem & { readonly source: string; readonly proved: boolean }

export type UnrequestedItems = {
  add(source: string, items: readonly UnverifiedItem[], proved?: boolean): void
  /** Removes and returns the item, so that a wrong one is not used again. */
  take(ref: ContentRef): UnrequestedItem | null
}

/** Drops the oldest items when `itemsMax` or `bytesMax` is reached. */
export function createUnrequestedItems(limits: {
  readonly itemsMax: number
  readonly bytesMax: number
}): UnrequestedItems {
  const buffered = new Map<string, UnrequestedItem>()
  let bufferedBytes = 0

  function remove(key: string): UnrequestedItem | null {
    const unrequestedItem = buffered.get(key)
    if (unrequestedItem === undefined) return null
    buffered.delete(key)
    bufferedBytes -= unrequestedItem.bytes.length
    return unrequestedItem
  }

  return {
    add(source, items, proved = false) {
      for (const { ref, bytes } of items.slice(0, limits.itemsMax)) {
        if (bytes.length > limits.bytesMax) continue
        const key = refKey(ref)
        remove(key)
        buffered.set(key, { ref, bytes, source, proved })
        bufferedBytes += bytes.length
        for (const oldest of buffered.keys()) {
          if (buffered.size <= limits.itemsMax && bufferedBytes <= limits.bytesMax) break
          remove(oldest)
        }
      }
    },
    take: (ref) => remove(refKey(ref)),
  }
}

/** A copy that is corrupt or unreadable, with the error. */
type Unread = { readonly unread: unknown }

/** Verified bytes, or a copy that cannot be used now; null: no copy. */
type Found = Uint8Array | Unread | null

/** Number of further reads of a copy that failed verification, before it is considered corrupt. */
const moreReads = 2
/** Minimum time between two reads of a quarantined copy for requests, and the number of copies for which it is tracked. */
const quarantineReadMs = 10_000
const triedMax = 1000

export type LocalCopies = {
  /**
   * Returns verified bytes; null: no copy. Returns a promise only for a store without `peek`, and for a corrupt copy, which is read
   * again and then quarantined.
   */
  find(ref: ContentRef): Found | Promise<Found>
  /** As `find`, but null for a copy that is corrupt, unreadable, or in a store without `peek`. */
  readonly peek: Peek
  readonly peekNode: PeekNode
  /** As `find`, but does not read the disk. */
  findInMemory(ref: ContentRef): Uint8Array | null
  /** Verifies a source's bytes against the ref; if valid, counts, stores and caches them. `proved`: already verified. */
  accept(ref: ContentRef, bytes: Uint8Array, source: string, proved: boolean): boolean
  /** Adds items of a source that no caller has requested yet. */
  readonly addUnrequested: UnrequestedItems['add']
  /** Resolves when all accepted content is stored. */
  idle(): Promise<void>
}

export function createLocalCopies(parts: {
  readonly store: BlockStore
  readonly verify: Verify
  readonly clock: Clock
  readonly log: Log
  readonly count: CountObtain
  readonly limits: ObtainLimits
}): LocalCopies {
  const { store, verify, clock, log, count, limits } = parts
  const unrequested = createUnrequestedItems({
    itemsMax: limits.unrequestedMax,
    bytesMax: limits.unrequestedBytesMax,
  })
  const memory = createMemory({ bytesMax: limits.memoryBytesMax })
  /** Finished and running reads of quarantined copies, by ref key; reads that found valid bytes are removed. */
  const tried = new Map<string, { readonly at: number; readonly result: Promise<Found> }>()
  /** Running rereads, by ref key: otherwise one call could quarantine a copy that another call stored in the meantime. */
  const rereads = new Map<string, Promise<Found>>()
  const writeBehind = createWriteBehindQueue({
    store,
    log,
    bytesMax: limits.writeBehindBytesMax,
    clock,
    onLost: () => count('not_kept', null),
  })

  /** Throws the error of `verify` for a corrupt copy, or the read error. */
  function read(ref: ContentRef): Uint8Array | null {
    const remembered = memory.find(ref)
    if (remembered === null) return readBeyondMemory(ref)
    count('remembered', null)
    return remembered
  }

  function readBeyondMemory(ref: ContentRef): Uint8Array | null {
    // Check unrequested items before the disk, which contains them only after the next commit.
    const unrequestedItem = takeUnrequested(ref)
    if (unrequestedItem !== null) return unrequestedItem
    const bytes = writeBehind.find(ref) ?? store.peek?.(ref) ?? null
    return bytes === null ? null : proved(ref, bytes)
  }

  /** Throws the error of `verify`. */
  function proved(ref: ContentRef, bytes: Uint8Array): Uint8Array {
    verify(ref, bytes)
    count('held', null)
    remember(ref, bytes)
    return bytes
  }

  /** Reads from a store without `peek`. */
  async function readLater(ref: ContentRef): Promise<Found> {
    try {
      const bytes = await store.get(ref)
      if (bytes !== null) return proved(ref, bytes)
      // A source may have supplied it in the meantime.
      return read(ref) ?? (await findQuarantined(ref))
    } catch (error) {
      return await readAgain(ref, error)
    }
  }

  function remember(ref: ContentRef, bytes: Uint8Array): void {
    if (isShared(ref, bytes)) memory.add(ref, bytes)
  }

  /** After a read that failed or returned invalid bytes: another read of the disk may return valid ones. */
  function readAgain(ref: ContentRef, first: unknown): Promise<Found> {
    const key = refKey(ref)
    const running = rereads.get(key)
    if (running !== undefined) return running
    const work = reread(ref, first).finally(() => rereads.delete(key))
    rereads.set(key, work)
    return work
  }

  async function reread(ref: ContentRef, first: unknown): Promise<Found> {
    let error = first
    for (let read = 0; read < moreReads; read += 1) {
      // An unavailable machine does not mean that the copy is corrupt.
      const isAway = store.isRemote?.(ref.kind) === true && hasCode(error, 'overloaded')
      if (isAway) return { unread: error }
      count('misread', null)
      log('warn', 'content_misread', { ref: refKey(ref), error })
      try {
        const bytes = await store.get(ref, 'reread')
        // Another call has quarantined it in the meantime.
        return bytes === null ? await findQuarantined(ref) : proved(ref, bytes)
      } catch (next) {
        error = next
      }
    }
    count('bad_copy', null)
    log('error', 'content_bad_copy', { ref: refKey(ref), error })
    // A read error may be temporary.
    return hasCode(error, 'unverified') ? await quarantine(ref, error) : { unread: error }
  }

  /** The bytes may be the only copy: they remain on disk, but reads no longer find them. */
  async function quarantine(ref: ContentRef, unread: unknown): Promise<Uint8Array | Unread> {
    try {
      await store.quarantine(ref)
    } catch (error) {
      log('error', 'content_not_quarantined', { ref: refKey(ref), error })
    }
    try {
      // The block may have been written twice.
      const other = await store.get(ref)
      if (other !== null) verify(ref, other)
      return other ?? { unread }
    } catch {
      return { unread }
    }
  }

  /** Within 10 s, calls share one read of a copy that remains corrupt. */
  function findQuarantined(ref: ContentRef): Found | Promise<Found> {
    if (!store.quarantineFlag.isUp) return null
    const key = refKey(ref)
    const last = tried.get(key)
    if (last !== undefined && clock.monotonic() - last.at < quarantineReadMs) return last.result
    const result = readQuarantined(ref).then((found) => {
      // Absent, or released.
      if (tried.get(key)?.result === result && !isUnread(found)) tried.delete(key)
      return found
    })
    setNewest(tried, key, { at: clock.monotonic(), result }, triedMax)
    return result
  }

  async function readQuarantined(ref: ContentRef): Promise<Found> {
    try {
      const bytes = await store.get(ref, 'quarantined')
      if (bytes === null) return null
      verify(ref, bytes)
      return await release(ref, bytes)
    } catch (unread) {
      return { unread }
    }
  }

  async function release(ref: ContentRef, bytes: Uint8Array): Promise<Uint8Array> {
    log('info', 'content_released', { ref: refKey(ref) })
    try {
      await store.release(ref)
    } catch (error) {
      log('error', 'content_not_released', { ref: refKey(ref), error })
    }
    count('held', null)
    return bytes
  }

  function accept(ref: ContentRef, bytes: Uint8Array, source: string, proved: boolean): boolean {
    try {
      if (!proved) verify(ref, bytes)
    } catch (error) {
      count('lied', source)
      log('warn', 'source_lied', { source, ref: refKey(ref), error })
      return false
    }
    count('fetched', source)
    writeBehind.add(ref, bytes)
    remember(ref, bytes)
    return true
  }

  function takeUnrequested(ref: ContentRef): Uint8Array | null {
    const unrequestedItem = unrequested.take(ref)
    if (unrequestedItem === null) return null
    return accept(ref, unrequestedItem.bytes, unrequestedItem.source, unrequestedItem.proved)
      ? unrequestedItem.bytes
      : null
  }

  function peekBeyondMemory(ref: ContentRef): Uint8Array | null {
    try {
      return readBeyondMemory(ref)
    } catch {
      return null
    }
  }

  return {
    find(ref) {
      try {
        const bytes = read(ref)
        if (bytes !== null) return bytes
        const isLater = store.peek === undefined || store.isRemote?.(ref.kind) === true
        return isLater ? readLater(ref) : findQuarantined(ref)
      } catch (error) {
        return readAgain(ref, error)
      }
    },
    peek(ref) {
      try {
        return read(ref)
      } catch {
        return null
      }
    },
    peekNode: (from, at) =>
      memory.findAt('trie-node', from, at) ??
      peekBeyondMemory({ kind: 'trie-node', hash: from.subarray(at, at + 32) }),
    findInMemory: (ref) => memory.find(ref) ?? takeUnrequested(ref),
    accept,
    addUnrequested: unrequested.add,
    idle: () => writeBehind.idle(),
  }
}

function isUnread(found: Found): found is Unread {
  return found !== null && !(found instanceof Uint8Array)
}

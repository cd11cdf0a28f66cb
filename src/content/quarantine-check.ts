// Rereads quarantined copies in the background: wrong bytes may have been a temporary fault of the disk, or a new source may have
// the correct ones.
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Rows } from '../db/rows.ts'
import type { Database } from '../db/sqlite.ts'
import { listQuarantinedObjectBlocks } from '../tables/objects/object-blocks.ts'
import { countQuarantined } from '../tables/quarantine.ts'
import { beforeQuarantine, listQuarantined } from './quarantine-rows.ts'
import type { Obtain } from './ref.ts'
import type { BlockStore } from './block-store.ts'

/** Interval of the checks, and the number of intervals in which all copies are read again. */
const lookMs = 60_000
const looksPerCheck = 60
/** Maximum number of copies of each store that one check reads. */
const checkedMax = 1000
/** Time limit of sources for each copy. */
const patienceMs = 5000

export type QuarantineCheck = {
  /** Checks the next copies. Never rejects. */
  check(): Promise<void>
  stop(): Promise<void>
}

/** Starts immediately. */
export function createQuarantineCheck(parts: {
  readonly store: Pick<BlockStore, 'quarantineFlag'>
  readonly database: Database
  /** Rows of file blocks that several machines share; null: none. */
  readonly shared?: Rows | null
  readonly obtain: Obtain
  readonly clock: Clock
  readonly log: Log
}): QuarantineCheck {
  const { store, database, shared = null, obtain, clock, log } = parts
  const stopping = new AbortController()
  const { signal } = stopping
  let position = beforeQuarantine
  let sharedAfter = 0
  let looks = 0
  let running: Promise<void> = Promise.resolve()

  async function checkNext(): Promise<void> {
    const before = countQuarantined(database)
    if (before === 0) return
    const { refs, next } = listQuarantined(database, position, checkedMax)
    position = next ?? beforeQuarantine
    for (const ref of refs) {
      signal.throwIfAborted()
      // Only sources of file blocks work without a fetch context.
      const context = ref.kind === 'dag-block' ? { patienceMs } : { offline: true }
      await obtain(ref, context, signal).catch(() => undefined)
      await setImmediate()
    }
    const now = countQuarantined(database)
    log(now === 0 ? 'info' : 'warn', 'quarantine_checked', { before, now })
  }

  /** Other machines may check the same copies: a block that is valid again is released only once. */
  async function checkShared(rows: Rows): Promise<void> {
    const blocks = await rows.find(listQuarantinedObjectBlocks(sharedAfter, checkedMax))
    sharedAfter = blocks.length < checkedMax ? 0 : (blocks.at(-1)?.id ?? 0)
    for (const { hash } of blocks) {
      signal.throwIfAborted()
      await obtain({ kind: 'dag-block', hash }, { patienceMs }, signal).catch(() => undefined)
    }
    if (blocks.length > 0) log('warn', 'shared_quarantine_checked', { blocks: blocks.length })
  }

  /** Runs one check at a time. */
  function check(): Promise<void> {
    const checkAll = async (): Promise<void> => {
      await checkNext()
      if (shared !== null) await checkShared(shared)
    }
    running = running.then(checkAll).catch((error: unknown) => {
      if (!signal.aborted) log('error', 'quarantine_not_checked', { error })
    })
    return running
  }

  const stopClock = clock.every(lookMs, () => {
    store.quarantineFlag.look()
    looks += 1
    if (looks % looksPerCheck === 0) void check()
  })
  void check()
  return {
    check,
    async stop() {
      stopClock()
      stopping.abort()
      await running
    },
  }
}

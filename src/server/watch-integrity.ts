// Checks the database in the background: a quick check shortly after the start, a full one each week. Damaged indexes
// are rebuilt; other damage makes the server not ready.
// Tested by test/faults/database-check.test.ts
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { checkInThread, planPinRepairInThread } from '../db/check-in-thread.ts'
import { type Damage, rebuildIndexes } from '../db/integrity.ts'
import type { Rows } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'
import { findLastCheck, setLastCheck } from '../tables/database-checks.ts'

/** A server that stops soon after its start skips the check. */
const startMs = 1000
const checkPeriodMs = 3_600_000
const fullMs = 7 * 86_400_000
/** Maximum of damages named in the log. */
const namedMax = 10

export type IntegrityWatch = {
  /** False: the last check found damage that Cairn could not repair. */
  readonly isSound: boolean
  /** Number of checks that repaired damage since the start. */
  readonly repairs: number
  stop(): Promise<void>
}

export function watchIntegrity(parts: {
  readonly path: string
  readonly rows: Rows
  readonly clock: Clock
  readonly log: Log
}): IntegrityWatch {
  const { path, rows, clock, log } = parts
  const stopping = new AbortController()
  const { signal } = stopping
  let isSound = true
  let repairs = 0
  let running: Promise<void> | null = null

  async function isDue(): Promise<boolean> {
    const last = (await rows.first(findLastCheck()))?.checked ?? null
    return last === null || clock.now() - last >= fullMs
  }

  async function check(quick: boolean): Promise<void> {
    const damages = await checkInThread({ path, quick }, signal)
    const unrepaired = damages.length === 0 ? [] : await repair(damages)
    isSound = unrepaired.length === 0
    if (!isSound) log('error', 'database_damaged', { damages: unrepaired.slice(0, namedMax) })
    if (quick || !isSound) return
    await rows.write([setLastCheck(clock.now())])
    log('info', 'database_checked', {})
  }

  /** Repairs what it can. Returns the remaining damage. */
  async function repair(damages: readonly Damage[]): Promise<readonly Damage[]> {
    const tables = [...new Set(damages.map(({ table }) => table))]
    log('error', 'database_repairing', { tables, damages: damages.slice(0, namedMax) })
    for (const table of tables) {
      try {
        await rows.write(await repairOf(table))
      } catch (error) {
        log('error', 'database_not_repaired', { table, error })
      }
    }
    const unrepaired = await checkInThread({ path, quick: false }, signal)
    if (unrepaired.length > 0) return unrepaired
    repairs += 1
    log('warn', 'database_repaired', { tables })
    return unrepaired
  }

  async function repairOf(table: string): Promise<readonly Statement[]> {
    if (table === 'pin') return await planPinRepairInThread({ path, repairs: 'pin' }, signal)
    return [rebuildIndexes(table)]
  }

  /** One check at a time. */
  function begin(run: () => Promise<void>): void {
    running ??= run()
      .catch((error: unknown) => {
        if (!signal.aborted) log('error', 'database_not_checked', { error })
      })
      .finally(() => (running = null))
  }

  const stopFirst = clock.after(startMs, () => begin(async () => await check(!(await isDue()))))
  const stopClock = clock.every(checkPeriodMs, () => {
    begin(async () => {
      // An operator may have restored the damaged data.
      if ((await isDue()) || !isSound) await check(false)
    })
  })
  return {
    get isSound() {
      return isSound
    },
    get repairs() {
      return repairs
    },
    async stop() {
      stopFirst()
      stopClock()
      stopping.abort(new Error('the server stops'))
      await running
    },
  }
}

// Sends events to one receiver, in order, one at a time. Reads audit entries from their table and repeats each until the receiver
// accepts it or has refused its content 12 times. A restart continues after the last one. Refused sign-ins are queued in memory, at
// most 1,000.
// Tested by src/access/events/deliver-events.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Rows } from '../../db/rows.ts'
import { listAuditAfter, newestAudit } from '../../tables/audit.ts'
import { revisionOf, setRevision } from '../../tables/revisions.ts'
import { auditDocument, type EventDocument } from './event-document.ts'

export type EventTarget = 'webhook' | 'syslog'

export type EventDelivery = {
  /** Queues an event that is in no table. Dropped if the queue is full. */
  add(event: EventDocument): void
  /** Numbers of dropped events and failed attempts since the start. */
  readonly counts: { readonly dropped: number; readonly failed: number }
  /** Resolves when no request is in flight. */
  stop(): Promise<void>
}

/** Interval between reads of the audit log. */
const readPeriodMs = 1_000
const rowsMax = 100
export const queuedMax = 1_000
const pauseMsMin = 1_000
const pauseMsMax = 300_000
/** Number of refusals of an event's content before it is dropped: after about 20 minutes. */
export const refusalsMax = 12

/** The receiver refused the content of this event, so a retry would fail too. */
export class EventRefused extends Error {
  override readonly name = 'EventRefused'

  constructor(status: number) {
    super(`the receiver answered ${status}`)
  }
}

/**
 * `send`: resolves when the receiver has the event; rejects with EventRefused for a content error. Its errors must contain no
 * secret.
 */
export function createEventDelivery(parts: {
  readonly target: EventTarget
  readonly send: (event: EventDocument) => Promise<void>
  readonly rows: Pick<Rows, 'find' | 'first' | 'write'>
  /** False: another process sends the audit entries. */
  readonly sendsAudit?: () => boolean
  readonly clock: Clock
  readonly log: Log
}): EventDelivery {
  const { target, send, rows, sendsAudit = () => true, clock, log } = parts
  const cursorName = `events_${target}` as const
  const queue: EventDocument[] = []
  const counts = { dropped: 0, failed: 0 }
  /** ID of the last sent entry; null: not read yet. */
  let cursor: number | null = null
  let working: Promise<void> | null = null
  let stopped = false
  let wake = (): void => {}
  const stopping = Promise.withResolvers<false>()

  /** ID of the last entry sent by an earlier run, or of the newest entry if nothing was ever sent to this target. */
  async function readCursor(): Promise<number> {
    const newest = (await rows.first(newestAudit()))?.id ?? 0
    const stored = await rows.first(revisionOf(cursorName))
    if (stored !== null) return Math.min(stored.number, newest)
    await rows.write([setRevision(cursorName, newest)])
    return newest
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stopTimer = clock.after(ms, resolve)
      wake = () => {
        stopTimer()
        resolve()
      }
    })
  }

  /** False: stopped before the receiver accepted it. An event that was refused too often counts as accepted. */
  async function deliver(event: EventDocument): Promise<boolean> {
    let refusals = 0
    for (let tries = 1; !stopped; tries++) {
      try {
        // A receiver may respond slowly: a stop does not wait, and the next start sends the event again.
        return await Promise.race([send(event).then(() => true), stopping.promise])
      } catch (error) {
        counts.failed++
        if (error instanceof EventRefused) refusals++
        if (refusals === refusalsMax) {
          counts.dropped++
          log('error', 'event_refused', { target, id: event.id, error: (error as Error).message })
          return true
        }
        const pauseMs = Math.min(pauseMsMax, pauseMsMin * 2 ** Math.min(tries - 1, 20))
        const facts = { target, tries, nextMs: pauseMs, error: (error as Error).message }
        log('warn', 'event_not_sent', facts)
        await pause(pauseMs)
      }
    }
    return false
  }

  async function sendAudit(): Promise<boolean> {
    if (!sendsAudit()) {
      // Another process sends now, and advances the stored cursor.
      cursor = null
      return false
    }
    const from = (cursor ??= await readCursor())
    const found = await rows.find(listAuditAfter(from, rowsMax))
    for (const row of found) {
      if (!sendsAudit() || !(await deliver(auditDocument(row)))) break
      cursor = row.id
    }
    if (cursor !== from) await rows.write([setRevision(cursorName, cursor)])
    return found.length > 0
  }

  async function work(): Promise<void> {
    for (let more = true; more && !stopped;) {
      more = await sendAudit()
      for (let event = queue[0]; event !== undefined && !stopped; event = queue[0]) {
        if (!(await deliver(event))) return
        queue.shift()
      }
    }
  }

  function begin(): void {
    working ??= work()
      .catch((error: unknown) => log('error', 'events_not_read', { target, error }))
      .finally(() => {
        working = null
      })
  }

  // Start the cursor now, so that entries of the first period are sent too.
  begin()
  const stopReading = clock.every(readPeriodMs, begin)
  return {
    add(event) {
      if (queue.length >= queuedMax) counts.dropped++
      else queue.push(event)
    },
    counts,
    async stop() {
      stopReading()
      stopped = true
      stopping.resolve(false)
      wake()
      await working
    },
  }
}

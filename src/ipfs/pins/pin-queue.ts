// Processes pin requests: accounts take turns, a few tries run at the same time, and retries follow at growing intervals. A try
// ends in the commit of its pin, so that a crash neither loses a request nor leaves a pin without one.
// Tested by src/ipfs/pins/pin-queue.test.ts
import { randomUUID } from 'node:crypto'
import { CID } from 'multiformats/cid'
import type { Clock } from '../../base/clock.ts'
import { Fault, type FaultCode } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import type { Rows } from '../../db/rows.ts'
import { NothingChanged, type Statement } from '../../db/writer.ts'
import {
  claimPinRequest,
  deleteFailedPinRequests,
  endPinRequestTry,
  findNextPinRequest,
  type PinRequestClaim,
  type PinRequestRow,
  progressPinRequest,
  releasePinOfRequest,
  requeuePinRequests,
  trimFailedPinRequests,
} from '../../tables/pinning/pin-requests.ts'
import type { Files } from '../files.ts'

export type PinQueue = {
  /** Starts the queue; the returned function stops it and its running tries. Only one machine may run it at a time. */
  begin(): () => Promise<void>
  /** Call after a request was added. */
  wake(): void
  /** Aborts the running try of a request that was removed, if it runs in this process. */
  abort(id: string): void
}

export type PinQueueLimits = {
  /** Maximum number of concurrent tries: of one account, of all accounts. */
  readonly atOnce: number
  readonly atOnceInAll: number
  /** Delay of the first retry; it doubles with each further retry. */
  readonly retryMs: number
  readonly retryMsMax: number
  /** A request older than this fails at its next failed try. */
  readonly failAfterMs: number
  /** How long failed requests stay listed, counted from their creation. */
  readonly listFailedMs: number
  /**
   * Maximum number of listed failed requests per account; the oldest are deleted. They count towards no quota, and each may fail
   * immediately.
   */
  readonly failedMax: number
  /** How often the queue looks for requests that other machines added. */
  readonly pollMs: number
}

const hourMs = 3_600_000

export const defaultPinQueueLimits: PinQueueLimits = {
  atOnce: 4,
  atOnceInAll: 16,
  retryMs: 10_000,
  retryMsMax: hourMs,
  failAfterMs: 24 * hourMs,
  listFailedMs: 8 * 24 * hourMs,
  failedMax: 1000,
  pollMs: 60_000,
}

/** Requests that one pass reads, which limits a pass even if many accounts have requests. */
const looksMax = 10_000
const progressMs = 5000
const errorCharsMax = 500
/** Pause after a failed read or write of the database. */
const brokenMs = 5000
/** Errors after which a retry cannot succeed. */
const final: readonly FaultCode[] = ['over_quota', 'denied', 'denied_legally', 'too_large']

type Try = { readonly accountId: string; readonly stop: AbortController; done: Promise<void> }

export function createPinQueue(parts: {
  readonly rows: Rows
  readonly filesOf: (accountId: string) => Pick<Files, 'pin'>
  readonly clock: Clock
  readonly log: Log
  readonly limits?: PinQueueLimits
}): PinQueue {
  const { rows, clock, log, limits = defaultPinQueueLimits } = parts
  const running = new Map<string, Try>()
  let woken = Promise.withResolvers<void>()
  /** The account that was served last. */
  let last = ''
  /** Tries whose result could not be written. No new try starts before it is written, so there are at most `atOnceInAll`. */
  const unended = new Set<PinRequestClaim>()

  const wake = (): void => woken.resolve()

  async function work(signal: AbortSignal): Promise<void> {
    let isRequeued = false
    let swept = -Infinity
    while (!signal.aborted) {
      woken = Promise.withResolvers()
      let waitMs = brokenMs
      try {
        if (!isRequeued) await rows.write([requeuePinRequests()])
        isRequeued = true
        if (clock.monotonic() - swept >= hourMs) {
          await rows.write([deleteFailedPinRequests(clock.now() - limits.listFailedMs)])
          swept = clock.monotonic()
        }
        await writeUnended()
        waitMs = await startDue(signal)
      } catch (error) {
        log('warn', 'pin_queue_failed', { error })
      }
      if (signal.aborted) return
      const stop = clock.after(waitMs, wake)
      signal.addEventListener('abort', wake, { once: true })
      await woken.promise
      signal.removeEventListener('abort', wake)
      stop()
    }
  }

  async function writeUnended(): Promise<void> {
    for (const claim of unended) {
      await endOnce(claim, 'the database was not available', clock.now())
      unended.delete(claim)
    }
  }

  /** Starts due requests, one of each account in turn. Returns the time in milliseconds until the next call. */
  async function startDue(signal: AbortSignal): Promise<number> {
    let waitMs = limits.pollMs
    // The list starts after the account that was served last: only its second end means that every account was visited.
    let ends = 0
    for (let looks = 0; looks < looksMax && ends < 2; looks += 1) {
      if (signal.aborted || running.size >= limits.atOnceInAll) return waitMs
      const row = await rows.first(findNextPinRequest(last))
      last = row?.account_id ?? ''
      if (row === null) {
        ends += 1
        continue
      }
      const dueMs = row.due - clock.now()
      if (dueMs > 0) waitMs = Math.min(waitMs, dueMs)
      else if (triesOf(row.account_id) < limits.atOnce && (await start(row, signal))) ends = 0
    }
    return ends < 2 ? 0 : waitMs
  }

  function triesOf(accountId: string): number {
    return [...running.values()].filter((one) => one.accountId === accountId).length
  }

  async function start(row: PinRequestRow, signal: AbortSignal): Promise<boolean> {
    const claim = { id: row.id, claim: randomUUID() }
    try {
      await rows.write([claimPinRequest(claim.id, claim.claim)])
    } catch (thrown) {
      if (thrown instanceof NothingChanged) return false
      throw thrown
    }
    if (signal.aborted) return false
    const one: Try = {
      accountId: row.account_id,
      stop: new AbortController(),
      done: Promise.resolve(),
    }
    running.set(row.id, one)
    one.done = run(row, claim, one.stop.signal)
      .catch((error: unknown) => {
        unended.add(claim)
        log('warn', 'pin_queue_failed', { error })
      })
      .finally(() => {
        running.delete(row.id)
        wake()
      })
    return true
  }

  async function run(
    row: PinRequestRow,
    claim: PinRequestClaim,
    signal: AbortSignal,
  ): Promise<void> {
    let written = clock.monotonic()
    const progress = (blocks: number, bytes: bigint): void => {
      if (clock.monotonic() - written < progressMs) return
      written = clock.monotonic()
      const counts = { blocks, bytes: Number(bytes) }
      rows.write([progressPinRequest(claim, counts)]).catch(() => {})
    }
    const origins = row.origins === null ? [] : (JSON.parse(row.origins) as readonly string[])
    const { name, replaces, key_id: keyId } = row
    try {
      await parts.filesOf(row.account_id).pin(
        row.account_id,
        {
          cid: CID.decode(row.cid),
          mode: 'recursive',
          name,
          request: { ...claim, replaces },
          ...(keyId !== null && { keyId }),
        },
        { offline: false, timeoutMs: null, origins },
        progress,
        signal,
      )
    } catch (thrown) {
      // The row of an aborted try is deleted, or is queued again at the next start.
      if (signal.aborted || thrown instanceof NothingChanged) return
      await endTry(row, claim, Fault.from(thrown))
    }
  }

  async function endTry(row: PinRequestRow, claim: PinRequestClaim, fault: Fault): Promise<void> {
    if (fault.code === 'internal') log('error', 'pin request failed', { cause: fault.cause })
    const waitMs = Math.min(limits.retryMs * 2 ** Math.min(row.tries, 30), limits.retryMsMax)
    const isLate = clock.now() - row.created >= limits.failAfterMs
    const due = isLate || final.includes(fault.code) ? null : clock.now() + waitMs
    const release =
      due === null && row.replaces !== null
        ? [releasePinOfRequest(row.account_id, row.replaces)]
        : []
    const trim = due === null ? [trimFailedPinRequests(row.account_id, limits.failedMax)] : []
    const error = fault.message.slice(0, errorCharsMax)
    await endOnce(claim, error, due, [...release, ...trim])
  }

  /** `due`: as in endPinRequestTry. Does nothing if the try has already ended. */
  async function endOnce(
    claim: PinRequestClaim,
    error: string,
    due: number | null,
    also: readonly Statement[] = [],
  ): Promise<void> {
    try {
      await rows.write([endPinRequestTry(claim, error, due), ...also])
    } catch (thrown) {
      if (!(thrown instanceof NothingChanged)) throw thrown
    }
  }

  return {
    begin() {
      const stopping = new AbortController()
      const working = work(stopping.signal)
      return async () => {
        stopping.abort()
        await working
        for (const { stop } of running.values()) stop.abort()
        await Promise.all([...running.values()].map(({ done }) => done))
      }
    },
    wake,
    abort: (id) => running.get(id)?.stop.abort(),
  }
}

// Opens the access log and the list of recent errors. A full disk or a slow reader of the log never delays a request: lines beyond
// the buffer are dropped, counted and reported.
// Tested by test/server/access-log.test.ts
import type { Clock } from '../base/clock.ts'
import { describeErrno } from '../base/describe-errno.ts'
import { createLineBuffer } from '../base/line-buffer.ts'
import type { Log } from '../base/log.ts'
import { createRotatedFile, type RotatedFile } from '../base/rotated-file.ts'
import type { Config } from '../config/settings.ts'
import { accessLine } from '../pipeline/request-log/access-log.ts'
import type { RequestLog } from '../pipeline/request-log/finished-request.ts'
import { createRecentErrors, type RecentErrors } from '../pipeline/request-log/recent-errors.ts'
import type { Traces } from './open-traces.ts'

/** Writes to standard output; settles after the text is written. */
export type WriteOut = (text: string) => Promise<void>

export type OpenRequestLog = {
  readonly requests: RequestLog
  readonly recentErrors: RecentErrors
  /** Lines dropped since the start. */
  readonly droppedLines: () => number
  /** Opens the file again by its name, after another program has moved it. */
  reopen(): void
  /** Writes the buffered lines, within a time limit. */
  stop(): Promise<void>
}

/** Size limit of the buffer; several seconds of a busy server. */
const waitingCharsMax = 8 * 1024 * 1024
/** Interval of reports of dropped lines. */
const reportMs = 60_000
/** Time limit of a stop for a slow reader. */
const stopMs = 1_000

/** Rejects with a sentence for the operator if the log is enabled and its file cannot be written. */
export async function openRequestLog(parts: {
  /** Settings at startup. */
  readonly config: Config
  /** Current settings. */
  readonly settings: { readonly now: Config }
  readonly writeOut: WriteOut
  /** Null: requests are not traced. */
  readonly traces: Traces | null
  readonly clock: Clock
  readonly log: Log
}): Promise<OpenRequestLog> {
  const { settings, traces, clock, log } = parts
  const { enabled, file, fileBytesMax, filesMax } = parts.config.accessLog
  const rotated =
    file === null ? null : createRotatedFile({ file, bytesMax: fileBytesMax, filesMax })
  if (enabled && rotated !== null) await openNow(rotated, file ?? '')
  let lastError: unknown = null
  let reported = 0
  const lines = createLineBuffer({
    write: rotated === null ? parts.writeOut : rotated.append,
    failed: (error) => (lastError = error),
    charsMax: waitingCharsMax,
  })

  function report(): void {
    const dropped = lines.dropped - reported
    if (dropped === 0) return
    reported += dropped
    const cause = lastError === null ? {} : { cause: describeErrno(lastError) }
    lastError = null
    log('error', 'access_log_dropped', { lines: dropped, ...cause })
  }
  const stopReports = clock.every(reportMs, report)
  const recentErrors = createRecentErrors(clock)

  return {
    requests: {
      get takesAll() {
        return traces !== null || settings.now.accessLog.enabled
      },
      takesSteps: traces !== null,
      add(request) {
        recentErrors.add(request)
        traces?.add(request)
        const { accessLog } = settings.now
        if (!accessLog.enabled) return
        const line = accessLine(request, accessLog, clock.now(), Math.random)
        if (line !== null) lines.add(line)
      },
    },
    recentErrors,
    droppedLines: () => lines.dropped,
    reopen: () => rotated?.reopen(),
    async stop() {
      stopReports()
      await new Promise<void>((resolve) => {
        const stopTimer = clock.after(stopMs, resolve)
        void lines.flush().then(() => {
          stopTimer()
          resolve()
        })
      })
      report()
      await rotated?.close()
    },
  }
}

async function openNow(rotated: RotatedFile, file: string): Promise<void> {
  try {
    await rotated.open()
  } catch (cause) {
    throw new Error(
      `cannot write accessLog.file ${file}: ${describeErrno(cause)}: create its folder, and let the user of Cairn write there`,
      { cause },
    )
  }
}

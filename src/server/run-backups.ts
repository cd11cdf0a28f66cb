// Makes backups by schedule and on request, in a thread, one at a time. Reads the time of the last one from the target, so the
// schedule survives a restart.
// Tested by test/backup/backup-server.test.ts
import type { BackupState, BackupsView } from '../admin/resources/backups/backups-view.ts'
import { backUpInThread } from '../backup/back-up-in-thread.ts'
import { findNewest, listBackups } from '../backup/list-backups.ts'
import { bytesOf } from '../backup/manifest.ts'
import { openTarget } from '../backup/open-target.ts'
import type { BackupTask, TaskResult } from '../backup/run-backup.ts'
import { describeFileError } from '../base/describe-errno.ts'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/settings.ts'

export type Backups = BackupsView & {
  /** Resolves when no backup is running. */
  stop(): Promise<void>
}

/** Delay after the start: a server that stops soon makes no backup. */
const startMs = 5000
const checkPeriodMs = 60_000
const hourMs = 3_600_000

type Success = NonNullable<BackupState['lastSuccess']>

/** `runInThread`: tests replace it. */
export function runBackups(parts: {
  /** Public key of the server in hex. */
  readonly server: string
  readonly version: string
  readonly settings: { readonly now: Config }
  readonly clock: Clock
  readonly log: Log
  readonly runInThread?: typeof backUpInThread
}): Backups {
  const { server, version, settings, clock, log, runInThread = backUpInThread } = parts
  const stopping = new AbortController()
  const { signal } = stopping
  let running: { readonly began: number; done: number; total: number } | null = null
  let work: Promise<void> = Promise.resolve()
  let checking = false
  /** Last success at the target in `lastSuccessTarget`. */
  let lastSuccess: Success | null = null
  let lastFailure: BackupState['lastFailure'] = null
  let lastSuccessTarget: string | null = null
  let attempted = Number.NEGATIVE_INFINITY

  function state(): BackupState {
    const { to, everyHours, keep } = settings.now.backup
    return {
      target: to,
      everyHours,
      keep,
      running: running === null ? null : { ...running },
      lastSuccess,
      lastFailure,
    }
  }

  function taskOf(to: string): BackupTask {
    const { dataDir, backup } = settings.now
    return { dataDir, server, version, to, s3: backup.s3, keep: backup.keep }
  }

  function begin(to: string): void {
    const current = { began: clock.now(), done: 0, total: 0 }
    running = current
    attempted = clock.monotonic()
    work = runInThread(taskOf(to), signal, (done, total) => {
      current.done = done
      current.total = total
    })
      .then((result) => noteSuccess(to, result))
      .catch((error: unknown) => noteFailure(error))
      .finally(() => (running = null))
  }

  function noteSuccess(to: string, result: TaskResult): void {
    const { id, began, ended, files, bytes, storedFiles, storedBytes, missing } = result
    lastSuccess = { id, began, ended, bytes }
    lastFailure = null
    lastSuccessTarget = to
    const { removed, notRemoved } = result
    log('info', 'backup_made', {
      id,
      files,
      bytes,
      storedFiles,
      storedBytes,
      ms: ended - began,
      removed,
    })
    if (notRemoved !== null) log('error', 'old_backups_not_removed', { reason: notRemoved })
    if (missing.length > 0)
      log('error', 'backup_lacks_segments', { id, segments: missing.slice(0, 10) })
  }

  function noteFailure(error: unknown): void {
    if (signal.aborted) return
    const reason = describeFileError(error)
    lastFailure = { time: clock.now(), reason }
    log('error', 'backup_failed', { reason })
  }

  /** Reads the time of the last backup from the target, because a command or an earlier run may have made one. */
  async function readLastBackup(to: string): Promise<void> {
    if (lastSuccessTarget !== to) lastSuccess = null
    const target = openTarget(to, settings.now.backup.s3, clock)
    try {
      const newest = await findNewest(target, server, signal)
      if (newest !== null) {
        const { id, began, ended } = newest
        lastSuccess = { id, began, ended, bytes: bytesOf(newest) }
        if (lastFailure !== null && lastFailure.time <= began) lastFailure = null
      }
      lastSuccessTarget = to
    } finally {
      await target.close()
    }
  }

  function isDue(): boolean {
    const everyMs = settings.now.backup.everyHours * hourMs
    // After a failure, retry in an hour.
    if (clock.monotonic() - attempted < Math.min(everyMs, hourMs)) return false
    return lastSuccess === null || clock.now() - lastSuccess.began >= everyMs
  }

  async function check(): Promise<void> {
    const { to } = settings.now.backup
    if (to === null || running !== null || checking || signal.aborted) return
    checking = true
    try {
      if (lastSuccessTarget === to && !isDue()) return
      await readLastBackup(to)
      if (isDue() && !signal.aborted) begin(to)
    } catch (error) {
      attempted = clock.monotonic()
      noteFailure(error)
    } finally {
      checking = false
    }
  }

  const checkUnlessPaused = (): void => {
    const { everyHours } = settings.now.backup
    const isPaused =
      lastSuccessTarget === null &&
      clock.monotonic() - attempted < Math.min(everyHours * hourMs, hourMs)
    if (!isPaused) void check()
  }
  const stopFirst = clock.after(startMs, checkUnlessPaused)
  const stopClock = clock.every(checkPeriodMs, checkUnlessPaused)

  return {
    state,
    begin() {
      const { to } = settings.now.backup
      if (to === null) throw notConfigured()
      if (running !== null) throw new Fault('conflict', { detail: 'a backup is already running' })
      if (signal.aborted) throw new Fault('shutting_down')
      begin(to)
      return state()
    },
    async list(caller) {
      const { to, s3 } = settings.now.backup
      if (to === null) throw notConfigured()
      const target = openTarget(to, s3, clock)
      try {
        return await listBackups(target, AbortSignal.any([signal, caller]))
      } catch (error) {
        if (caller.aborted || signal.aborted) throw error
        throw new Fault('command_failed', {
          detail: describeFileError(error),
          cause: error,
        })
      } finally {
        await target.close()
      }
    },
    async stop() {
      stopFirst()
      stopClock()
      stopping.abort(new Error('the server stops'))
      await work
    },
  }
}

function notConfigured(): Fault {
  return new Fault('absent', { detail: 'no target of backups: set backup.to' })
}

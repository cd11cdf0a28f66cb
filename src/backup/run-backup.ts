// Runs one backup that an operator requested or scheduled: opens the target, makes the backup, removes old ones. Runs in a command,
// or in a thread of the server.
// Tested by src/backup/make-backup.test.ts
import { resolve, sep } from 'node:path'
import { describeFileError } from '../base/describe-errno.ts'
import type { Clock } from '../base/clock.ts'
import { removeOldBackups } from './list-backups.ts'
import { type BackupOrder, type BackupResult, type OnProgress, makeBackup } from './make-backup.ts'
import { type S3Access, openTarget } from './open-target.ts'

export type BackupTask = BackupOrder & {
  /** A folder, or `s3://<bucket>/<prefix>`. */
  readonly to: string
  readonly s3: S3Access
  /** Number of newest backups to retain; null: all. */
  readonly keep: number | null
}

export type TaskResult = BackupResult & {
  /** Number of old backups that were removed. */
  readonly removed: number
  /** Why old backups were not removed; null: they were removed. The new backup is complete in any case. */
  readonly notRemoved: string | null
}

/** Throws a sentence for the operator, or `signal.reason`. */
export async function runBackup(
  task: BackupTask,
  parts: { readonly clock: Clock; readonly signal: AbortSignal; readonly onProgress?: OnProgress },
): Promise<TaskResult> {
  const { to, s3, keep, dataDir } = task
  refuseInside(to, dataDir)
  const target = openTarget(to, s3, parts.clock)
  try {
    const result = await makeBackup(task, target, parts)
    const removal = keep === null ? nothing : await remove()
    return { ...result, ...removal }
  } finally {
    await target.close()
  }

  async function remove(): Promise<typeof nothing> {
    try {
      return { removed: await removeOldBackups(target, keep ?? 0, parts.signal), notRemoved: null }
    } catch (error) {
      return { removed: 0, notRemoved: describeFileError(error) }
    }
  }
}

const nothing: Pick<TaskResult, 'removed' | 'notRemoved'> = { removed: 0, notRemoved: null }

/** Refuses a target in the data folder, because it would be lost together with the folder. */
function refuseInside(to: string, dataDir: string): void {
  if (to.startsWith('s3:')) return
  const inside = `${resolve(to)}${sep}`.startsWith(`${resolve(dataDir)}${sep}`)
  if (inside)
    throw new Error(`${to} is in the data folder ${dataDir}: choose a folder outside of it`)
}

// State of the backups of a running server, for admin operations.
// Tested by test/backup/backup-server.test.ts
import { z } from 'zod'

export const backupState = z.object({
  /** Folder or `s3://<bucket>/<prefix>`; null: no backups are configured. */
  target: z.string().nullable(),
  everyHours: z.int(),
  /** Number of backups to retain. */
  keep: z.int(),
  /** `done` of `total` bytes; `total` 0: the files are being read. Times: milliseconds since 1970 UTC. */
  running: z.object({ began: z.int(), done: z.int(), total: z.int() }).nullable(),
  /** Null: the target contains no backup, or has not been read yet. */
  lastSuccess: z
    .object({ id: z.string(), began: z.int(), ended: z.int(), bytes: z.int() })
    .nullable(),
  /** Last failure after the last success; null: none. */
  lastFailure: z.object({ time: z.int(), reason: z.string() }).nullable(),
})
export type BackupState = z.output<typeof backupState>

export const backupSummary = z.object({
  id: z.string(),
  began: z.int(),
  ended: z.int(),
  /** Version of Cairn that wrote the backup. */
  cairn: z.string(),
  files: z.int(),
  bytes: z.int(),
  /** Number of segments that the data folder lacked. */
  missing: z.int(),
})

export interface BackupsView {
  state(): BackupState
  /** Starts a backup. Throws `absent` without a target, `conflict` while one runs. */
  begin(): BackupState
  /** Oldest first. Throws `absent` without a target, `command_failed` if the target does not respond. */
  list(signal: AbortSignal): Promise<readonly z.output<typeof backupSummary>[]>
}

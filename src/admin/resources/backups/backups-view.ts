// State of the backups of a running server, for admin operations.
// Tested by test/backup/backup-server.test.ts
import { z } from 'zod'

export const backupState = z.object({
  /** Folder or `s3://<bucket>/<prefix>`; null: no backups are configured. */
  target: z.string().nullable(),
  everyHours: z.int(),
  /** Backups that stay. */
  keep: z.int(),
  /** `done` of `total` bytes; `total` 0: the files are being read. Times: milliseconds since 1970 UTC. */
  running: z.object({ began: z.int(), done: z.int(), total: z.int() }).nullable(),
  /** Null: the target contains no backup, or was not read yet. */
  lastSuccess: z
    .object({ id: z.string(), began: z.int(), ended: z.int(), bytes: z.int() })
    .nullable(),
  /** Since the last success; null: none. */
  lastFailure: z.object({ time: z.int(), reason: z.string() }).nullable(),
})
export type BackupState = z.output<typeof backupState>

export const backupSummary = z.object({
  id: z.string(),
  began: z.int(),
  ended: z.int(),
  /** Version of Cairn. */
  cairn: z.string(),
  files: z.int(),
  bytes: z.int(),
  /** Segments that the data folder did not contain. */
  missing: z.int(),
})

export interface BackupsView {
  state(): BackupState
  /** Begins a backup. Throws `absent` without a target, `conflict` while one runs. */
  begin(): BackupState
  /** The oldest first. Throws `absent` without a target, `command_failed` if it does not reply. */
  list(signal: AbortSignal): Promise<readonly z.output<typeof backupSummary>[]>
}

// Backups of the server.
// Tested by test/backup/backup-server.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { beginBackup } from './begin-backup.ts'
import { getBackupState } from './get-backup-state.ts'
import { listBackups } from './list-backups.ts'

export const backupOperations = [
  listBackups,
  getBackupState,
  beginBackup,
] as const satisfies readonly AdminOperation[]

// `POST /backups`: starts a backup to the configured target.
// Tested by test/backup/backup-server.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { noServer } from '../server/get-status.ts'
import { backupState } from './backups-view.ts'

const input = z.strictObject({})

export const beginBackup = {
  id: 'beginBackup',
  method: 'POST',
  path: '/backups',
  role: 'operator',
  summary: 'Begin a backup to the configured target. `GET /backups/state` shows when it has ended.',
  input,
  output: backupState,
  run(_input, { backups }) {
    if (backups === null) throw noServer()
    return backups.begin()
  },
} satisfies JsonOperation<typeof input, typeof backupState>

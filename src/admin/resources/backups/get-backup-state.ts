// `GET /backups/state`: schedule, running backup, last success and last failure, from memory.
// Tested by test/backup/backup-server.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { noServer } from '../server/get-status.ts'
import { backupState } from './backups-view.ts'

const input = z.strictObject({})

export const getBackupState = {
  id: 'getBackupState',
  method: 'GET',
  path: '/backups/state',
  role: 'operator',
  summary: 'The schedule of backups, the running one, and the last success and failure.',
  input,
  output: backupState,
  run(_input, { backups }) {
    if (backups === null) throw noServer()
    return backups.state()
  },
} satisfies JsonOperation<typeof input, typeof backupState>

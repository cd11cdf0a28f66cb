// `GET /backups`: the backups of the configured target.
// Tested by test/backup/backup-server.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { noServer } from '../server/get-status.ts'
import { backupSummary } from './backups-view.ts'

const input = z.strictObject({})
const output = z.object({
  /** Oldest first. */
  backups: z.array(backupSummary),
})

export const listBackups = {
  id: 'listBackups',
  method: 'GET',
  path: '/backups',
  role: 'operator',
  summary: 'The backups of the configured target, read from there.',
  input,
  output,
  async run(_input, { backups, signal }) {
    if (backups === null) throw noServer()
    return { backups: [...(await backups.list(signal))] }
  },
} satisfies JsonOperation<typeof input, typeof output>

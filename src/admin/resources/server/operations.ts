// State of the server and its upstreams.
// Tested by test/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { getStatus } from './get-status.ts'
import { listUpstreams } from './list-upstreams.ts'

export const serverOperations = [
  getStatus,
  listUpstreams,
] as const satisfies readonly AdminOperation[]

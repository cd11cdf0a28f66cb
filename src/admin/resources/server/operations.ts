// State of the server and its upstreams, and recent errors.
// Tested by test/admin/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { getIpfsNetwork } from './get-ipfs-network.ts'
import { getStatus } from './get-status.ts'
import { listErrors } from './list-errors.ts'
import { listInvalidReplies } from './list-invalid-replies.ts'
import { listUpstreams } from './list-upstreams.ts'

export const serverOperations = [
  getStatus,
  getIpfsNetwork,
  listUpstreams,
  listInvalidReplies,
  listErrors,
] as const satisfies readonly AdminOperation[]

// Requests that the inspector recorded for a key.
// Tested by test/admin/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { findRequests } from './find-requests.ts'
import { listRequests } from './list-requests.ts'
import { watchRequests } from './watch-requests.ts'
import { getRequest } from './get-request.ts'
import { clearRequests } from './clear-requests.ts'
import { replayRequest } from './replay-request.ts'

export const requestOperations = [
  findRequests,
  listRequests,
  watchRequests,
  getRequest,
  clearRequests,
  replayRequest,
] as const satisfies readonly AdminOperation[]

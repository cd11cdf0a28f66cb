// Requests to pin content.
// Tested by test/admin/admin-pin-requests.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { listPinRequests } from './list-pin-requests.ts'
import { removePinRequest } from './remove-pin-request.ts'

export const pinRequestOperations = [
  listPinRequests,
  removePinRequest,
] as const satisfies readonly AdminOperation[]

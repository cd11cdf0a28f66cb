// Content that operators deny to clients of the gateway.
// Tested by test/files/deny.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { addDenial } from './add-denial.ts'
import { checkDenial } from './check-denial.ts'
import { listDenials } from './list-denials.ts'
import { removeDenial } from './remove-denial.ts'

export const denialOperations = [
  listDenials,
  addDenial,
  removeDenial,
  checkDenial,
] as const satisfies readonly AdminOperation[]

// Pins of an account, and storage of all accounts.
// Tested by test/admin/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { getFile } from './get-file.ts'
import { listFiles } from './list-files.ts'
import { announcePin } from './announce-pin.ts'
import { changePin } from './change-pin.ts'
import { checkPin } from './check-pin.ts'
import { listStorage } from './list-storage.ts'

export const fileOperations = [
  listFiles,
  getFile,
  changePin,
  checkPin,
  announcePin,
  listStorage,
] as const satisfies readonly AdminOperation[]

// Settings of the server, read only, and the test of its mail.
// Tested by test/admin/server-settings.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { getServerSettings } from './get-server-settings.ts'
import { sendTestMail } from './send-test-mail.ts'

export const serverSettingsOperations = [
  getServerSettings,
  sendTestMail,
] as const satisfies readonly AdminOperation[]

// Settings of the server, read-only, and a test mail.
// Tested by test/admin/server-settings.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { getServerSettings } from './get-server-settings.ts'
import { sendTestMail } from './send-test-mail.ts'

export const serverSettingsOperations = [
  getServerSettings,
  sendTestMail,
] as const satisfies readonly AdminOperation[]

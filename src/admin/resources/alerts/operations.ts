// Alerts of an account.
// Tested by test/admin/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { getAlerts } from './get-alerts.ts'
import { changeAlerts } from './change-alerts.ts'
import { sendTestAlert } from './send-test-alert.ts'

export const alertOperations = [
  getAlerts,
  changeAlerts,
  sendTestAlert,
] as const satisfies readonly AdminOperation[]

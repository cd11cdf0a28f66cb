// `GET /accounts/{account}/alerts`: recipients of alerts, and the rules on errors and latency.
// Tested by test/admin/admin-alerts.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { alertsOutput, shownAlerts } from './alerts-schema.ts'
import { accountId } from '../accounts/account-schema.ts'

const input = z.strictObject({ account: accountId })

export const getAlerts = {
  id: 'getAlerts',
  method: 'GET',
  path: '/accounts/{account}/alerts',
  role: 'owner',
  summary:
    'Recipients of alerts on limits, and the rules on errors and latency with their incidents.',
  input,
  output: alertsOutput,
  run: async ({ account }, { alerts }) => await shownAlerts(alerts, account),
} satisfies JsonOperation<typeof input, typeof alertsOutput>

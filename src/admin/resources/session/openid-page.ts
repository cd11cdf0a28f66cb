// The dashboard page that starts a sign-in at the OpenID provider; the provider redirects back to it.
// Tested by test/admin/openid.test.ts
import { Fault } from '../../../base/fault.ts'
import type { AdminCall } from '../../admin-operation.ts'

/** Origin of the page. Throws `not_allowed` if the request is not from the dashboard. */
export function openIdPage({ origin: { page } }: Pick<AdminCall, 'origin'>): string {
  if (page !== null) return page
  throw new Fault('not_allowed', { detail: 'OpenID takes a browser: open the dashboard' })
}

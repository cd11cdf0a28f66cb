// The dashboard page that begins a sign-in at the OpenID provider, which redirects there.
// Tested by test/admin/openid.test.ts
import { Fault } from '../../../base/fault.ts'
import type { AdminCall } from '../../admin-operation.ts'

/** Its origin. Throws `not_allowed` if the request is not from the dashboard. */
export function openIdPage({ origin: { page } }: Pick<AdminCall, 'origin'>): string {
  if (page !== null) return page
  throw new Fault('not_allowed', { detail: 'OpenID takes a browser: open the dashboard' })
}

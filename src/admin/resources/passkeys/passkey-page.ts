// Checks the host of a page that uses passkeys: a passkey belongs to a host name, and browsers offer none at an IP address.
// Tested by test/admin/passkeys.test.ts
import { isIP } from 'node:net'
import type { PasskeyPage } from '../../../access/people/passkey-responses.ts'
import { Fault } from '../../../base/fault.ts'
import type { AdminCall } from '../../admin-operation.ts'

/** Throws `wrong_host` at an IP address, with the name to use; `not_allowed` if the request is not from the dashboard. */
export function passkeyPage({ origin: { page } }: Pick<AdminCall, 'origin'>): PasskeyPage {
  if (page === null) {
    throw new Fault('not_allowed', { detail: 'a passkey takes a browser: open the dashboard' })
  }
  const { hostname, port, protocol } = new URL(page)
  if (isIP(hostname) === 0 && !hostname.startsWith('[')) return { origin: page, rpId: hostname }
  const named = `${protocol}//localhost${port === '' ? '' : `:${port}`}`
  throw new Fault('wrong_host', {
    detail: `a passkey belongs to a name, and ${hostname} is an address: open the dashboard as ${named} on this machine, or by a name in the setting admin.hosts`,
    data: { setting: 'admin.hosts', host: hostname },
  })
}

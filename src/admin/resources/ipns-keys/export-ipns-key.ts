// `POST /accounts/{account}/ipns-keys/{name}/export`: returns the private key of an IPNS name, for another server. The audit log
// records only the key's name.
// Tested by test/admin/ipns-keys.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'
import { exportedIpnsKey } from './ipns-keys-view.ts'

const input = z.strictObject({ account: accountId, name: z.string().min(1).max(128) })

export const exportIpnsKey = {
  id: 'exportIpnsKey',
  method: 'POST',
  path: '/accounts/{account}/ipns-keys/{name}/export',
  role: 'operator',
  summary: 'Export the private key of an IPNS name.',
  confirmed: true,
  input,
  output: exportedIpnsKey,
  audit: ({ account, name }) => ({ accountId: account, target: name }),
  async run({ account, name }, { ipnsKeys }) {
    if (ipnsKeys === null) throw new Fault('absent', { detail: 'no server runs' })
    return await ipnsKeys.export(account, name)
  },
} satisfies JsonOperation<typeof input, typeof exportedIpnsKey>

// `GET /accounts/{account}/keys`: the API keys of an account, including revoked ones.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'
import { keyListInput, keyListOutput, listKeyPage } from './key-list.ts'

const input = z.strictObject({ account: accountId, ...keyListInput })
const output = z.object(keyListOutput)

export const listKeys = {
  id: 'listKeys',
  method: 'GET',
  path: '/accounts/{account}/keys',
  role: 'member',
  summary: 'The API keys of an account, the oldest first: all, those found, or a page.',
  input,
  output,
  run: ({ account, ...query }, context) => listKeyPage([account], query, context),
} satisfies JsonOperation<typeof input, typeof output>

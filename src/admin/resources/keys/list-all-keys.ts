// `GET /keys`: the API keys of all accounts of the caller; for an operator, of every account.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import { readableAccounts } from '../../principal.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { keyListInput, keyListOutput, listKeyPage } from './key-list.ts'

const input = z.strictObject(keyListInput)
const output = z.object(keyListOutput)

export const listAllKeys = {
  id: 'listAllKeys',
  method: 'GET',
  path: '/keys',
  role: 'signed-in',
  summary:
    'The API keys of all accounts that you belong to; of every account for an operator: all, those found, or a page.',
  input,
  output,
  run: (query, { actor, ...context }) => listKeyPage(readableAccounts(actor), query, context),
} satisfies JsonOperation<typeof input, typeof output>

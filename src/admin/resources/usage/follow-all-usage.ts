// `GET /usage/live`: live usage of all accounts, one event per second.
// Tested by test/admin/admin-usage.test.ts
import { z } from 'zod'
import type { EventsOperation } from '../../admin-operation.ts'
import { Fault } from '../../../base/fault.ts'
import { second } from './usage-schema.ts'

const input = z.strictObject({})
const output = second

export const followAllUsage = {
  id: 'followAllUsage',
  method: 'GET',
  path: '/usage/live',
  role: 'operator',
  summary: 'Live usage of all accounts, per second; no event for seconds without a call.',
  form: 'events',
  input,
  output,
  run(_input, { usage, signal }) {
    if (usage.follow === null) throw new Fault('no_upstream', { detail: 'no server runs here' })
    return usage.follow({ all: true }, signal)
  },
} satisfies EventsOperation<typeof input, typeof output>

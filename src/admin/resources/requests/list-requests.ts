// `GET .../requests`: the last requests of a key with the inspector enabled.
// Tested by test/admin/inspector.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import {
  filterInput,
  filterOf,
  inspectedRow,
  inspectingOf,
  withoutUpstreams,
} from './inspected-schema.ts'
import { keyPath } from '../keys/key-schema.ts'

const input = z.strictObject({
  ...keyPath,
  ...filterInput,
  /** Only requests with a larger ID. */
  after: z.coerce.number<number>().int().min(0).optional(),
  limit: z.coerce.number<number>().int().min(1).max(200).default(200),
})
const output = z.object({
  /** The inspector settings of the key. */
  inspect: z.boolean(),
  inspectBodies: z.boolean(),
  inspectAddresses: z.boolean(),
  /** Newest first. */
  requests: z.array(inspectedRow).readonly(),
})

export const listRequests = {
  id: 'listRequests',
  method: 'GET',
  path: '/accounts/{account}/keys/{key}/requests',
  role: 'member',
  summary: 'The last requests of a key that is inspected, the newest first.',
  input,
  output,
  async run(query, call) {
    const { inspector, caller } = await inspectingOf(call, query)
    const filter = { ...filterOf(query), after: query.after }
    const found = await inspector.list(caller.keyId, filter, query.limit)
    const requests = found.map((request) => withoutUpstreams(request, call))
    const { inspect, inspectBodies, inspectAddresses } = caller.settings
    return { inspect, inspectBodies, inspectAddresses, requests }
  },
} satisfies JsonOperation<typeof input, typeof output>

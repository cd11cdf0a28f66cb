// `GET .../requests/{request}`: one request with its calls and its timeline.
// Tested by test/admin/inspector.test.ts
import { z } from 'zod'
import { isOperator } from '../../principal.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import {
  inspectedWhole,
  inspectingOf,
  ofRequest,
  requestOf,
  withoutUpstreams,
} from './inspected-schema.ts'

const input = z.strictObject(ofRequest)
const output = inspectedWhole.extend({
  /** Upstreams that can be queried in a replay. */
  networkUpstreams: z.array(z.string()).readonly(),
})

export const getRequest = {
  id: 'getRequest',
  method: 'GET',
  path: '/accounts/{account}/keys/{key}/requests/{request}',
  role: 'member',
  summary: 'One request of a key that is inspected, with its calls and its time line.',
  input,
  output,
  async run(query, call) {
    const inspecting = await inspectingOf(call, query)
    const request = await requestOf(inspecting, query.request)
    const network = inspecting.networks().find(({ name }) => name === request.network)
    const mayAsk = call.actor !== null && isOperator(call.actor)
    const networkUpstreams = mayAsk ? (network?.relay?.upstreams() ?? []) : []
    return { ...withoutUpstreams(request, call), networkUpstreams }
  },
} satisfies JsonOperation<typeof input, typeof output>

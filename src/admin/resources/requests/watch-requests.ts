// `GET .../requests/live`: the requests of an inspected key, as they complete.
// Tested by test/admin/inspector.test.ts
import { z } from 'zod'
import { createBoundedQueue } from '../../../base/bounded-queue.ts'
import { matches } from '../../../pipeline/inspector/inspector.ts'
import type { EventsOperation } from '../../admin-operation.ts'
import {
  filterInput,
  filterOf,
  inspectedRow,
  inspectingOf,
  withoutUpstreams,
} from './inspected-schema.ts'
import { keyPath } from '../keys/key-schema.ts'

const input = z.strictObject({ ...keyPath, ...filterInput })
/** Maximum number of unread events; beyond it the oldest are dropped. */
const queuedMax = 200

export const watchRequests = {
  id: 'watchRequests',
  form: 'events',
  method: 'GET',
  path: '/accounts/{account}/keys/{key}/requests/live',
  role: 'member',
  summary: 'Requests of a key that is inspected, as they end.',
  input,
  output: inspectedRow,
  async run(query, call) {
    const { inspector, caller } = await inspectingOf(call, query)
    const filter = filterOf(query)
    const feed = createBoundedQueue<z.output<typeof inspectedRow>>(queuedMax, call.signal)
    const stopListening = inspector.listen(caller.keyId, (request) => {
      if (matches(request, filter)) feed.push(inspectedRow.parse(withoutUpstreams(request, call)))
    })
    return feed.read(stopListening)
  },
} satisfies EventsOperation<typeof input, typeof inspectedRow>

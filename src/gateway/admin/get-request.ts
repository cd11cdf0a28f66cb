// `GET .../requests/{request}`: one of them with its calls and its time line.
// Tested by test/inspector.test.ts
import { z } from 'zod'
import type { JsonOperation } from './admin-operation.ts'
import { inspectedWhole, inspectingOf, ofRequest, requestOf } from './inspected-schema.ts'

const input = z.strictObject(ofRequest)

export const getRequest: JsonOperation<z.output<typeof input>, z.output<typeof inspectedWhole>> = {
  id: 'getRequest',
  method: 'GET',
  path: '/accounts/{account}/keys/{key}/requests/{request}',
  role: 'member',
  summary: 'One request of a key that is inspected, with its calls and its time line.',
  input,
  output: inspectedWhole,
  run: (asked, call) => requestOf(inspectingOf(call, asked), asked.request),
}

// debug_traceCall: runs a request as eth_call does and returns its trace.
// Tested by src/devchain/engine/trace.test.ts
import type { TracerChoice } from '../chain/computation.ts'
import { checkedGas, prepareCall } from './prepared-call.ts'
import type { CallParts } from './call-parts.ts'
import type { CallTask } from './prepared-call.ts'
import { createTracer } from './trace/create-tracer.ts'
import type { TimeSlice } from './time-slice.ts'

/** Returns a JSON value. Throws as `call` before the request runs; the trace includes a failure of the run. */
export async function traceCall(
  parts: CallParts,
  task: CallTask & { readonly tracer: TracerChoice },
  slice: TimeSlice,
): Promise<unknown> {
  const prepared = await prepareCall(parts, task, slice)
  const tracer = createTracer(task.tracer, prepared.machine)
  await tracer.begin(prepared)
  let trace: unknown = null
  await prepared.run(checkedGas(parts, prepared), async (result) => {
    trace = await tracer.end(result, prepared)
  })
  return trace
}

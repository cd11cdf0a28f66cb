// debug_traceCall: runs a request as eth_call does, and says how.
// Tested by src/ethereum/embedded/vm/trace.test.ts
import type { TracerChoice } from '../../computation.ts'
import { checkedGas, openSimulation } from './call.ts'
import type { CallParts, CallTask } from './call.ts'
import { createTracer } from './trace/create-tracer.ts'
import type { Turn } from './turn.ts'

/** A JSON value. Throws as `call` before the request runs; a failure of the run is part of the trace. */
export async function traceCall(
  parts: CallParts,
  task: CallTask & { readonly tracer: TracerChoice },
  turn: Turn,
): Promise<unknown> {
  const simulation = await openSimulation(parts, task, turn)
  const tracer = createTracer(task.tracer, simulation.machine)
  await tracer.begin(simulation)
  const result = await simulation.run(checkedGas(parts, simulation))
  return await tracer.end(result, simulation)
}

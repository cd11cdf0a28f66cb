// eth_call: runs a request on the state of any kept block and takes everything back.
// Tested by src/devchain/vm/engine.test.ts
import type { TimeSlice } from './time-slice.ts'
import type { CallParts } from './open-state.ts'
import { checkedGas, failureOf, prepareCall } from './prepared-call.ts'
import type { CallTask } from './prepared-call.ts'

/** Return data. Throws `reverted`, `execution_failed`, or `no_state` when the block's state is not kept. */
export async function call(parts: CallParts, task: CallTask, turn: TimeSlice): Promise<Uint8Array> {
  const prepared = await prepareCall(parts, task, turn)
  const { execResult } = await prepared.run(checkedGas(parts, prepared))
  const failure = failureOf(execResult)
  if (failure !== null) throw failure
  return execResult.returnValue
}

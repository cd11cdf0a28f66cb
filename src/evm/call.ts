// eth_call: runs a request on the state of any stored block and reverts all its changes.
// Tested by src/devchain/engine/engine.test.ts
import type { TimeSlice } from './time-slice.ts'
import type { CallParts } from './call-parts.ts'
import { checkedGas, failureOf, prepareCall } from './prepared-call.ts'
import type { CallTask } from './prepared-call.ts'

/** Returns the return data. Throws `reverted`, `execution_failed`, or `no_state` if the block's state is not stored. */
export async function call(
  parts: CallParts,
  task: CallTask,
  slice: TimeSlice,
): Promise<Uint8Array> {
  const prepared = await prepareCall(parts, task, slice)
  const { execResult } = await prepared.run(checkedGas(parts, prepared))
  const failure = failureOf(execResult)
  if (failure !== null) throw failure
  return execResult.returnValue
}

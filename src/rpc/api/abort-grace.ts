// How long an answer is waited for once its request was given up.
// Tested by src/rpc/api/rpc-api.test.ts
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { RpcAnswer } from '../rpc-pipeline.ts'
import { rollbackAll } from '../revocable.ts'

/** Operations that stop on the signal give their own answers; the others are left behind after this. */
const graceMs = 1_000

/** `work`, or the signal's reason when `work` has not settled soon after the signal aborted. */
export function within<T>(work: Promise<T>, signal: AbortSignal, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    function leave(): void {
      clock.after(graceMs, () => reject(Fault.from(signal.reason)))
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    work.then(
      (result) => {
        signal.removeEventListener('abort', leave)
        resolve(result)
      },
      (thrown: unknown) => {
        signal.removeEventListener('abort', leave)
        reject(thrown as Error)
      },
    )
  })
}

/** As `within`. An answer that comes too late counts as not given. */
export async function answerWithin(
  work: Promise<RpcAnswer>,
  signal: AbortSignal,
  clock: Clock,
): Promise<RpcAnswer> {
  try {
    return await within(work, signal, clock)
  } catch (thrown) {
    work.then(
      ({ outcomes }) => rollbackAll(outcomes),
      () => {},
    )
    throw thrown
  }
}

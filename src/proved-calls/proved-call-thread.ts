// The thread of proved calls, one for all networks of the process. It starts at the first call.
// Tested by test/calls/proved-calls.test.ts
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import type { CallOwner } from '../chain/computation.ts'
import { type CallEntry, createCallLane, moduleBeside } from '../evm/threads/call-lane.ts'
import { packFailure, reasonOf } from '../evm/threads/packed-failure.ts'
import { defaultTimeSliceLimits, type TimeSliceLimits } from '../evm/time-slice.ts'
import type { ProvedExecution, ProvedResults } from './proved-execution.ts'
import { defaultReadLimits, type ReadLimits } from './proved-state.ts'
import type { Given, Need, ProvedTask, ProvedThreadData } from './proved-task.ts'

export type ProvedCallThread = {
  /** `answer` gets the values that the thread lacks; it is asked for one at a time. */
  run<Asked extends ProvedExecution>(
    task: Omit<ProvedTask, 'asked' | 'accountId'> & { readonly asked: Asked },
    owner: CallOwner,
    answer: (need: Need) => Promise<Given>,
    signal: AbortSignal,
  ): Promise<ProvedResults[Asked['kind']]>
  close(): Promise<void>
}

/** Calls under way mostly wait for state. */
const queueLimits = {
  waitingPerAccountMax: 512,
  waitingMax: 2048,
  begunPerAccountMax: 8,
  begunMax: 256,
}

export function createProvedCallThread(options: {
  readonly clock: Clock
  readonly log: Log
  /** Default: those of time-slice.ts and proved-state.ts. */
  readonly limits?: TimeSliceLimits
  readonly reads?: ReadLimits
}): ProvedCallThread {
  const { clock, log, limits = defaultTimeSliceLimits, reads = defaultReadLimits } = options
  const answers = new Map<number, (need: Need) => Promise<Given>>()
  const lane = createCallLane<ProvedTask>({
    worker: {
      url: moduleBeside(import.meta.url, 'proved-call-worker'),
      data: { limits, reads } satisfies ProvedThreadData,
    },
    network: null,
    limits,
    queueLimits,
    clock,
    log,
    onLong: (entry) => entry.reject(new Fault('internal')),
    onReplaced: () => {},
    onNeed({ id }, need, give) {
      const answer = answers.get(id)
      if (answer === undefined) return
      answer(need as Need).then(give, (error: unknown) =>
        give({ found: [], failure: packFailure(error) } satisfies Given),
      )
    },
  })
  let nextId = 1

  async function run(
    task: Omit<ProvedTask, 'accountId'>,
    { accountId, keyId }: CallOwner,
    answer: (need: Need) => Promise<Given>,
    signal: AbortSignal,
  ): Promise<unknown> {
    if (signal.aborted) throw reasonOf(signal)
    const id = nextId++
    answers.set(id, answer)
    let leave = () => {}
    try {
      return await new Promise((resolve, reject) => {
        const entry: CallEntry<ProvedTask> = {
          id,
          accountId,
          keyId,
          task: { ...task, accountId },
          resolve,
          reject,
        }
        lane.add(entry)
        leave = () => {
          lane.leave(entry)
          reject(reasonOf(signal))
        }
        signal.addEventListener('abort', leave, { once: true })
      })
    } catch (thrown) {
      throw asUnprovable(thrown)
    } finally {
      answers.delete(id)
      signal.removeEventListener('abort', leave)
    }
  }

  return {
    // The thread answers each task with the result of its kind (proved-execution.ts).
    run: run as ProvedCallThread['run'],
    close: () => lane.close(),
  }
}

/** What takes this process too long, or is longer than it may be here, a node may still answer. */
function asUnprovable(thrown: unknown): unknown {
  if (!(thrown instanceof Fault)) return thrown
  const isTooLong =
    thrown.code === 'response_too_large' ||
    (thrown.code === 'execution_failed' && thrown.message.startsWith('execution aborted'))
  return isTooLong ? new Fault('unprovable', { detail: thrown.message, cause: thrown }) : thrown
}

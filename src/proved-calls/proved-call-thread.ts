// The worker thread that runs proved calls, one for all networks of the process. It starts with the first call.
// Tested by test/calls/proved-calls.test.ts
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import type { CallOwner } from '../chain/computation.ts'
import { type CallEntry, createCallLane, siblingModule } from '../evm/threads/call-lane.ts'
import { packFailure, reasonOf } from '../evm/threads/packed-failure.ts'
import { defaultTimeSliceLimits, type TimeSliceLimits } from '../evm/time-slice.ts'
import type { ProvedExecution, ProvedResults } from './proved-execution.ts'
import { defaultReadLimits, type ReadLimits } from './proved-state.ts'
import type { ValueReply, ValueRequest, ProvedTask, ProvedThreadData } from './proved-task.ts'

export type ProvedCallThread = {
  /** `resolveValue` supplies the values that the thread lacks; it is called for one request at a time. */
  run<Execution extends ProvedExecution>(
    task: Omit<ProvedTask, 'execution' | 'accountId'> & { readonly execution: Execution },
    owner: CallOwner,
    resolveValue: (request: ValueRequest) => Promise<ValueReply>,
    signal: AbortSignal,
  ): Promise<ProvedResults[Execution['kind']]>
  close(): Promise<void>
}

/** Many calls in progress, because most of them wait for state. */
const queueLimits = {
  queuedPerAccountMax: 512,
  queuedMax: 2048,
  activePerAccountMax: 8,
  activeMax: 256,
}

export function createProvedCallThread(options: {
  readonly clock: Clock
  readonly log: Log
  /** Default: those of time-slice.ts and proved-state.ts. */
  readonly limits?: TimeSliceLimits
  readonly reads?: ReadLimits
}): ProvedCallThread {
  const { clock, log, limits = defaultTimeSliceLimits, reads = defaultReadLimits } = options
  const resolvers = new Map<number, (request: ValueRequest) => Promise<ValueReply>>()
  const lane = createCallLane<ProvedTask>({
    worker: {
      url: siblingModule(import.meta.url, 'proved-call-worker'),
      data: { limits, reads } satisfies ProvedThreadData,
    },
    network: null,
    limits,
    queueLimits,
    clock,
    log,
    onLong: (entry) => entry.reject(new Fault('internal')),
    onReplaced: () => {},
    onRequest({ id }, request, reply) {
      const resolveValue = resolvers.get(id)
      if (resolveValue === undefined) return
      resolveValue(request as ValueRequest).then(reply, (error: unknown) =>
        reply({ values: [], failure: packFailure(error) } satisfies ValueReply),
      )
    },
  })
  let nextId = 1

  async function run(
    task: Omit<ProvedTask, 'accountId'>,
    { accountId, keyId }: CallOwner,
    resolveValue: (request: ValueRequest) => Promise<ValueReply>,
    signal: AbortSignal,
  ): Promise<unknown> {
    if (signal.aborted) throw reasonOf(signal)
    const id = nextId++
    resolvers.set(id, resolveValue)
    let cancel = () => {}
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
        cancel = () => {
          lane.cancel(entry)
          reject(reasonOf(signal))
        }
        signal.addEventListener('abort', cancel, { once: true })
      })
    } catch (thrown) {
      throw asUnprovable(thrown)
    } finally {
      resolvers.delete(id)
      signal.removeEventListener('abort', cancel)
    }
  }

  return {
    // The thread answers each task with the result of its kind (proved-execution.ts).
    run: run as ProvedCallThread['run'],
    close: () => lane.close(),
  }
}

/** Converts the errors of calls over Cairn's time and size limits: an upstream may still answer them. */
function asUnprovable(thrown: unknown): unknown {
  if (!(thrown instanceof Fault)) return thrown
  const isTooLong =
    thrown.code === 'response_too_large' ||
    (thrown.code === 'execution_failed' && thrown.message.startsWith('execution aborted'))
  return isTooLong ? new Fault('unprovable', { detail: thrown.message, cause: thrown }) : thrown
}

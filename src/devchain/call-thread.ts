// Calls, estimates and traces of an embedded chain, in two threads. Every call begins in the quick thread; long calls move to
// the slow one, so that short calls wait only for short ones. Each thread starts at its first call.
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { setNewest } from '../base/lru-cache.ts'
import type { Log } from '../base/log.ts'
import type { CallOwner } from '../chain/computation.ts'
import type { RequestedCall, EvmExecutor } from '../chain/evm-executor.ts'
import { type CallEntry, createCallLane, siblingModule } from '../evm/threads/call-lane.ts'
import type { CallThreadData } from './call-worker.ts'
import type { ForkPoint } from './fork/fork-point.ts'
import { answerRead, type ForkRead, type ReadFork } from './fork/fork-reads.ts'
import type { Genesis } from '../evm/genesis.ts'
import { reasonOf } from '../evm/threads/packed-failure.ts'
import type { ReadOnlyExecution, ReadOnlyResults } from './engine/read-only-executions.ts'
import { defaultTimeSliceLimits } from '../evm/time-slice.ts'
import type { MoveLimits, TimeSliceLimits } from '../evm/time-slice.ts'

/** The read-only part of an executor. */
export type CallExecutor = Pick<
  EvmExecutor,
  | 'call'
  | 'estimateGas'
  | 'createAccessList'
  | 'simulate'
  | 'traceCall'
  | 'traceBlock'
  | 'storageRange'
>

export type CallThreadOptions = {
  readonly network: string
  readonly genesis: Genesis
  readonly databasePath: string
  readonly callGasMax: bigint
  /** `load`: fetches and stores content that a thread lacks. Null: the chain has a genesis block of its own. */
  readonly fork: { readonly point: ForkPoint; readonly load: ReadFork } | null
  readonly clock: Clock
  readonly log: Log
  /** Default: `defaultTimeSliceLimits`. */
  readonly limits?: TimeSliceLimits
}

export type CallThread = {
  readonly executor: CallExecutor
  close(): Promise<void>
}

/** A call over one of these limits leaves the quick thread; over `runMs` only while other calls wait. */
const moveLimits: MoveLimits = { stepMs: 100, runMs: 250 }
/** After a call of an account hung, all its calls begin in the slow thread for this time. */
const slowMs = 300_000
const slowAccountsMax = 1024

export function createCallThread(options: CallThreadOptions): CallThread {
  const { network, genesis, databasePath, callGasMax, clock, log } = options
  const limits = options.limits ?? defaultTimeSliceLimits
  const fork = options.fork?.point ?? null
  const data = { network, genesis, databasePath, callGasMax, fork, limits }
  /** By account: the time until which its calls begin in the slow thread. */
  const slowUntil = new Map<string, number>()
  const laneOf = (
    limitsOfLane: MoveLimits | null,
    onLong: (entry: CallEntry<ReadOnlyExecution>) => void,
  ) =>
    createCallLane<ReadOnlyExecution>({
      worker: {
        url: siblingModule(import.meta.url, 'call-worker'),
        data: { ...data, moveLimits: limitsOfLane } satisfies CallThreadData,
      },
      network,
      limits,
      clock,
      log,
      onLong,
      onReplaced: (accountId) =>
        setNewest(slowUntil, accountId, clock.monotonic() + slowMs, slowAccountsMax),
      onRequest(_entry, request, reply) {
        if (options.fork === null) throw new TypeError('a call reads a fork that is none')
        void answerRead(request as ForkRead, options.fork.load).then(reply)
      },
    })
  const slow = laneOf(null, (entry) => entry.reject(new Fault('internal')))
  const quick = laneOf(moveLimits, (entry) => {
    try {
      slow.add(entry)
    } catch (error) {
      entry.reject(error)
    }
  })
  let nextId = 1
  let closed = false

  function isSlow(accountId: string): boolean {
    const until = slowUntil.get(accountId)
    if (until === undefined) return false
    if (clock.monotonic() < until) return true
    slowUntil.delete(accountId)
    return false
  }

  async function run<Task extends ReadOnlyExecution>(
    task: Task,
    { accountId, keyId }: CallOwner,
    signal: AbortSignal,
  ): Promise<ReadOnlyResults[Task['kind']]> {
    if (closed) throw new Fault('shutting_down')
    if (signal.aborted) throw reasonOf(signal)
    const id = nextId++
    let cancel = () => {}
    try {
      return await new Promise<ReadOnlyResults[Task['kind']]>((resolve, reject) => {
        // The thread answers each task with the result of its kind (engine/read-only-executions.ts).
        const answer = resolve as CallEntry<ReadOnlyExecution>['resolve']
        const entry: CallEntry<ReadOnlyExecution> = {
          id,
          accountId,
          keyId,
          task,
          resolve: answer,
          reject,
        }
        const lane = isSlow(accountId) ? slow : quick
        lane.add(entry)
        cancel = () => {
          for (const it of [quick, slow]) it.cancel(entry)
          reject(reasonOf(signal))
        }
        signal.addEventListener('abort', cancel, { once: true })
      })
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  return {
    executor: {
      call: (requested, owner, signal) =>
        run({ kind: 'call', ...taskOf(requested) }, owner, signal),
      estimateGas: (requested, owner, signal) =>
        run({ kind: 'estimate', ...taskOf(requested) }, owner, signal),
      createAccessList: (requested, owner, signal) =>
        run({ kind: 'access-list', ...taskOf(requested) }, owner, signal),
      simulate: ({ block, simulation }, owner, signal) =>
        run({ kind: 'simulate', blockHash: block.hash, simulation }, owner, signal),
      traceCall: (requested, owner, signal) =>
        run({ kind: 'trace-call', tracer: requested.tracer, ...taskOf(requested) }, owner, signal),
      traceBlock: ({ block, index, tracer }, owner, signal) =>
        run(
          { kind: 'trace-block', block: 'hash' in block ? block.hash : block, index, tracer },
          owner,
          signal,
        ),
      storageRange: ({ block, ...requested }, owner, signal) =>
        run({ kind: 'storage-range', blockHash: block.hash, ...requested }, owner, signal),
    },
    async close() {
      closed = true
      await Promise.all([quick.close(), slow.close()])
    },
  }
}

function taskOf({ request, block, overrides }: RequestedCall) {
  return { request, blockHash: block.hash, overrides }
}

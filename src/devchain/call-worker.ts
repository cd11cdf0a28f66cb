// Entry point of a call thread of an embedded chain. It reads through its own database connection and never writes.
// Tested by src/devchain/call-thread.test.ts
import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { systemClock } from '../base/clock.ts'
import { createSqliteStore } from '../content/sqlite-store.ts'
import { verifiedFinds } from '../content/verified-finds.ts'
import { openDatabase } from '../db/sqlite.ts'
import type { Writer } from '../db/writer.ts'
import { openChainIndex } from './chain-index.ts'
import type { ForkPoint } from './fork/fork-point.ts'
import { type ForkRead, type ForkReadResult, resultOf } from './fork/fork-reads.ts'
import type { Genesis } from '../evm/genesis.ts'
import { serveTasks, type TaskContext } from '../evm/threads/serve-tasks.ts'
import { createCalls } from './engine/read-only-executions.ts'
import type { ReadOnlyExecution } from './engine/read-only-executions.ts'
import { type MoveLimits, type TimeSliceLimits, TimeSlices } from '../evm/time-slice.ts'

/** `workerData` of a call thread of an embedded chain. */
export type CallThreadData = {
  readonly network: string
  readonly genesis: Genesis
  readonly databasePath: string
  readonly callGasMax: bigint
  /** Null: the chain has a genesis block of its own. */
  readonly fork: ForkPoint | null
  readonly limits: TimeSliceLimits
  /** Null: the thread for long tasks. */
  readonly moveLimits: MoveLimits | null
}

const noWriter: Writer = {
  write: () => Promise.reject(new Error('the call thread never writes')),
  close: () => Promise.resolve(),
}

function serve(data: CallThreadData, parent: MessagePort): void {
  const { network, genesis, databasePath, callGasMax, limits, moveLimits, fork } = data
  const db = openDatabase(databasePath, { readOnly: true })
  const calculate = createCalls({
    genesis,
    store: verifiedFinds(createSqliteStore({ db, writer: noWriter })),
    index: openChainIndex(db, network),
    callGasMax,
  })
  serveTasks<ReadOnlyExecution>({
    parent,
    slices: new TimeSlices(systemClock, limits, moveLimits),
    work: (task, context) =>
      calculate(
        task,
        context.slice,
        fork === null ? null : { point: fork, read: (read) => readFork(context, read) },
      ),
    end: () => db.close(),
  })
}

/** Other tasks run while the read waits. */
async function readFork(
  { slice, requestValue }: TaskContext,
  read: ForkRead,
): Promise<Uint8Array | null> {
  return resultOf((await slice.wait(requestValue(read))) as ForkReadResult)
}

if (parentPort !== null) serve(workerData as CallThreadData, parentPort)

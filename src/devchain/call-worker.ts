// Entry of a call thread of an embedded chain. It reads through its own connection and never writes.
// Tested by src/devchain/call-thread.test.ts
import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { systemClock } from '../base/clock.ts'
import { createSqliteStore } from '../content/sqlite-store.ts'
import { verifiedFinds } from '../content/verified-finds.ts'
import { openDatabase } from '../db/sqlite.ts'
import type { Writer } from '../db/writer.ts'
import type { CallThreadData } from './call-thread-tasks.ts'
import { openChainIndex } from './chain-index.ts'
import { serveTasks } from './serve-tasks.ts'
import { createCalls } from './vm/read-only-executions.ts'
import type { ReadOnlyExecution } from './vm/read-only-executions.ts'
import { TimeSlices } from './vm/time-slice.ts'

const noWriter: Writer = {
  write: () => Promise.reject(new Error('the call thread never writes')),
  close: () => Promise.resolve(),
}

function serve(data: CallThreadData, parent: MessagePort): void {
  const { network, genesis, databasePath, callGasMax, limits, moves } = data
  const db = openDatabase(databasePath, { readOnly: true })
  const calculate = createCalls({
    genesis,
    store: verifiedFinds(createSqliteStore({ db, writer: noWriter })),
    index: openChainIndex(db, network),
    callGasMax,
  })
  serveTasks<ReadOnlyExecution>({
    parent,
    turns: new TimeSlices(systemClock, limits, moves),
    work: (task, { turn }) => calculate(task, turn),
    end: () => db.close(),
  })
}

if (parentPort !== null) serve(workerData as CallThreadData, parentPort)

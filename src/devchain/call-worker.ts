// Entry of a call thread: works out what it is given, all of it in turns. It reads through its own
// connection and never writes.
// Tested by src/devchain/call-thread.test.ts
import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { systemClock } from '../base/clock.ts'
import { createSqliteStore } from '../content/sqlite-store.ts'
import { verifiedFinds } from '../content/verified-finds.ts'
import { openDatabase } from '../db/sqlite.ts'
import type { Writer } from '../db/writer.ts'
import type { CallThreadMessage, CallThreadTask, CallThreadData } from './call-thread-tasks.ts'
import { openChainIndex } from './chain-index.ts'
import { packFailure } from './packed-failure.ts'
import { createCalls } from './vm/read-only-executions.ts'
import type { ReadOnlyExecution } from './vm/read-only-executions.ts'
import { MustYield, TimeSlices } from './vm/time-slice.ts'

const noWriter: Writer = {
  write: () => Promise.reject(new Error('the call thread never writes')),
  close: () => Promise.resolve(),
}

function serve(data: CallThreadData, parent: MessagePort): void {
  const { network, genesis, databasePath, callGasMax, limits, moves } = data
  const say = (news: CallThreadMessage): void => parent.postMessage(news)
  const db = openDatabase(databasePath, { readOnly: true })
  const turns = new TimeSlices(systemClock, limits, moves)
  const calculate = createCalls({
    genesis,
    store: verifiedFinds(createSqliteStore({ db, writer: noWriter })),
    index: openChainIndex(db, network),
    callGasMax,
  })
  const running = new Map<number, AbortController>()
  let closing = false

  async function run(id: number, task: ReadOnlyExecution): Promise<void> {
    const controller = new AbortController()
    running.set(id, controller)
    try {
      // Not at once: what is given up in the same moment is heard first, and never begins.
      await setImmediate()
      const onTurn = () => say({ kind: 'turn', id })
      const result = await turns.run((turn) => calculate(task, turn), controller.signal, onTurn)
      say({ kind: 'done', id, result })
    } catch (error) {
      if (error instanceof MustYield) say({ kind: 'long', id })
      else say({ kind: 'failed', id, failure: packFailure(error) })
    }
    running.delete(id)
    endWhenIdle()
  }

  function endWhenIdle(): void {
    if (!closing || running.size > 0) return
    db.close()
    parent.close()
  }

  parent.on('message', (order: CallThreadTask) => {
    if (order.kind === 'run') void run(order.id, order.task)
    else if (order.kind === 'cancel') running.get(order.id)?.abort()
    else {
      closing = true
      for (const controller of running.values()) controller.abort()
      endWhenIdle()
    }
  })
}

if (parentPort !== null) serve(workerData as CallThreadData, parentPort)

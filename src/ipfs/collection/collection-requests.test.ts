import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurnedClock } from '../../../test/fakes/turned-clock.ts'
import { silentLog } from '../../base/log.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { askCollection, findAnswer, notCounted, watchRequests } from './collection-requests.ts'
import type { GarbageCollector } from './garbage-collector.ts'
import type { Swept } from './sweep.ts'

function createRequests(
  t: { after: (run: () => void) => void },
  results: readonly (Swept | Error | null)[],
) {
  const database = openDatabase(':memory:')
  migrate(database)
  t.after(() => database.close())
  const clock = createTurnedClock()
  let runs = 0
  const collector: GarbageCollector = {
    settle: async () => {},
    stop: async () => {},
    async collect() {
      const result = results[runs] ?? null
      runs += 1
      if (result instanceof Error) throw result
      return result
    },
  }
  const writer = createInlineWriter(database)
  const watch = watchRequests({ database, writer, collector, clock, log: silentLog })
  const turn = async (): Promise<void> => {
    clock.turn(1000)
    await new Promise(setImmediate)
  }
  return { database, turn, watch, runs: () => runs }
}

test('one collection answers all who asked before it began', async (t) => {
  const { database, turn, runs } = createRequests(t, [{ blocks: 3, bytes: 30 }])
  const ids = [askCollection(database, 1), askCollection(database, 2)]
  assert.equal(findAnswer(database, ids[0] ?? 0), null)
  await turn()
  for (const id of ids) {
    assert.deepEqual(findAnswer(database, id), { swept: { blocks: 3, bytes: 30 }, error: '' })
  }
  await turn()
  assert.equal(runs(), 1)
})

test('why nothing was collected is the answer', async (t) => {
  const { database, turn } = createRequests(t, [null, new Error('no space left')])
  const first = askCollection(database, 1)
  await turn()
  assert.deepEqual(findAnswer(database, first), { swept: null, error: notCounted })
  const second = askCollection(database, 2)
  await turn()
  assert.deepEqual(findAnswer(database, second), { swept: null, error: 'no space left' })
})

test('answers that no client will read are not stored', async (t) => {
  const { database, turn } = createRequests(t, [])
  for (let asked = 0; asked < 150; asked += 1) askCollection(database, asked)
  await turn()
  assert.equal(database.getValue('SELECT count(*) FROM collection'), 100)
})

test('after a stop no request is answered', async (t) => {
  const { database, turn, watch, runs } = createRequests(t, [])
  watch.stop()
  askCollection(database, 1)
  await turn()
  assert.equal(runs(), 0)
})

test('requests that cannot be read are looked for again', async (t) => {
  const { database, turn, runs } = createRequests(t, [{ blocks: 1, bytes: 10 }])
  const id = askCollection(database, 1)
  database.exec('ALTER TABLE collection RENAME TO elsewhere')
  await turn()
  assert.equal(runs(), 0)
  database.exec('ALTER TABLE elsewhere RENAME TO collection')
  await turn()
  assert.deepEqual(findAnswer(database, id), { swept: { blocks: 1, bytes: 10 }, error: '' })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { silentLog } from '../../base/log.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import type { Rows } from '../../db/rows.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { requestCollection, findAnswer, notCounted, watchRequests } from './collection-requests.ts'
import type { GarbageCollector } from './garbage-collector.ts'
import type { Swept } from './sweep.ts'

function createRequests(
  t: { after: (run: () => void) => void },
  results: readonly (Swept | Promise<Swept> | Error | null)[],
) {
  const database = openDatabase(':memory:')
  migrate(database)
  t.after(() => database.close())
  const clock = createManualClock()
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
  const rows = createSqliteRows(database, createInlineWriter(database))
  let delay: Promise<void> | null = null
  const delayed: Rows = {
    ...rows,
    async first(query) {
      await delay
      return await rows.first(query)
    },
  }
  /** Delays reads of the watcher until the returned function is called. */
  function delayReads(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    delay = promise
    return resolve
  }
  const watch = watchRequests({ rows: delayed, collector, clock, log: silentLog })
  const advance = async (): Promise<void> => {
    clock.advance(1000)
    await new Promise(setImmediate)
  }
  return { database, rows, advance, delayReads, watch, runs: () => runs }
}

test('one collection answers all who asked before it began', async (t) => {
  const { rows, advance, runs } = createRequests(t, [{ blocks: 3, bytes: 30 }])
  const ids = [await requestCollection(rows, 1), await requestCollection(rows, 2)]
  assert.equal(await findAnswer(rows, ids[0] ?? 0), null)
  await advance()
  for (const id of ids) {
    assert.deepEqual(await findAnswer(rows, id), { swept: { blocks: 3, bytes: 30 }, error: '' })
  }
  await advance()
  assert.equal(runs(), 1)
})

test('why nothing was collected is the answer', async (t) => {
  const { rows, advance } = createRequests(t, [null, new Error('no space left')])
  const first = await requestCollection(rows, 1)
  await advance()
  assert.deepEqual(await findAnswer(rows, first), { swept: null, error: notCounted })
  const second = await requestCollection(rows, 2)
  await advance()
  assert.deepEqual(await findAnswer(rows, second), { swept: null, error: 'no space left' })
})

test('answers that no client will read are not stored', async (t) => {
  const { database, rows, advance } = createRequests(t, [])
  for (let count = 0; count < 150; count += 1) await requestCollection(rows, count)
  await advance()
  assert.equal(database.getValue('SELECT count(*) FROM collection'), 100)
})

test('after a stop no request is answered', async (t) => {
  const { rows, advance, watch, runs } = createRequests(t, [])
  watch.stop()
  await requestCollection(rows, 1)
  await advance()
  assert.equal(runs(), 0)
})

test('a request that is read while the server stops is left to the next one', async (t) => {
  const { rows, advance, delayReads, watch, runs } = createRequests(t, [])
  const id = await requestCollection(rows, 1)
  const endDelay = delayReads()
  await advance()
  watch.stop()
  endDelay()
  await advance()
  assert.equal(runs(), 0)
  assert.equal(await findAnswer(rows, id), null)
})

test('a request whose collection ends with the server is left to the next one', async (t) => {
  const { promise, reject } = Promise.withResolvers<Swept>()
  const { rows, advance, watch, runs } = createRequests(t, [promise])
  const id = await requestCollection(rows, 1)
  await advance()
  watch.stop()
  reject(new Error('stopped'))
  await advance()
  assert.equal(runs(), 1)
  assert.equal(await findAnswer(rows, id), null)
})

test('requests that cannot be read are looked for again', async (t) => {
  const { database, rows, advance, runs } = createRequests(t, [{ blocks: 1, bytes: 10 }])
  const id = await requestCollection(rows, 1)
  database.exec('ALTER TABLE collection RENAME TO elsewhere')
  await advance()
  assert.equal(runs(), 0)
  database.exec('ALTER TABLE elsewhere RENAME TO collection')
  await advance()
  assert.deepEqual(await findAnswer(rows, id), { swept: { blocks: 1, bytes: 10 }, error: '' })
})

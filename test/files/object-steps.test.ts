// A machine that stops, or loses a reply, at every call of an engine while it stores blocks, and a collector that runs between any
// two calls, hours later. No acknowledged block is missing from an engine.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Fault } from '../../src/base/fault.ts'
import type { ObjectStore } from '../../src/content/objects/object-store.ts'
import type { UnverifiedItem } from '../../src/content/ref.ts'
import type { Rows } from '../../src/db/rows.ts'
import { missingPostgres, type Postgres, startPostgres } from '../engines/postgres.ts'
import { type Machine, openObjectFixture } from '../fakes/files/object-fixture.ts'
import {
  blockOf,
  charge,
  checkCollected,
  checkReadable,
  checkService,
  collect,
  advanceHours,
} from '../fakes/files/object-service.ts'

const skip = missingPostgres()
let server: Postgres

before(async () => {
  if (skip === false) server = await startPostgres()
})
after(async () => {
  if (skip === false) await server.stop()
})

/** At call `at`: `stop` before or after its effect; `lose` its reply; null: no failure. */
type Trouble = {
  readonly at: number
  readonly what: 'stop before' | 'stop after' | 'lose reply' | null
}

/** Counts the calls of both engines, fails one of them, and runs `between` before each. */
function createTrouble({ at, what }: Trouble, between: (call: number) => Promise<void>) {
  let calls = 0
  let isStopped = false
  let isOn = false

  async function call<T>(work: () => Promise<T>): Promise<T> {
    if (!isOn) return await work()
    const stopped = new Error('this machine has stopped')
    if (isStopped) throw stopped
    const own = calls
    calls += 1
    await between(own)
    if (own !== at || what === null) return await work()
    isStopped = what !== 'lose reply'
    if (what !== 'stop before') await work()
    throw isStopped ? stopped : new Fault('overloaded')
  }

  return {
    start: () => (isOn = true),
    get calls() {
      return calls
    },
    rows: (rows: Rows): Rows => ({
      find: (query) => call(() => rows.find(query)),
      first: (query) => call(() => rows.first(query)),
      snapshot: (queries) => rows.snapshot(queries),
      write: (statements, options) => call(() => rows.write(statements, options)),
    }),
    objects: (objects: ObjectStore): ObjectStore => ({
      ...objects,
      put: (name, body, signal) => call(() => objects.put(name, body, signal)),
      putParts(name) {
        const writer = objects.putParts(name)
        return {
          get bytes() {
            return writer.bytes
          },
          write: (piece) => writer.write(piece),
          end: () => call(() => writer.end()),
          abort: () => writer.abort(),
        }
      },
    }),
  }
}

const mebibyte = 1024 * 1024
/** A client that repeats a failed call. */
const callsMax = 3

type Work = {
  readonly title: string
  readonly items: readonly UnverifiedItem[]
  run(machine: Machine, items: readonly UnverifiedItem[]): Promise<unknown>
}

async function addInBatch({ store }: Machine, items: readonly UnverifiedItem[]): Promise<void> {
  const batch = store.batch()
  try {
    for (const item of items) await batch.put([item])
    await batch.commit(charge(items))
  } finally {
    await batch.discard().catch(() => undefined)
  }
}

const works: readonly Work[] = [
  {
    title: 'a small commit',
    items: Array.from({ length: 4 }, (_, index) => blockOf(`small ${index}`, 1000)),
    run: ({ store }, items) => store.put(items, charge(items)),
  },
  {
    title: 'a small batch',
    items: Array.from({ length: 4 }, (_, index) => blockOf(`batch ${index}`, 1000)),
    run: addInBatch,
  },
  {
    title: 'a large batch',
    // The existing half is small; the other half is more than a batch holds in memory.
    items: Array.from({ length: 9 }, (_, index) =>
      blockOf(`large ${index}`, index < 4 ? 1000 : mebibyte),
    ),
    run: addInBatch,
  },
]

/** Returns the number of calls. */
async function runOnce({ items, run }: Work, trouble: Trouble, collectAt: number | null) {
  const fixture = await openObjectFixture(server)
  try {
    const collector = await fixture.machine({ deleteDelayMs: 0 })
    // Half of the blocks exist already, without a charge: the collector removes them in between.
    await collector.store.put(items.slice(0, items.length / 2))
    const troubled = createTrouble(trouble, async (call) => {
      if (call !== collectAt) return
      await advanceHours(fixture, 30)
      await collect(collector)
      await collect(collector)
    })
    const machine = await fixture.machine({ rows: troubled.rows, objects: troubled.objects })
    troubled.start()
    const isDone = await run(machine, items).then(
      () => true,
      () => false,
    )
    await advanceHours(fixture, 30)
    await collect(collector)
    await checkService(fixture)
    if (isDone) await checkReadable(collector, items)
    if (trouble.what === null && collectAt === null) assert.ok(isDone)
    // The client repeats the call, on another machine if its machine has stopped.
    const next = trouble.what === 'lose reply' || trouble.what === null ? machine : collector
    for (let tries = 1; !isDone; tries += 1) {
      const again = await run(next, items).then(
        () => null,
        (error: unknown) => ({ error }),
      )
      if (again === null) break
      if (tries === callsMax) throw again.error
    }
    await collect(collector)
    await checkReadable(collector, items)
    await checkService(fixture)
    await checkCollected(fixture, collector)
    return troubled.calls
  } finally {
    await fixture.close()
  }
}

for (const work of works) {
  for (const what of ['stop before', 'stop after', 'lose reply', null] as const) {
    const title = what === null ? 'without trouble' : `${what} any call`
    test(`${work.title}, ${title}, the collector anywhere`, { skip }, async () => {
      const calls = await runOnce(work, { at: 0, what: null }, null)
      assert.ok(calls >= 3, `${calls} calls`)
      for (let at = 0; at < (what === null ? 1 : calls); at += 1) {
        for (const collectAt of what === null
          ? Array.from({ length: calls }, (_, call) => call)
          : [null, at]) {
          await runOnce(work, { at, what }, collectAt)
        }
      }
    })
  }
}

// Garbage collection of objects on a real PostgreSQL: what it retains and removes, and when; and paused machines.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { createDutyCycle } from '../../src/base/duty-cycle.ts'
import { silentLog } from '../../src/base/log.ts'
import { verifyDagBlock } from '../../src/codec/ipld/verify-dag-block.ts'
import { createObtain } from '../../src/content/obtain.ts'
import { defaultObtainLimits } from '../../src/content/obtain-limits.ts'
import { createQuarantineCheck } from '../../src/content/quarantine-check.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openDatabase } from '../../src/db/sqlite.ts'
import { createFencedRows } from '../../src/db/fenced-rows.ts'
import { fence } from '../../src/db/postgres/postgres-leases.ts'
import { NothingChanged } from '../../src/db/writer.ts'
import { publishSegment } from '../../src/tables/objects/object-segments.ts'
import { missingPostgres, type Postgres, startPostgres } from '../engines/postgres.ts'
import { type ObjectFixture, openObjectFixture } from '../fakes/files/object-fixture.ts'
import {
  blockOf,
  charge,
  checkCollected,
  checkReadable,
  checkService,
  collect,
  discharge,
  listObjects,
  advanceHours,
} from '../fakes/files/object-service.ts'

const skip = missingPostgres()
let server: Postgres
const mebibyte = 1024 * 1024

before(async () => {
  if (skip === false) server = await startPostgres()
})
after(async () => {
  if (skip === false) await server.stop()
})

function promise(
  title: string,
  run: (fixture: ObjectFixture, t: TestContext) => Promise<void>,
): void {
  test(title, { skip }, async (t) => {
    const fixture = await openObjectFixture(server)
    t.after(() => fixture.close())
    await run(fixture, t)
  })
}

const blocks = (name: string, count: number, bytes = 1000) =>
  Array.from({ length: count }, (_, index) => blockOf(`${name} ${index}`, bytes))

promise('an object without blocks is removed after the delay, and not before', async (fixture) => {
  const machine = await fixture.machine()
  const [loose, stored] = [blocks('loose', 3), blocks('stored', 3)]
  await machine.store.put(loose)
  await machine.store.put(stored, charge(stored))
  await advanceHours(fixture, 0.5)
  await collect(machine)
  for (const { ref } of loose) assert.equal(await machine.store.has(ref), false)
  assert.equal((await listObjects(fixture)).length, 2)
  await collect(machine)
  assert.equal((await listObjects(fixture)).length, 2)
  await advanceHours(fixture, 1.1)
  await collect(machine)
  assert.equal((await listObjects(fixture)).length, 1)
  await checkReadable(await fixture.machine(), stored)
  await checkService(fixture)
})

promise('an object that a commit changed lately stays', async (fixture) => {
  const machine = await fixture.machine({ deleteDelayMs: 0 })
  await machine.store.put(blocks('loose', 3))
  await collect(machine)
  await collect(machine)
  assert.equal((await listObjects(fixture)).length, 1)
})

promise(
  'a commit to an old object while live blocks are counted keeps the object',
  async (fixture) => {
    const machine = await fixture.machine({ deleteDelayMs: 0 })
    const items = blocks('late', 2)
    await machine.store.put(items)
    await collect(machine)
    await advanceHours(fixture, 0.5)
    const { segments } = machine.store
    const sealed = await segments.sealed()
    assert.equal(sealed.size, 1)
    // A paused writer commits to the object now, after a slow count has read it.
    const [row] = await fixture.read("SELECT id, token FROM segment WHERE state = 'live'")
    const [segment, token] = [Number(row?.['id']), Number(row?.['token'])]
    await fixture.rows.write([publishSegment({ id: segment, token, bytes: 2000 })])
    const cycle = createDutyCycle({ clock: systemClock, writeCount: () => 0 })
    await segments.free(sealed, new Map(), cycle, new AbortController().signal)
    assert.equal((await listObjects(fixture)).length, 1)
  },
)

promise(
  'blocks of a mostly dead object are moved; readers with the old place find them',
  async (fixture) => {
    const machine = await fixture.machine({ deleteDelayMs: 0 })
    const reader = await fixture.machine()
    const items = blocks('block', 10)
    await machine.store.put(items, charge(items))
    await checkReadable(reader, items)
    await machine.rows.write(discharge(items.slice(0, 6)))
    await advanceHours(fixture, 0.5)
    await collect(machine)
    await advanceHours(fixture, 0.5)
    await collect(machine)
    assert.equal((await listObjects(fixture)).length, 1)
    await checkReadable(reader, items.slice(6))
    await checkReadable(machine, items.slice(6))
    await checkService(fixture)
  },
)

promise(
  'a corrupt block is not moved: it is quarantined, and its object stays',
  async (fixture) => {
    const machine = await fixture.machine({ deleteDelayMs: 0 })
    const items = blocks('block', 10)
    const [wrong, good] = [items[8], items[9]]
    assert.ok(wrong && good)
    const stored = items.map((item) => (item === wrong ? { ...item, bytes: good.bytes } : item))
    await machine.store.put(stored, charge(stored))
    await machine.rows.write(discharge(items.slice(0, 8)))
    for (let round = 0; round < 3; round += 1) {
      await advanceHours(fixture, 0.5)
      await collect(machine)
    }
    assert.equal((await listObjects(fixture)).length, 2)
    await checkReadable(machine, [good])
    assert.equal(await machine.store.get(wrong.ref), null)
    assert.ok(machine.store.quarantineFlag.isUp)
    await machine.store.put([wrong])
    await checkReadable(machine, [wrong])
  },
)

promise('a quarantined block that is valid after all is served again', async (fixture) => {
  const { store } = await fixture.machine()
  const [item] = blocks('block', 1)
  assert.ok(item)
  await store.put([item])
  await store.quarantine(item.ref)
  assert.equal(await store.get(item.ref), null)
  const database = openDatabase(':memory:')
  migrate(database)
  const { obtain } = createObtain({
    store,
    sourcesFor: () => [],
    verify: ({ hash }, bytes) => verifyDagBlock(hash, bytes),
    clock: systemClock,
    log: silentLog,
    count: () => {},
    limits: defaultObtainLimits,
  })
  const parts = {
    store,
    database,
    shared: fixture.rows,
    obtain,
    clock: systemClock,
    log: silentLog,
  }
  const check = createQuarantineCheck(parts)
  await check.check()
  await check.stop()
  database.close()
  assert.deepEqual(await store.get(item.ref), new Uint8Array(item.bytes))
})

promise(
  'blocks that an open batch relies on stay, and those of an ended machine do not',
  async (fixture) => {
    const machine = await fixture.machine()
    const stored = blocks('stored', 12, mebibyte)
    await machine.store.put(stored)
    const batch = machine.store.batch()
    await batch.put(stored.slice(0, 6))
    // Waits until the previous group is written.
    await batch.put(blocks('next', 6, mebibyte))
    await collect(machine)
    for (const [index, { ref }] of stored.entries()) {
      assert.equal(await machine.store.has(ref), index < 6, `block ${index}`)
    }
    await batch.commit(charge(stored.slice(0, 6)))
    await checkReadable(machine, stored.slice(0, 6))
    await checkService(fixture)
    const other = machine.store.batch()
    await other.put(stored.slice(0, 6))
    await other.put(blocks('new', 6, mebibyte))
    await other.put(blocks('newer', 6, mebibyte))
    assert.notEqual((await fixture.read('SELECT 1 FROM staged')).length, 0)
    await advanceHours(fixture, 30)
    await collect(await fixture.machine())
    assert.equal((await fixture.read('SELECT 1 FROM staged')).length, 0)
    await assert.rejects(other.commit(), { code: 'overloaded' })
    await other.discard()
    await checkReadable(machine, stored.slice(0, 6))
  },
)

promise('a discarded large batch leaves no object after the delay', async (fixture) => {
  const machine = await fixture.machine({ deleteDelayMs: 0 })
  const batch = machine.store.batch()
  for (const item of blocks('part', 12, mebibyte)) await batch.put([item])
  await batch.discard()
  await collect(machine)
  assert.deepEqual(await listObjects(fixture), [])
})

promise('a writer that was paused beyond its lease writes its bytes again', async (fixture) => {
  let isPaused = true
  const collector = await fixture.machine({ deleteDelayMs: 0 })
  const writer = await fixture.machine({
    objects: (objects) => ({
      ...objects,
      async put(name, body, signal) {
        await objects.put(name, body, signal)
        if (!isPaused) return
        isPaused = false
        await advanceHours(fixture, 2)
        await collect(collector)
      },
    }),
  })
  const items = blocks('block', 3)
  await writer.store.put(items, charge(items))
  await checkReadable(collector, items)
  await checkService(fixture)
  assert.equal((await listObjects(fixture)).length, 1)
  // Its lease has expired permanently.
  const { token } = writer.store.ids
  await advanceHours(fixture, 2)
  await writer.store.ids.renew()
  assert.ok(writer.store.ids.token > token)
  const more = blocks('more', 3)
  await writer.store.put(more, charge(more))
  await checkReadable(collector, more)
})

promise('an object that is stored after its removal is removed again', async (fixture) => {
  const collector = await fixture.machine({ deleteDelayMs: 0 })
  let isPaused = true
  const writer = await fixture.machine({
    objects: (objects) => ({
      ...objects,
      async put(name, body, signal) {
        if (isPaused) {
          isPaused = false
          await advanceHours(fixture, 30)
          await collect(collector)
          await collect(collector)
        }
        await objects.put(name, body, signal)
      },
    }),
  })
  const items = blocks('block', 3)
  await writer.store.put(items, charge(items))
  // The first object arrived too late for its commit.
  assert.equal((await listObjects(fixture)).length, 2)
  await checkCollected(fixture, collector)
  assert.equal((await listObjects(fixture)).length, 1)
  await checkReadable(collector, items)
})

promise(
  'blocks that only an ended upload relied on are gone after collections',
  async (fixture) => {
    const machine = await fixture.machine({ deleteDelayMs: 0 })
    const stored = blocks('stored', 12, mebibyte)
    await machine.store.put(stored)
    const batch = machine.store.batch()
    await batch.put(stored.slice(0, 2))
    await batch.put(blocks('new', 6, mebibyte))
    await batch.put(blocks('newer', 6, mebibyte))
    // Its machine is killed at this point.
    await advanceHours(fixture, 30)
    const next = await fixture.machine({ deleteDelayMs: 0 })
    await checkCollected(fixture, next)
    assert.deepEqual(await listObjects(fixture), [])
    await batch.discard()
  },
)

promise('a collector that another one replaced commits nothing', async (fixture) => {
  const [paused, next] = [
    await fixture.machine({ deleteDelayMs: 0 }),
    await fixture.machine({ deleteDelayMs: 0 }),
  ]
  await paused.store.put(blocks('loose', 3))
  await advanceHours(fixture, 30)
  const token = await lead(fixture, 'paused')
  const ofPaused = createFencedRows(fixture.rows, fence('collector', token))
  const later = await lead(fixture, 'next')
  await assert.rejects(collect(paused, ofPaused), NothingChanged)
  assert.equal((await fixture.read('SELECT 1 FROM block')).length, 3)
  assert.deepEqual(await fixture.read(`SELECT 1 FROM segment WHERE state = 'dead'`), [])
  await collect(next, createFencedRows(fixture.rows, fence('collector', later)))
  assert.deepEqual(await fixture.read('SELECT 1 FROM block'), [])
  assert.deepEqual(await listObjects(fixture), [])
})

/** Takes over the collector's lease. */
async function lead({ read }: ObjectFixture, holder: string): Promise<bigint> {
  const [row] = await read(
    `INSERT INTO leadership (name, holder, token, until) VALUES ('collector', '${holder}', 1, now())
      ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, token = leadership.token + 1 RETURNING token`,
  )
  return BigInt(Number(row?.['token']))
}

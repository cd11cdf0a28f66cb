// The plan of announcements over days of a manual clock, on rows that real pins make.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createManualClock, type ManualClock } from '../../../test/fakes/manual-clock.ts'
import { toBareHex } from '../../base/hex.ts'
import type { Log } from '../../base/log.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { query, type Rows } from '../../db/rows.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { insertAccount } from '../../tables/accounts.ts'
import { insertBlocks } from '../../tables/blocks.ts'
import { deletePin, upsertPin } from '../../tables/pins.ts'
import { insertRoot } from '../../tables/roots.ts'
import { stageBlocks, unstage } from '../../tables/staged.ts'
import { createProvidePlan, type ProvideParts, type ProvidePlan } from './provide-plan.ts'
import type { ProvideSettings, Region } from './provide-queue.ts'
import { kadOf, regionOf } from './provide-times.ts'

const intervalMs = 79_200_000
const minuteMs = 60_000
const usual: ProvideSettings = { strategy: 'roots', intervalMs, cidsMax: 50_000 }

const hashOf = (at: number): Uint8Array => {
  const hash = new Uint8Array(34)
  new DataView(hash.buffer).setUint32(4, at)
  return hash.fill(0x12, 0, 1)
}

type World = {
  readonly rows: Rows
  readonly clock: ManualClock
  /** Milliseconds since the start of each announcement, by multihash in hexadecimal. */
  readonly announced: Map<string, number[]>
  readonly regions: (Region | null)[]
  readonly logged: string[]
  settings: ProvideSettings
  /** Code of the next announcements; null: they are rejected. */
  code: number | null
  pin(count: number, from?: number): Promise<void>
  start(parts?: Partial<ProvideParts>): ProvidePlan
  /** Advances the clock, and lets the plan announce after every `step` minutes. */
  run(plan: ProvidePlan, minutes: number, step?: number): Promise<void>
}

async function createWorld(t: { after: (run: () => void) => void }): Promise<World> {
  const db = openDatabase(':memory:')
  t.after(() => db.close())
  migrate(db)
  const rows = createSqliteRows(db, createInlineWriter(db))
  await rows.write([insertAccount({ id: 'a', name: 'a', created: 1, cardMarked: false })])
  await rows.write([{ sql: `UPDATE account SET settings = '{"provide":"all"}'`, parameters: [] }])
  const clock = createManualClock()
  const start = clock.now()
  const log: Log = (_level, event) => void world.logged.push(event)
  const world: World = {
    rows,
    clock,
    announced: new Map(),
    regions: [],
    logged: [],
    settings: usual,
    code: 0,
    async pin(count, from = 0) {
      for (let at = from; at < from + count; at += 500) {
        const some = Array.from({ length: Math.min(500, from + count - at) }, (_, one) => at + one)
        await rows.write(some.flatMap((one) => pinStatements([one])))
      }
    },
    start(parts = {}) {
      return createProvidePlan({
        rows,
        async announce(multihashes, { region }) {
          assert.ok(multihashes.length > 0 && multihashes.length <= 1000)
          await Promise.resolve()
          if (world.code === null) throw new Error('the network is down')
          world.regions.push(region)
          for (const multihash of multihashes) {
            const key = toBareHex(multihash)
            const times = world.announced.get(key) ?? []
            world.announced.set(key, [...times, clock.now() - start])
          }
          return multihashes.map(() => world.code ?? 0)
        },
        isDenied: () => false,
        settings: () => world.settings,
        clock,
        log,
        ...parts,
      })
    },
    async run(plan, minutes, step = 10) {
      for (let at = 0; at < minutes; at += step) {
        clock.advance(step * minuteMs)
        await plan.announceDue()
      }
    },
  }
  return world
}

/** A pin of the account `a` whose root is the first of the blocks. */
function pinStatements(blocks: readonly number[]) {
  const hashes = blocks.map(hashOf)
  const [root = hashOf(0)] = hashes
  const name = { hash: root, codec: 85, mode: 'recursive' } as const
  const place = { file: 1, at: 0, bytes: 1, form: 0 as const }
  return [
    insertBlocks(
      hashes.map((hash) => ({ ...place, hash, size: 1 })),
      1,
    ),
    stageBlocks(
      'batch',
      hashes.map((hash) => ({ tree: 0, hash, size: 1, place: null })),
    ),
    ...insertRoot(name, { batch: 'batch', tree: 0 }),
    upsertPin('a', { cid: root, mode: 'recursive', name: '', created: 1 }, name, false),
    unstage('batch'),
  ]
}

const day = intervalMs / minuteMs

test('ten thousand roots are announced once an interval each, and a restart midway changes nothing', async (t) => {
  const world = await createWorld(t)
  await world.pin(10_000)
  let plan = world.start()
  await plan.announceDue()
  assert.equal(world.announced.size, 500, 'the first new roots go out at once')
  await world.run(plan, day + 10)
  assert.equal(world.announced.size, 10_000)
  // The first announcements are off their phase; after two, all are at their phase.
  await world.run(plan, day)
  world.announced.clear()
  const from = world.clock.monotonic()
  await world.run(plan, day / 2)
  const half = [...world.announced].length
  assert.ok(half > 4000 && half < 6000, `${half} in half of the interval`)
  await plan.stop()
  plan = world.start()
  await world.run(plan, day / 2)
  await plan.stop()
  assert.equal(world.announced.size, 10_000)
  const times = [...world.announced.values()]
  assert.deepEqual(
    times.filter(({ length }) => length !== 1),
    [],
  )
  // Spread over the interval: no sixteenth has more than twice its share.
  const parts = Array.from({ length: 16 }, () => 0)
  for (const [time = 0] of times) {
    const part = Math.min(15, Math.floor(((time - from) / intervalMs) * 16))
    parts[part] = (parts[part] ?? 0) + 1
  }
  assert.ok(Math.max(...parts) < 1250, parts.join(' '))
  assert.deepEqual(world.logged, [])
})

test('two announcements of at most 100 roots run at a time', async (t) => {
  const world = await createWorld(t)
  await world.pin(450)
  const sizes: number[] = []
  let running = 0
  let most = 0
  const plan = world.start({
    async announce(multihashes) {
      sizes.push(multihashes.length)
      running += 1
      most = Math.max(most, running)
      for (let turn = 0; turn < 10; turn += 1) await setImmediate()
      running -= 1
      return multihashes.map(() => 0)
    },
  })
  await plan.announceDue()
  await plan.stop()
  assert.deepEqual([sizes, most], [[100, 100, 100, 100, 50], 2])
})

test('a new root goes out within seconds, also behind thousands of others, and an unpinned one never again', async (t) => {
  const world = await createWorld(t)
  await world.pin(5000)
  const plan = world.start()
  await plan.announceDue()
  await world.pin(1, 6000)
  world.clock.advance(1000)
  await plan.announceDue()
  const key = toBareHex(hashOf(6000))
  assert.deepEqual(world.announced.get(key), [1000])
  await world.rows.write([deletePin('a', hashOf(6000), true)])
  await world.run(plan, 2 * day)
  assert.equal(world.announced.get(key)?.length, 1)
  await plan.stop()
})

test('after three failures a root is tried again in an hour', async (t) => {
  const world = await createWorld(t)
  await world.pin(1)
  world.code = 1
  const plan = world.start()
  await plan.announceDue()
  await world.run(plan, 130, 1)
  const [times = []] = world.announced.values()
  assert.deepEqual(
    times.map((time) => Math.floor(time / minuteMs)),
    [0, 1, 2, 62, 63, 64, 124, 125, 126],
  )
  world.code = 0
  await world.run(plan, 90, 1)
  assert.equal((await plan.stat()).failed, 9)
  assert.equal((await plan.stat()).done, 1)
  await plan.stop()
})

test('while the network is down nothing counts as tried, and all goes out when it is back', async (t) => {
  const world = await createWorld(t)
  await world.pin(300)
  world.code = null
  const plan = world.start()
  await plan.announceDue()
  await world.run(plan, 10, 1)
  assert.ok(
    world.logged.length <= 24 && world.logged.every((one) => one === 'announcements_paused'),
  )
  assert.deepEqual(
    { ...(await plan.stat()) },
    { due: 300, done: 0, failed: 0, late: 0, over: 0, planned: 0 },
  )
  world.code = 0
  await world.run(plan, 2, 1)
  assert.equal(world.announced.size, 300)
  await plan.stop()
})

test('after days without power all roots go out in order of their keys, and are reported', async (t) => {
  const world = await createWorld(t)
  await world.pin(400)
  const plan = world.start()
  await world.run(plan, 2 * day)
  await plan.stop()
  world.clock.advance(10 * intervalMs)
  world.announced.clear()
  const next = world.start()
  assert.equal((await next.stat()).late, 400)
  await next.announceDue()
  assert.equal(world.announced.size, 400)
  assert.deepEqual(world.logged, ['announcements_late'])
  const kads = [...world.announced.keys()].map((key) => toBareHex(kadOf(Buffer.from(key, 'hex'))))
  // In keyspace order, starting anywhere.
  const falls = kads.filter((kad, at) => at > 0 && kad < (kads[at - 1] ?? ''))
  assert.ok(falls.length <= 4, `${falls.length} falls`)
  await next.stop()
})

test('times that are too far away, after a jump of the clock, are brought back', async (t) => {
  const world = await createWorld(t)
  await world.pin(50)
  const far = world.clock.now() + 20 * intervalMs
  await world.rows.write([{ sql: 'UPDATE provide SET due = ?', parameters: [far] }])
  const plan = world.start()
  await world.run(plan, day + 10)
  assert.equal(world.announced.size, 50)
  await plan.stop()
})

test('no more than `cidsMax` are announced, the others are counted, and less is obeyed', async (t) => {
  const world = await createWorld(t)
  world.settings = { ...usual, cidsMax: 40 }
  await world.pin(100)
  const plan = world.start()
  await world.run(plan, 2 * day)
  assert.equal(world.announced.size, 40)
  const { over, planned } = await plan.stat()
  assert.deepEqual({ over, planned }, { over: 60, planned: 40 })
  world.settings = { ...usual, cidsMax: 10 }
  await world.run(plan, day + 10)
  world.announced.clear()
  await world.run(plan, 2 * day)
  assert.equal(world.announced.size, 10)
  assert.equal((await plan.stat()).over, 90)
  world.settings = { ...usual, strategy: 'none' }
  world.announced.clear()
  await world.run(plan, 2 * day)
  assert.equal(world.announced.size, 0)
  await plan.stop()
})

test('the strategy `roots` leaves out the blocks below, and denied roots are left out always', async (t) => {
  const world = await createWorld(t)
  await world.rows.write(pinStatements([1, 2, 3]))
  await world.rows.write(pinStatements([4, 5]))
  const isDenied = (multihash: Uint8Array) => toBareHex(multihash) === toBareHex(hashOf(4))
  const plan = world.start({ isDenied })
  await plan.announceDue()
  assert.deepEqual([...world.announced.keys()], [toBareHex(hashOf(1))])
  world.settings = { ...usual, strategy: 'all' }
  world.clock.advance(1000)
  await plan.announceDue()
  assert.deepEqual(
    [...world.announced.keys()].toSorted(),
    [1, 2, 3, 5].map((at) => toBareHex(hashOf(at))),
  )
  const never = await world.rows.find(
    query<{ multihash: Uint8Array }>('SELECT multihash FROM provide WHERE announced IS NULL'),
  )
  assert.deepEqual(
    never.map(({ multihash }) => toBareHex(multihash)),
    [toBareHex(hashOf(4))],
  )
  await plan.stop()
})

test('with very many roots, those of a part of the keyspace go together, once an interval', async (t) => {
  const world = await createWorld(t)
  world.settings = { ...usual, cidsMax: 1_000_000 }
  const insert = 'INSERT INTO provide (multihash, roots, parts, due, tried) VALUES (?, 1, 0, 0, 0)'
  for (let at = 0; at < 60_000; at += 1000) {
    await world.rows.write(
      Array.from({ length: 1000 }, (_, one) => ({ sql: insert, parameters: [hashOf(at + one)] })),
    )
  }
  const plan = world.start({
    async announce(multihashes, { region }) {
      world.regions.push(region)
      for (const multihash of multihashes) {
        if (region === null) continue
        assert.equal(regionOf(kadOf(multihash), region.bits), region.prefix)
      }
      await Promise.resolve()
      return multihashes.map(() => 0)
    },
  })
  await plan.announceDue()
  await world.run(plan, day + 10)
  const { planned, late, due } = await plan.stat()
  assert.deepEqual({ planned, late, due: due < 500 }, { planned: 60_000, late: 0, due: true })
  const prefixes = world.regions.flatMap((region) => (region === null ? [] : [region.prefix]))
  assert.equal(new Set(prefixes).size, 512)
  assert.ok(prefixes.length < 1600, `${prefixes.length} announcements of 512 regions`)
  const [left] = await world.rows.find(
    query<{ count: number }>('SELECT count(*) AS count FROM provide WHERE due < 2'),
  )
  assert.equal(left?.count, 0)
  await plan.stop()
})

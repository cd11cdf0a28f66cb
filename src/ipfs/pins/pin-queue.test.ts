import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { usePostgres } from '../../../test/fakes/postgres-rows.ts'
import {
  createFilesFixture,
  fileEntry,
  importAll,
  pinsOf,
  rootOf,
} from '../../../test/fakes/files/files-fixture.ts'
import { until } from '../../../test/fakes/until.ts'
import { systemClock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { holdWhile } from '../../base/leases.ts'
import { silentLog } from '../../base/log.ts'
import { cidOf, rawCodec } from '../../codec/ipld/cid.ts'
import { multihashOf } from '../../codec/ipld/multihash.ts'
import type { Rows } from '../../db/rows.ts'
import { insertAccount } from '../../tables/accounts.ts'
import { finishPinRequest } from '../../tables/pinning/pin-requests.ts'
import type { Files, Pin } from '../files.ts'
import { createPinQueue, defaultPinQueueLimits } from './pin-queue.ts'
import { createPinRequests } from './pin-requests.ts'

const postgres = usePostgres()

const cidOfText = (text: string) => cidOf(1, rawCodec, multihashOf('sha2-256', Buffer.from(text)))

type Held = {
  readonly accountId: string
  readonly name: string
  readonly signal: AbortSignal
  readonly progress: (blocks: number, bytes: bigint) => void
  /** Ends the try: with a pin, or with an error. */
  end(fault?: Fault): void
}

/** A `pin` that waits for the test, and then commits as `Files` does. */
function heldPins(rows: Rows) {
  const held: Held[] = []
  async function pin(
    accountId: string,
    { name, request }: Pin,
    _policy: unknown,
    progress: (blocks: number, bytes: bigint) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => reject(signal.reason as Error))
    held.push({
      progress,
      accountId,
      name,
      signal,
      end: (fault) => (fault === undefined ? resolve() : reject(fault)),
    })
    await promise
    if (request !== undefined) await rows.write([finishPinRequest(request)])
  }
  return { held, files: { pin } as Pick<Files, 'pin'> }
}

function fixture(t: TestContext, limits = defaultPinQueueLimits) {
  const made = createFilesFixture(t)
  const { rows, clock } = made
  const { held, files } = heldPins(rows)
  const queue = createPinQueue({ rows, filesOf: () => files, clock, log: silentLog, limits })
  const requests = createPinRequests({ rows, clock, queued: queue.wake, removed: queue.abort })
  const ask = (accountId: string, name: string) =>
    requests.add(accountId, { cid: cidOfText(name), name, meta: null, origins: null })
  return { ...made, held, queue, requests, ask }
}

const newAccount = (id: string) => insertAccount({ id, name: id, created: 1, cardMarked: false })

const counted = (held: readonly Held[], count: number) =>
  until(() => assert.equal(held.length, count), 30_000)

test('an account has four tries at a time, and accounts with few requests do not wait for one with many', async (t) => {
  const { held, queue, ask } = fixture(t)
  for (let n = 0; n < 10; n += 1) await ask('alice', `a${n}`)
  t.after(queue.begin())
  await counted(held, 4)
  await ask('bob', 'b0')
  await counted(held, 5)
  assert.deepEqual(
    held.map(({ name }) => name),
    ['a0', 'a1', 'a2', 'a3', 'b0'],
  )
  held[0]?.end()
  await counted(held, 6)
  assert.equal(held[5]?.name, 'a4')
})

test('all accounts together have sixteen tries at a time', async (t) => {
  const { held, queue, rows, ask } = fixture(t)
  const accounts = Array.from({ length: 8 }, (_, at) => `account ${at}`)
  await rows.write(accounts.map(newAccount))
  for (let n = 0; n < 24; n += 1) await ask(`account ${n % 8}`, `c${n}`)
  t.after(queue.begin())
  await counted(held, 16)
  assert.equal(new Set(held.slice(0, 8).map(({ accountId }) => accountId)).size, 8)
  held[0]?.end()
  await counted(held, 17)
})

test('a failed try is repeated at growing intervals, and a request fails after a day', async (t) => {
  const { held, queue, requests, clock, ask } = fixture(t)
  const { id } = await ask('alice', 'missing')
  t.after(queue.begin())
  const waits: number[] = []
  for (let tries = 1; ; tries += 1) {
    await counted(held, tries)
    held[tries - 1]?.end(new Fault('command_failed', { detail: 'pin: no source has it' }))
    await until(async () => {
      assert.notEqual((await requests.find('alice', id))?.status, 'pinning')
    }, 30_000)
    const request = await requests.find('alice', id)
    assert.equal(request?.error, 'pin: no source has it')
    assert.equal(request?.tries, tries)
    if (request?.status === 'failed') break
    const waitMs = (request?.due ?? 0) - clock.now()
    waits.push(waitMs)
    // The queue may not have started its timer yet.
    await until(() => {
      clock.advance(waitMs)
      assert.equal(held.length, tries + 1)
    }, 30_000)
  }
  assert.deepEqual(waits.slice(0, 4), [10_000, 20_000, 40_000, 80_000])
  assert.equal(Math.max(...waits), 3_600_000)
  const { created = 0 } = (await requests.find('alice', id)) ?? {}
  assert.ok(clock.now() - created >= defaultPinQueueLimits.failAfterMs)
})

test('a request over the quota fails at once with the reason', async (t) => {
  const { files, database, rows, clock } = createFilesFixture(t)
  const { cid } = rootOf(await importAll(files, [fileEntry('f', 'large')], {}, 'bob'))
  // The quota suffices only for the request itself.
  const settings = JSON.stringify({ filesStoredBytes: cid.bytes.length + 1 })
  database.run(`UPDATE account SET settings = ? WHERE id = 'alice'`, [settings])
  const queue = createPinQueue({ rows, filesOf: () => files, clock, log: silentLog })
  const requests = createPinRequests({ rows, clock, queued: queue.wake, removed: queue.abort })
  t.after(queue.begin())
  const { id } = await requests.add('alice', { cid, name: '', meta: null, origins: null })
  await until(async () => {
    const request = await requests.find('alice', id)
    assert.deepEqual(
      [request?.status, request?.error],
      ['failed', 'not allowed - storage quota reached'],
    )
  }, 30_000)
  assert.deepEqual(await pinsOf(files, 'alice'), [])
})

test('what ran when a process ended is tried again by the next one, which alone can end it', async (t) => {
  const { held, queue, requests, rows, clock, ask } = fixture(t)
  const { id } = await ask('alice', 'goes on')
  const stop = queue.begin()
  await counted(held, 1)
  assert.equal((await requests.find('alice', id))?.status, 'pinning')
  // The first process hangs and still treats the request as its own.
  const later = heldPins(rows)
  const next = createPinQueue({ rows, filesOf: () => later.files, clock, log: silentLog })
  t.after(next.begin())
  await counted(later.held, 1)
  held[0]?.end()
  await stop()
  assert.equal((await requests.find('alice', id))?.status, 'pinning')
  later.held[0]?.end()
  await until(async () => {
    const request = await requests.find('alice', id)
    assert.deepEqual([request?.status, request?.tries], ['pinned', 2])
  }, 30_000)
})

test('the progress of a try is written every five seconds', async (t) => {
  const { held, queue, requests, clock, ask } = fixture(t)
  const { id } = await ask('alice', 'large')
  t.after(queue.begin())
  await counted(held, 1)
  clock.advance(5000)
  held[0]?.progress(7, 700n)
  held[0]?.progress(8, 800n)
  await until(async () => {
    const request = await requests.find('alice', id)
    assert.deepEqual([request?.status, request?.blocks, request?.bytes], ['pinning', 7, 700])
  }, 30_000)
})

test('a removed request ends its try', async (t) => {
  const { held, queue, requests, ask } = fixture(t)
  const { id } = await ask('alice', 'unwanted')
  t.after(queue.begin())
  await counted(held, 1)
  await requests.remove('alice', id)
  assert.equal(held[0]?.signal.aborted, true)
  assert.equal(await requests.find('alice', id), null)
})

test('a try whose end the database refused is ended later', async (t) => {
  const { held, requests, rows, clock, ask } = fixture(t)
  let refuses = false
  const shaky: Rows = {
    ...rows,
    async write(statements, options) {
      if (refuses) throw new Fault('overloaded')
      return await rows.write(statements, options)
    },
  }
  const pins = heldPins(rows)
  const queue = createPinQueue({ rows: shaky, filesOf: () => pins.files, clock, log: silentLog })
  t.after(queue.begin())
  const { id } = await ask('alice', 'shaky')
  queue.wake()
  await counted(pins.held, 1)
  refuses = true
  pins.held[0]?.end(new Fault('command_failed'))
  await until(() => assert.ok(clock.timers > 0), 30_000)
  refuses = false
  await until(() => {
    clock.advance(60_000)
    assert.equal(pins.held.length, 2)
  }, 30_000)
  pins.held[1]?.end()
  await until(async () => {
    assert.equal((await requests.find('alice', id))?.status, 'pinned')
  }, 30_000)
  assert.equal(held.length, 0)
})

test('a queue that is stopped at once ends at once', async (t) => {
  const { queue, clock } = fixture(t)
  await queue.begin()()
  assert.equal(clock.timers, 0)
})

test('failed requests are listed for eight days', async (t) => {
  const { held, queue, requests, clock, ask } = fixture(t)
  const { id } = await ask('alice', 'refused')
  const stop = queue.begin()
  await counted(held, 1)
  held[0]?.end(new Fault('denied'))
  await until(async () => {
    assert.equal((await requests.find('alice', id))?.status, 'failed')
  }, 30_000)
  await stop()
  clock.advance(defaultPinQueueLimits.listFailedMs + 1)
  t.after(queue.begin())
  await until(async () => assert.equal(await requests.find('alice', id), null), 30_000)
})

test('an account has so many failed requests at most: the oldest make place', async (t) => {
  const limits = { ...defaultPinQueueLimits, failedMax: 2 }
  const { held, queue, requests, ask } = fixture(t, limits)
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) ids.push((await ask('alice', name)).id)
  const others = await ask('bob', 'd')
  t.after(queue.begin())
  await counted(held, 4)
  for (const one of held) one.end(new Fault('over_quota'))
  const statusOf = async (account: string, id: string) =>
    (await requests.find(account, id))?.status ?? null
  await until(async () => {
    const found = await Promise.all(ids.map((id) => statusOf('alice', id)))
    assert.deepEqual(found, [null, 'failed', 'failed'])
    assert.equal(await statusOf('bob', others.id), 'failed')
  }, 30_000)
})

test(
  'of two machines on one database, one works off the requests of both, and the other takes over',
  { skip: postgres.skip },
  async (t) => {
    const database = await postgres.createDatabase()
    const limits = { ...defaultPinQueueLimits, pollMs: 50 }
    const machines = await Promise.all(
      [0, 1].map(async () => {
        const { rows, leases } = await postgres.openNode(t, database)
        const { held, files } = heldPins(rows)
        const clock = systemClock
        const queue = createPinQueue({ rows, filesOf: () => files, clock, log: silentLog, limits })
        const requests = createPinRequests({
          rows,
          clock,
          queued: queue.wake,
          removed: queue.abort,
        })
        const stop = holdWhile(leases, 'pin-requests', queue.begin)
        return { held, requests, rows, stop }
      }),
    )
    const [one, other] = machines
    assert.ok(one !== undefined && other !== undefined)
    await one.rows.write([newAccount('alice')])
    t.after(() => Promise.all(machines.map(({ stop }) => stop())))
    const ask = (machine: typeof one, name: string) =>
      machine.requests.add('alice', { cid: cidOfText(name), name, meta: { n: name }, origins: [] })
    await ask(one, 'a')
    const second = await ask(other, 'b')
    const all = () => machines.flatMap(({ held }) => held)
    await until(() => assert.equal(all().length, 2), 30_000)
    const holder = one.held.length > 0 ? one : other
    const follower = holder === one ? other : one
    assert.equal(follower.held.length, 0)
    holder.held.find(({ name }) => name === 'b')?.end()
    const filter = {
      cids: [],
      statuses: ['pinned'],
      name: { text: 'b', part: true, folded: true },
      before: null,
      after: null,
      meta: [['n', 'b']],
    } as const
    await until(async () => {
      const { requests: found } = await one.requests.list('alice', filter, 10)
      assert.deepEqual(
        found.map(({ id }) => id),
        [second.id],
      )
    }, 30_000)
    await holder.stop()
    await until(() => assert.equal(follower.held.length, 1), 60_000)
    assert.equal(follower.held[0]?.name, 'a')
  },
)

// The connection to a real Valkey that is cut, slow, silent or frozen: every call ends in time.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { Fault } from '../../src/base/fault.ts'
import { connectValkey } from '../../src/valkey/connection.ts'
import { createValkeyShares } from '../../src/valkey/valkey-shares.ts'
import { missingToxiproxy, startToxiproxy } from '../engines/toxiproxy.ts'
import { missingValkey, startValkey } from '../engines/valkey.ts'
import { until } from '../fakes/until.ts'
import { openConnection } from './open-node.ts'

const skip = missingValkey() || missingToxiproxy()
const isOverloaded = (thrown: unknown) => thrown instanceof Fault && thrown.code === 'overloaded'
const rate = { perSecond: 1_000, burst: 1_000 }

async function openBehindProxy(t: TestContext) {
  const { port } = await startValkey(t)
  const proxy = await startToxiproxy(t, port)
  const connection = await openConnection(t, `valkey://127.0.0.1:${proxy.port}`, { deadlineMs: 20 })
  const shares = createValkeyShares({
    connection,
    nodes: () => 2,
    alone: () => 'divide',
    clock: systemClock,
  })
  return { proxy, connection, shares }
}

for (const harm of ['cut', 'slow', 'silence'] as const) {
  test(
    `behind a link that is ${harm}, no take waits longer than the deadline, and after five misses none waits`,
    { skip },
    async (t) => {
      const { proxy, connection, shares } = await openBehindProxy(t)
      await until(async () => {
        await shares.take('a', rate, 1, 1)
        assert.equal(connection.state, 'shared')
      })
      await (harm === 'slow' ? proxy.slow(200) : proxy[harm]())
      let longest = 0
      let takes = 0
      while (connection.state === 'shared') {
        const began = systemClock.monotonic()
        assert.ok((await shares.take('a', rate, 1, 1)).units > 0)
        longest = Math.max(longest, systemClock.monotonic() - began)
        takes += 1
        assert.ok(takes < 100)
      }
      // The deadline, plus the delay of a busy machine.
      assert.ok(longest < 20 + 100, `${longest} ms`)
      let waited = 0
      for (let n = 0; n < 50; n++) if (shares.take('b', rate, 1, 1) instanceof Promise) waited += 1
      assert.ok(waited <= 1, `${waited} takes waited`)
      const before = connection.misses
      for (let n = 0; n < 50; n++) await shares.take('b', rate, 1, 1)
      assert.ok(connection.misses - before <= 1)
      await proxy.heal()
      await until(async () => {
        await shares.take('a', rate, 1, 1)
        assert.equal(connection.state, 'shared')
      })
    },
  )
}

test('calls in flight are bounded, late ones included', { skip }, async (t) => {
  const valkey = await startValkey(t)
  const connection = await openConnection(t, valkey.url, { inFlightMax: 10, missesMax: 1_000 })
  valkey.freeze()
  t.after(() => valkey.thaw())
  const calls = Array.from({ length: 100 }, () => connection.call((client) => client.ping()))
  const ends = Promise.allSettled(calls)
  assert.ok(!connection.mayCall())
  await assert.rejects(
    connection.call((client) => client.ping()),
    isOverloaded,
  )
  valkey.thaw()
  const replies = (await ends).filter(({ status }) => status === 'fulfilled')
  assert.equal(replies.length, 10)
  await until(() => assert.ok(connection.mayCall()))
})

test('a reply that arrived while the process was busy is in time', { skip }, async (t) => {
  const { url } = await startValkey(t)
  const connection = await openConnection(t, url, { deadlineMs: 20 })
  for (let n = 0; n < 20; n++) {
    const before = connection.misses
    const reply = connection.call((client) => client.ping())
    // Sends the request, then blocks the event loop beyond the deadline.
    await new Promise<void>((resolve) => setImmediate(resolve))
    const busyUntil = systemClock.monotonic() + 40
    while (systemClock.monotonic() < busyUntil);
    assert.equal(await reply, 'PONG')
    assert.equal(connection.misses, before)
  }
})

test('a server that never was there is no error of the start', { skip }, async (t) => {
  const lines: string[] = []
  const connection = connectValkey({
    url: 'valkey://user:secret@127.0.0.1:1',
    clock: systemClock,
    log: (_level, event, facts) => lines.push(`${event} ${JSON.stringify(facts)}`),
  })
  t.after(() => connection.close())
  await connection.ready(200)
  await assert.rejects(
    connection.call((client) => client.ping()),
    isOverloaded,
  )
  await until(() => assert.ok(lines.length > 0))
  assert.ok(!lines.join().includes('secret'))
})

test(
  'alone, a node admits its part of a rate, all or nothing, as it is set',
  { skip },
  async (t) => {
    const valkey = await startValkey(t)
    const connection = await openConnection(t, valkey.url, { missesMax: 1 })
    let alone: 'divide' | 'open' | 'closed' = 'divide'
    const shares = createValkeyShares({
      connection,
      nodes: () => 4,
      alone: () => alone,
      clock: systemClock,
    })
    await valkey.kill()
    const units = async (bucket: string, wanted: number) =>
      (await shares.take(bucket, { perSecond: 0.1, burst: 100 }, wanted, wanted)).units
    await until(async () => {
      await units('x', 1)
      assert.equal(shares.state, 'alone')
    })
    assert.deepEqual([await units('a', 25), await units('a', 1)], [25, 0])
    // A request that is larger than the share passes once.
    assert.deepEqual([await units('b', 100), await units('b', 1)], [100, 0])
    alone = 'open'
    assert.equal(await units('a', 100), 100)
    alone = 'closed'
    assert.equal(await units('c', 1), 0)
  },
)

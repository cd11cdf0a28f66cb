// Nodes that share a real Valkey discover each other.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { joinNodes } from '../../src/valkey/nodes.ts'
import { openValkey } from '../../src/valkey/open-valkey.ts'
import { missingValkey, startValkey } from '../engines/valkey.ts'
import { until } from '../fakes/until.ts'
import { openConnection } from './open-node.ts'

const skip = missingValkey()

async function join(t: TestContext, url: string, name: string) {
  const connection = await openConnection(t, url)
  return { connection, nodes: await joinNodes({ connection, name, clock: systemClock }) }
}

test(
  'nodes count each other, one that leaves at once, one that dies after five seconds',
  { skip },
  async (t) => {
    const { url } = await startValkey(t)
    const [one, leaving, dying] = [
      await join(t, url, 'one'),
      await join(t, url, 'leaving'),
      await join(t, url, 'dying'),
    ]
    t.after(() => one.nodes.stop())
    await until(() => assert.equal(one.nodes.count, 3))
    assert.ok(Math.abs(one.nodes.skewMs ?? 1e9) < 1_000)
    await leaving.nodes.stop()
    await until(() => assert.equal(one.nodes.count, 2))
    await dying.connection.close()
    await until(() => assert.equal(one.nodes.count, 1))
  },
)

test('two nodes with the same name in their settings count as two', { skip }, async (t) => {
  const { url } = await startValkey(t)
  const nodes = await Promise.all(
    ['one machine', 'other machine'].map((host) =>
      openValkey({
        url,
        name: 'cairn',
        host,
        alone: () => 'divide',
        clock: systemClock,
        log: silentLog,
      }),
    ),
  )
  t.after(() => Promise.all(nodes.map((node) => node.close())))
  for (const node of nodes) await until(() => assert.equal(node.state().count, 2))
})

test('the last number stays while the server is away', { skip }, async (t) => {
  const valkey = await startValkey(t)
  const [one, other] = [await join(t, valkey.url, 'one'), await join(t, valkey.url, 'other')]
  t.after(async () => {
    await one.nodes.stop()
    await other.nodes.stop()
  })
  await until(() => assert.equal(one.nodes.count, 2))
  await valkey.kill()
  await until(() => assert.equal(one.connection.state, 'alone'))
  assert.equal(one.nodes.count, 2)
})

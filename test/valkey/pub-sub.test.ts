// Messages between nodes over a real Valkey.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createValkeyPubSub } from '../../src/valkey/valkey-pub-sub.ts'
import { missingToxiproxy, startToxiproxy } from '../engines/toxiproxy.ts'
import { missingValkey, startValkey } from '../engines/valkey.ts'
import { testPubSub } from '../suites/pub-sub.suite.ts'
import { until } from '../fakes/until.ts'
import { openConnection } from './open-node.ts'

const skip = missingValkey()

async function openPair(t: TestContext, port: number) {
  const open = async () => {
    const pubSub = createValkeyPubSub(await openConnection(t, `valkey://127.0.0.1:${port}`))
    t.after(() => pubSub.close())
    return pubSub
  }
  return { one: await open(), other: await open() }
}

testPubSub('valkey', async (t) => openPair(t, (await startValkey(t)).port), { skip })

test('a connection without messages stays open', { skip }, async (t) => {
  const { url } = await startValkey(t)
  const connection = await openConnection(t, url, { deadlineMs: 2_000, silentMs: 300 })
  const pubSub = createValkeyPubSub(connection)
  t.after(() => pubSub.close())
  t.after(pubSub.subscribe('a', () => {}))
  await until(async () => {
    const list = await connection.call((client) =>
      client.sendCommand<string>(['CLIENT', 'LIST', 'TYPE', 'pubsub']),
    )
    // Its age: the difference of two times in whole seconds, so it is older than one.
    assert.match(list, / age=[2-9]/)
  })
})

test(
  'a subscription goes on after its connection was cut',
  { skip: skip || missingToxiproxy() },
  async (t) => {
    const { port } = await startValkey(t)
    const proxy = await startToxiproxy(t, port)
    const { one, other } = await openPair(t, proxy.port)
    const heard: string[] = []
    const untilHeard = (message: string): Promise<void> =>
      until(() => {
        one.publish('a', message)
        assert.ok(heard.includes(message))
      })
    t.after(other.subscribe('a', (message) => heard.push(message)))
    await untilHeard('before')
    await proxy.cut()
    t.after(other.subscribe('b', (message) => heard.push(message)))
    one.publish('a', 'lost')
    await proxy.heal()
    await untilHeard('after')
    await until(() => {
      one.publish('b', 'b')
      assert.ok(heard.includes('b'))
    })
    assert.ok(!heard.includes('lost'))
  },
)

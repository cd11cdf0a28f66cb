// Recorded requests in a real Valkey.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { defaultKeySettings } from '../../src/access/accounts/key-settings.ts'
import type { Caller } from '../../src/access/accounts/caller.ts'
import type { InspectedRequest } from '../../src/pipeline/inspector/inspected-request.ts'
import { createInspector } from '../../src/pipeline/inspector/inspector.ts'
import { createValkeyInspections } from '../../src/valkey/valkey-inspections.ts'
import { createValkeyPubSub } from '../../src/valkey/valkey-pub-sub.ts'
import { missingToxiproxy, startToxiproxy } from '../engines/toxiproxy.ts'
import { missingValkey, startValkey } from '../engines/valkey.ts'
import { until } from '../fakes/until.ts'
import { inspectedRequest, testInspectorStore } from '../suites/inspector-store.suite.ts'
import { openConnection } from './open-node.ts'

const skip = missingValkey()

testInspectorStore(
  'valkey',
  async (t, requestsPerKeyMax) => {
    const { url } = await startValkey(t)
    const open = async () =>
      createValkeyInspections(await openConnection(t, url), requestsPerKeyMax)
    return { one: await open(), other: await open() }
  },
  { skip },
)

testInspectorStore(
  'valkey with 20 ms to it',
  async (t, requestsPerKeyMax) => {
    const proxy = await startToxiproxy(t, (await startValkey(t)).port)
    await proxy.slow(20)
    const open = async () =>
      createValkeyInspections(
        await openConnection(t, `valkey://127.0.0.1:${proxy.port}`),
        requestsPerKeyMax,
      )
    return { one: await open(), other: await open() }
  },
  { skip: skip || missingToxiproxy() },
)

test('a request that an earlier version stored has no request ID', { skip }, async (t) => {
  const { url } = await startValkey(t)
  const store = createValkeyInspections(await openConnection(t, url))
  const { requestId: _requestId, ...stored } = inspectedRequest(1)
  store.put(stored as InspectedRequest)
  await until(async () => assert.deepEqual(await store.list('k'), [{ ...stored, requestId: null }]))
})

test(
  'the owner of a key sees the requests of every node, now and as they end, until inspection is turned off',
  { skip },
  async (t) => {
    const { url } = await startValkey(t)
    let settings = { ...defaultKeySettings, inspect: true, inspectAddresses: true }
    const open = async () => {
      const connection = await openConnection(t, url)
      const pubSub = createValkeyPubSub(connection)
      t.after(() => pubSub.close())
      const inspector = createInspector({
        settingsOf: () => settings,
        clock: systemClock,
        shared: { store: createValkeyInspections(connection), pubSub },
      })
      t.after(() => inspector.stop())
      return inspector
    }
    const [one, other] = [await open(), await open()]
    const send = (inspector: typeof one): void => {
      const inspection = inspector.begin({ keyId: 'k', settings } as Caller, {
        face: 'rpc',
        transport: 'http',
        network: 'dev',
        arrived: systemClock.monotonic(),
        credential: { key: 'key', secret: null, address: '192.0.2.1' },
      })
      inspection.end({ fault: null, status: 200, bytesIn: 1, bytesOut: 1 })
    }
    const heard: InspectedRequest[] = []
    t.after(other.listen('k', (request) => heard.push(request)))
    await until(() => {
      send(one)
      assert.ok(heard.length > 0)
    })
    send(other)
    let newest: readonly InspectedRequest[] = []
    await until(async () => {
      newest = await one.list('k', {}, 200)
      assert.ok(newest.length >= 2)
    })
    assert.equal(newest[0]?.address, '192.0.2.1')
    assert.deepEqual(await other.find('k', newest[0]?.id ?? 0), newest[0])
    settings = { ...settings, inspectAddresses: false }
    assert.ok((await other.list('k', {}, 200)).every(({ address }) => address === null))
    settings = { ...settings, inspect: false }
    assert.deepEqual(await one.list('k', {}, 200), [])
    settings = { ...settings, inspect: true }
    await until(async () => assert.deepEqual(await other.list('k', {}, 200), []))
  },
)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../base/clock.ts'
import { createBeaconChain, minimalSpec } from '../../test/fakes/beacon/beacon-chain.ts'
import { startBeaconNode } from '../../test/fakes/beacon/beacon-node.ts'
import { createBeaconClient } from './beacon-client.ts'

const { signal } = new AbortController()
const chain = createBeaconChain({ spec: minimalSpec() })

test('each request has the path of the beacon API below the path of the URL, with its query', async (t) => {
  const node = await startBeaconNode(t, { chain, headSlot: () => 50 })
  const client = createBeaconClient(node.url, systemClock)
  t.after(() => client.close())
  assert.deepEqual(await client.bootstrap(chain.rootAt(24), signal), chain.bootstrap(24))
  assert.equal((await client.updates(0, 2, signal)).length, 1)
  assert.deepEqual(await client.optimisticUpdate(signal), chain.optimisticUpdate(49))
  assert.deepEqual(await client.finalityUpdate(signal), chain.finalityUpdate(49))
  const below = createBeaconClient(`${node.url}/node/?key=1`, systemClock)
  t.after(() => below.close())
  await assert.rejects(below.updates(3, 2, signal))
  assert.equal(
    node.requests.at(-1),
    '/node/eth/v1/beacon/light_client/updates?start_period=3&count=2&key=1',
  )
})

test('a status, other text and a reply that is too long are refused without the URL', async (t) => {
  const node = await startBeaconNode(t, { chain, headSlot: () => 50 })
  const client = createBeaconClient(`${node.url}/?secret=1`, systemClock)
  t.after(() => client.close())
  const refuses = (message: RegExp): Promise<void> =>
    assert.rejects(client.optimisticUpdate(signal), (error: Error) => {
      assert.match(error.message, message)
      assert.doesNotMatch(error.message, /secret|127\.0\.0\.1/)
      return error.name === 'BeaconTrouble'
    })
  node.knobs.text = '<html>'
  await refuses(/not JSON/)
  node.knobs.text = `"${'x'.repeat(65 * 1024)}"`
  await refuses(/more than 65536 bytes/)
  // Nested deeper than a message between threads can be.
  node.knobs.text = `{"data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  await refuses(/more than 16 levels/)
  node.knobs.status = 503
  await refuses(/status 503/)
  node.knobs.status = 302
  await refuses(/status 302/)
})

test('at most the requested updates are read', async (t) => {
  const node = await startBeaconNode(t, { chain, headSlot: () => 50 })
  const client = createBeaconClient(node.url, systemClock)
  t.after(() => client.close())
  node.knobs.text = JSON.stringify(Array.from({ length: 9 }, (_, data) => ({ data })))
  assert.deepEqual(await client.updates(0, 3, signal), [0, 1, 2])
  node.knobs.text = '{}'
  await assert.rejects(client.updates(0, 3, signal), /not a list/)
})

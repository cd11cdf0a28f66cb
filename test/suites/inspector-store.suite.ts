// The guarantees of every InspectorStore.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { InspectedRequest } from '../../src/pipeline/inspector/inspected-request.ts'
import type { InspectorStore } from '../../src/pipeline/inspector/inspector-store.ts'
import { until } from '../fakes/until.ts'

export function inspectedRequest(id: number, keyId = 'k'): InspectedRequest {
  return {
    id,
    keyId,
    requestId: `r${id}`,
    time: 1,
    face: 'rpc',
    transport: 'http',
    network: 'dev',
    method: 'eth_chainId',
    batch: null,
    outcome: 'ok',
    reason: null,
    errorCode: null,
    failed: 0,
    status: 200,
    units: 5,
    bytesIn: 1,
    bytesOut: 1,
    ms: 0.5,
    verified: 'proof',
    head: null,
    block: null,
    upstreams: ['ü'],
    origin: null,
    userAgent: null,
    address: '192.0.2.1',
    calls: [],
    timeline: [],
    stepsLeft: 0,
  }
}

/** `one` and `other`: two nodes. */
export function testInspectorStore(
  name: string,
  open: (
    t: TestContext,
    requestsPerKeyMax: number,
  ) => Promise<{ readonly one: InspectorStore; readonly other: InspectorStore }>,
  options: { readonly skip?: string | false } = {},
): void {
  const { skip = false } = options
  const ids = async (store: InspectorStore, keyId: string) =>
    (await store.list(keyId)).map(({ id }) => id)

  test(
    `${name}: every node lists the last requests of a key, oldest first`,
    { skip },
    async (t) => {
      const { one, other } = await open(t, 3)
      for (let id = 1; id <= 5; id++) one.put(inspectedRequest(id))
      one.put(inspectedRequest(6, 'another'))
      await until(async () => assert.deepEqual(await ids(other, 'k'), [3, 4, 5]))
      assert.deepEqual((await other.list('another'))[0], inspectedRequest(6, 'another'))
      assert.deepEqual(await other.list('absent'), [])
      assert.deepEqual([...one.keys()].toSorted(), ['another', 'k'])
    },
  )

  test(`${name}: requests of a key are rewritten, and cleared`, { skip }, async (t) => {
    const { one, other } = await open(t, 200)
    for (let id = 1; id <= 50; id++) one.put(inspectedRequest(id))
    one.put(inspectedRequest(99, 'another'))
    await until(async () => assert.equal((await other.list('k')).length, 50))
    other.rewrite('k', (request) => ({ ...request, address: null }))
    await until(async () => {
      const found = await one.list('k')
      assert.ok(found.every(({ address }) => address === null))
      assert.deepEqual(
        await ids(one, 'k'),
        Array.from({ length: 50 }, (_, at) => at + 1),
      )
    })
    one.clear('k')
    await until(async () => assert.deepEqual(await other.list('k'), []))
    assert.ok(!one.keys().includes('k'))
    assert.equal((await one.list('another')).length, 1)
  })
}

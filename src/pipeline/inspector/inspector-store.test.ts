import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspectedRequest, testInspectorStore } from '../../../test/suites/inspector-store.suite.ts'
import { sizeOf } from './inspected-request.ts'
import { createMemoryInspections } from './inspector-store.ts'

testInspectorStore('memory', async (_t, requestsPerKeyMax) => {
  const store = createMemoryInspections({ requestsPerKeyMax, bytesMax: 2 ** 30 })
  return { one: store, other: store }
})

test('requests of a process are limited in bytes', async () => {
  const each = sizeOf(inspectedRequest(1))
  const store = createMemoryInspections({ requestsPerKeyMax: 10, bytesMax: 2 * each })
  for (let id = 1; id <= 3; id++) store.put(inspectedRequest(id, `k${id}`))
  assert.equal(store.bytes, 2 * each)
  assert.deepEqual(await store.list('k1'), [])
  store.clear('k2')
  store.clear('k3')
  assert.equal(store.bytes, 0)
})

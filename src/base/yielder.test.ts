import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createYielder } from './yielder.ts'

test('other work gets a turn each time so much was done, and not before', async () => {
  const yieldAfter = createYielder(10)
  assert.equal(yieldAfter(9), null)
  let others = 0
  setImmediate(() => (others += 1))
  await yieldAfter(1)
  assert.equal(others, 1)
  assert.equal(yieldAfter(9), null)
  assert.ok(yieldAfter(100) instanceof Promise)
})

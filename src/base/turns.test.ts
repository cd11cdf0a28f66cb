import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurns } from './turns.ts'

test('other work gets a turn each time so much was done, and not before', async () => {
  const spend = createTurns(10)
  assert.equal(spend(9), null)
  let others = 0
  setImmediate(() => (others += 1))
  await spend(1)
  assert.equal(others, 1)
  assert.equal(spend(9), null)
  assert.ok(spend(100) instanceof Promise)
})

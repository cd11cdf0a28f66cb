import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { createFlows, flowMs } from './flows.ts'

const uri = 'https://cairn.example.org/dashboard/openid'

test('a flow is taken once, by its own purpose, within ten minutes', () => {
  const clock = createManualClock()
  const flows = createFlows({ clock })
  const { flow, seal } = flows.create('signing in', uri)
  assert.ok(!Buffer.from(seal, 'base64url').includes(flow.verifier), 'the seal is encrypted')
  assert.throws(() => flows.consume(seal, 'linking in s'), /begun elsewhere/)
  assert.deepEqual(flows.consume(seal, 'signing in'), flow)
  assert.throws(() => flows.consume(seal, 'signing in'), /answered already/)
  const late = flows.create('signing in', uri)
  clock.advance(flowMs)
  assert.throws(() => flows.consume(late.seal, 'signing in'), /took too long/)
})

test('altered seals, and seals of another process, are refused', () => {
  const clock = createManualClock()
  const flows = createFlows({ clock })
  const { seal } = flows.create('signing in', uri)
  const altered = Buffer.from(seal, 'base64url')
  altered[20] = (altered[20] ?? 0) ^ 1
  for (const bad of ['', 'x', altered.toString('base64url')]) {
    assert.throws(() => flows.consume(bad, 'signing in'), /begun elsewhere/)
  }
  assert.throws(() => createFlows({ clock }).consume(seal, 'signing in'), /begun elsewhere/)
})

test('the number of used flows is bounded, and expired ones make room', () => {
  const clock = createManualClock()
  const flows = createFlows({ clock, usedMax: 2 })
  const take = () => flows.consume(flows.create('signing in', uri).seal, 'signing in')
  take()
  take()
  assert.throws(take, /overloaded/)
  clock.advance(flowMs)
  take()
})

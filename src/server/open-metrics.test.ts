import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readyAnswer } from './open-metrics.ts'

test('a server whose IPFS network is down is ready, and says what fails', () => {
  const state = { ready: true, draining: false }
  assert.equal(readyAnswer(state).body, '{"status":"ready"}\n')
  const { status, body } = readyAnswer({ ...state, details: ['network_down'] })
  assert.equal(status, 200)
  assert.equal(body, '{"status":"ready","details":["network_down"]}\n')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { servingPolicies } from '../../../rpc/relay/relayed-methods.ts'
import { classOf, isRead, mayRetryElsewhere } from './method-policy.ts'

test('a method without a policy is treated as a write', () => {
  for (const method of ['eth_newThing', 'debug_setHead', 'foo', '', 'eth_sendTransaction']) {
    assert.equal(classOf(servingPolicies, method), 'unlisted')
  }
  assert.ok(!isRead('unlisted'))
  assert.ok(mayRetryElsewhere('unlisted', { kind: 'trouble', phase: 'unsent' }))
  assert.ok(mayRetryElsewhere('unlisted', { kind: 'unsupported', phase: 'answering' }))
  assert.ok(!mayRetryElsewhere('unlisted', { kind: 'trouble', phase: 'sent' }))
  assert.ok(!mayRetryElsewhere('unlisted', { kind: 'rate_limit', phase: 'answering' }))
})

test('known reads go to another upstream on trouble, refusals and missing data, never on a revert or bad params', () => {
  assert.equal(classOf(servingPolicies, 'eth_call'), 'read')
  for (const kind of [
    'trouble',
    'rate_limit',
    'missing_state',
    'unknown_block',
    'unsupported',
  ] as const) {
    assert.ok(mayRetryElsewhere('read', { kind, phase: 'answering' }), kind)
  }
  for (const kind of ['execution', 'client_fault', 'range', 'other'] as const) {
    assert.ok(!mayRetryElsewhere('read', { kind, phase: 'answering' }), kind)
  }
})

test('traces go to another upstream only before the first byte of an answer', () => {
  assert.equal(classOf(servingPolicies, 'debug_traceTransaction'), 'trace')
  assert.equal(classOf(servingPolicies, 'trace_block'), 'trace')
  assert.equal(classOf(servingPolicies, 'debug_storageRangeAt'), 'trace')
  assert.ok(mayRetryElsewhere('trace', { kind: 'trouble', phase: 'sent' }))
  assert.ok(!mayRetryElsewhere('trace', { kind: 'trouble', phase: 'answering' }))
  assert.ok(!mayRetryElsewhere('trace', { kind: 'missing_state', phase: 'answering' }))
})

test('transactions and filters are never repeated', () => {
  for (const method of ['eth_sendRawTransaction', 'eth_newFilter', 'eth_getFilterChanges']) {
    const methodClass = classOf(servingPolicies, method)
    assert.ok(!isRead(methodClass))
    assert.ok(!mayRetryElsewhere(methodClass, { kind: 'trouble', phase: 'unsent' }))
  }
})

test('content goes to another upstream after any failure', () => {
  assert.equal(classOf(servingPolicies, 'eth_getProof'), 'content')
  for (const kind of [
    'client_fault',
    'other',
    'proof_window',
    'pruned',
    'unknown_block',
  ] as const) {
    assert.ok(mayRetryElsewhere('content', { kind, phase: 'answering' }), kind)
  }
})

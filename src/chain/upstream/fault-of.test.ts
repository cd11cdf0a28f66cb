import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOf } from './fault-of.ts'
import { UpstreamError, type UpstreamErrorKind } from './node/upstream-error.ts'

const request = { network: 'mainnet', method: 'x_y' }
const errorOf = (kind: UpstreamErrorKind, message = 'its words', more: object = {}) =>
  new UpstreamError({ kind, phase: 'answering', message, ...more })

test('a node’s error about the call passes with its code and data', () => {
  const error = errorOf('execution', 'execution reverted: no', { code: 3, data: '0x08c379a0' })
  const fault = faultOf(error, request)
  assert.deepEqual(
    [fault.code, fault.message, fault.upstreamError],
    ['upstream_said', 'execution reverted: no', { code: 3, data: '0x08c379a0' }],
  )
  assert.equal(faultOf(errorOf('other'), request).upstreamError?.code, -32000)
})

test('a node’s own error passes, with any code and text', () => {
  for (const [kind, code, message] of [
    ['trouble', -32603, 'Internal error'],
    ['unsupported', -32000, 'tracer not supported'],
    ['other', -38014, 'transaction type not supported'],
    ['no_tag', -32001, 'safe block not found'],
    ['range', -32602, 'range too large'],
  ] as const) {
    const fault = faultOf(errorOf(kind, message, { code, data: ['its data'] }), request)
    assert.deepEqual([fault.message, fault.upstreamError], [message, { code, data: ['its data'] }])
  }
  const proxied = errorOf('trouble', 'bad gateway', { code: -32603, status: 502 })
  assert.equal(faultOf(proxied, request).code, 'no_upstream')
  for (const code of [-32601, -32004]) {
    assert.equal(faultOf(errorOf('unsupported', 'x', { code }), request).code, 'no_method')
  }
})

test('a transport error becomes an error of Cairn, and names no node', () => {
  for (const kind of ['rate_limit', 'billing', 'credentials', 'trouble', 'not_asked'] as const) {
    const fault = faultOf(errorOf(kind, 'secret host refused'), request)
    assert.deepEqual(
      [fault.code, fault.message],
      ['no_upstream', 'no source reachable for mainnet'],
    )
  }
})

test('missing history, missing state and unknown methods give the same error for every node', () => {
  const codes = (
    ['pruned', 'missing_state', 'unsupported', 'unknown_block', 'range', 'proof_window'] as const
  ).map((kind) => faultOf(errorOf(kind), request).code)
  assert.deepEqual(codes, [
    'pruned',
    'no_state',
    'no_method',
    'unknown_block',
    'over_range',
    'unprovable',
  ])
})

test('long texts are cut', () => {
  assert.equal(faultOf(errorOf('other', 'x'.repeat(5_000)), request).message.length, 1024)
})

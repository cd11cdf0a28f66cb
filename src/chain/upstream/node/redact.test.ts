import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHide, createRedact, hostOf } from './redact.ts'

const url = new URL(
  'https://someone:p%40ssword@node.example:8545/v3/0123456789abcdef?token=querytoken',
)
const wsUrl = new URL('wss://node.example/ws/ws-path-key?k=ws-query-key')
const redact = createRedact([url, wsUrl], { authorization: 'Bearer header-token', 'x-a': 'b' })

test('keys in the path, the query, the credentials and the headers are removed from a text', () => {
  const text =
    'invalid key 0123456789abcdef for someone / p@ssword / p%40ssword / querytoken / header-token / ' +
    'ws-path-key / ws-query-key'
  const clear = redact(text)
  for (const secret of [
    '0123456789abcdef',
    'someone',
    'p@ss',
    'p%40ss',
    'querytoken',
    'header-token',
    'ws-path-key',
    'ws-query-key',
  ]) {
    assert.ok(!clear.includes(secret), `${secret} in ${clear}`)
  }
})

test('a URL in a text is cut to its scheme and host', () => {
  assert.equal(
    redact('see https://u:p@other.example:1/key?x=1, or "wss://other.example/k"'),
    'see https://other.example:1 or "wss://other.example"',
  )
})

test('short words stay, so that sentences stay readable', () => {
  assert.equal(redact('block v3 b not found'), 'block v3 b not found')
})

test('an error text for callers names neither the upstream’s host nor hosts behind it', () => {
  const hide = createHide(url)
  const text =
    'node.example:8545: Post "http://10.0.3.7:8551": lookup geth-0.eth.svc.cluster.local on 10.0.0.2:53, localhost:1'
  assert.equal(
    hide(text),
    '<redacted>: Post "http://<redacted>": lookup <redacted> on <redacted>, <redacted>',
  )
  for (const plain of ['v1.2.3 has no local state', 'gas 1.5 is too low', 'see docs.example.com']) {
    assert.equal(hide(plain), plain)
  }
  // The time for a text of an upstream is linear in its length.
  assert.equal(hide('a.'.repeat(8_000)), 'a.'.repeat(8_000))
})

test('an upstream is named by host and port', () => {
  assert.equal(hostOf(url), 'node.example:8545')
})

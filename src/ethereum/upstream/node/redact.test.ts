import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRedact, hostOf } from './redact.ts'

const url = new URL(
  'https://someone:p%40ssword@node.example:8545/v3/0123456789abcdef?token=querytoken',
)
const redact = createRedact(url, { authorization: 'Bearer header-token', 'x-a': 'b' })

test('keys in the path, the query, the credentials and the headers are taken out of a text', () => {
  const text =
    'invalid key 0123456789abcdef for someone / p@ssword / p%40ssword / querytoken / header-token'
  const clear = redact(text)
  for (const secret of [
    '0123456789abcdef',
    'someone',
    'p@ss',
    'p%40ss',
    'querytoken',
    'header-token',
  ]) {
    assert.ok(!clear.includes(secret), `${secret} in ${clear}`)
  }
})

test('a URL in a text keeps its scheme and host alone', () => {
  assert.equal(
    redact('see https://u:p@other.example:1/key?x=1, or "wss://other.example/k"'),
    'see https://other.example:1 or "wss://other.example"',
  )
})

test('short words stay, so that sentences stay readable', () => {
  assert.equal(redact('block v3 b not found'), 'block v3 b not found')
})

test('an upstream is called by host and port', () => {
  assert.equal(hostOf(url), 'node.example:8545')
})

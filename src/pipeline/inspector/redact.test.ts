import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createApiKey, createApiSecret } from '../../access/accounts/api-key.ts'
import { createRedact } from './redact.ts'

const redact = createRedact(['opaque-key-0001', 'opaque-secret', null, undefined, 'short'])

test('credentials of the request itself are removed wherever they occur', () => {
  deepEqual(redact('["opaque-key-0001","opaque-secretopaque-secret","short"]', 1000), {
    text: '["[redacted]","[redacted][redacted]","short"]',
    cut: false,
  })
})

for (const [name, secret, planted = secret.slice(-12)] of [
  ['a key of Cairn', createApiKey()],
  ['a secret of Cairn', createApiSecret()],
  ['a token of Cairn', `cairnt_${'a1'.repeat(18)}`],
  ['a JSON web token', `eyJhbGciOiJFUzI1NiJ9.eyJleHAiOjF9.${'x-_'.repeat(20)}`],
  ['Basic', `Basic ${Buffer.from('user:password').toString('base64')}`],
  ['Bearer', 'bearer abcdefgh12345678'],
  ['the user part of a URL', 'https://user:password@node.example/', 'user:password'],
  ['the key in a URL', 'https://mainnet.infura.io/v3/0123456789abcdef0123456789abcdef'],
] as const) {
  test(`${name} is removed by its shape`, () => {
    const { text } = redact(`{"in":"${secret}"}`, 1000)
    equal(text.includes(planted), false, text)
    equal(text.includes('[redacted]'), true, text)
  })
}

test('a secret across the length limit is removed whole', () => {
  for (let before = 80; before <= 101; before++) {
    const { text, cut } = redact(`${'x'.repeat(before)}opaque-secret${'y'.repeat(50)}`, 100)
    equal(cut, true)
    equal(text.length, 100)
    equal(/opaq/.test(text), false, text)
  }
})

test('text without credentials is unchanged', () => {
  const text = '["0x8bebc8ba651aee624937e7d897853ac30c95a067","0x1",{"blockHash":"0xab"}]'
  deepEqual(redact(text, 1000), { text, cut: false })
})

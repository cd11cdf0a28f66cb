import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIpList, parseIpRule } from '../base/addresses.ts'
import { createClientAddress, peerAddress } from './request-head.ts'

const rules = ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'].map(
  (entry) => parseIpRule(entry) ?? assert.fail(entry),
)
const { of, trusts } = createClientAddress(createIpList(rules))

const cases: readonly (readonly [
  what: string,
  peer: string,
  header: string | undefined,
  caller: string,
])[] = [
  ['no header', '10.0.0.1', undefined, '10.0.0.1'],
  ['an empty header', '10.0.0.1', '', '10.0.0.1'],
  ['a header of a stranger', '192.0.2.9', '198.51.100.1', '192.0.2.9'],
  ['one proxy', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['IPv4 written as IPv6', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['two proxies', '127.0.0.1', '198.51.100.1, 10.2.3.4', '198.51.100.1'],
  ['what the caller wrote in front', '10.0.0.1', '127.0.0.1, 198.51.100.1', '198.51.100.1'],
  ['a forged chain in front', '10.0.0.1', '203.0.113.7,198.51.100.1,10.9.9.9', '198.51.100.1'],
  ['proxies alone', '127.0.0.1', '10.0.0.2, 10.0.0.3', '10.0.0.2'],
  ['IPv6', '2001:db8::1', '2a00::5', '2a00::5'],
  ['a port', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
  ['IPv6 with a port', '10.0.0.1', '[2a00::5]:4711', '2a00::5'],
  ['IPv6 in brackets', '10.0.0.1', '[2a00::5]', '2a00::5'],
  ['no address', '10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
  ['no address behind a proxy', '10.0.0.1', 'unknown, 10.0.0.2', '10.0.0.2'],
  ['a line of text', '10.0.0.1', '198.51.100.1\u0000', '10.0.0.1'],
]

for (const [what, peer, header, caller] of cases) {
  test(`who sent a request behind trusted proxies: ${what}`, () => {
    assert.equal(of(peer, header), caller)
  })
}

test('a header of ten thousand proxies is not read to its beginning', () => {
  const header = `198.51.100.1${', 10.0.0.1'.repeat(10_000)}`
  assert.equal(of('10.0.0.1', header), '10.0.0.1')
})

test('without trusted proxies the client address is that of the socket', () => {
  assert.equal(peerAddress.of('127.0.0.1', '198.51.100.1'), '127.0.0.1')
  assert.equal(peerAddress.trusts('127.0.0.1'), false)
  assert.equal(trusts('127.0.0.1'), true)
})

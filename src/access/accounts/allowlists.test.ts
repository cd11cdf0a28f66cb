import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromHex } from '../../base/hex.ts'
import {
  type Origins,
  authorizeAddresses,
  authorizeMethod,
  authorizeOrigins,
  compileAllowlists,
} from './allowlists.ts'
import { defaultKeySettings, type KeySettings } from './key-settings.ts'
import { changeKeySettings } from './parse-key-settings.ts'

function compile(changes: Partial<KeySettings>) {
  const lists = compileAllowlists(changeKeySettings(defaultKeySettings, changes))
  assert(lists !== null)
  return lists
}

/** Returns the reason of the refusal, or `passes`. */
function verdict(check: () => void): string {
  try {
    check()
    return 'passes'
  } catch (thrown) {
    const { code, data, message } = thrown as { code: string; data: unknown; message: string }
    assert.equal(code, 'refused_by_setting')
    assert.equal(message, 'rejected due to project ID settings')
    assert.deepEqual(Object.keys(data as object), ['reason'])
    return (data as { reason: string }).reason
  }
}

const from = (changes: Partial<KeySettings>, shown: Origins) =>
  verdict(() => authorizeOrigins(compile(changes), shown))

test('a key without lists allows every request', () => {
  assert.equal(compileAllowlists(defaultKeySettings), null)
})

test('types are ANDed, entries ORed, and an empty type allows all', () => {
  const lists = { allowOrigins: ['a.example', 'b.example'], allowUserAgents: ['Fire', 'Safari'] }
  const shown = { origin: 'https://b.example', userAgent: 'Firefox/1' }
  assert.equal(from(lists, shown), 'passes')
  assert.equal(from(lists, { ...shown, origin: 'https://c.example' }), 'origin')
  assert.equal(from(lists, { ...shown, userAgent: 'curl' }), 'user_agent')
  assert.equal(from({ allowMethods: ['eth_call'] }, {}), 'passes')
})

const passes: readonly (readonly [entry: string, origin: string])[] = [
  ['a.example', 'https://a.example'],
  ['a.example', 'http://a.example'],
  ['A.Example', 'HTTPS://a.EXAMPLE'],
  ['https://a.example', 'https://a.example'],
  ['https://a.example/', 'https://a.example'],
  ['https://a.example:443', 'https://a.example'],
  ['https://a.example', 'https://a.example:443'],
  ['a.example:443', 'https://a.example'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['localhost:3000', 'http://localhost:3000'],
  ['a.example.', 'https://a.example'],
  ['a.example', 'https://a.example.'],
  ['*.a.example', 'https://b.a.example'],
  ['*.a.example', 'https://c.b.a.example'],
  ['https://*.a.example:8443', 'https://b.a.example:8443'],
  ['bücher.example', 'https://xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'https://xn--bcher-kva.example'],
  ['http://[::1]:3000', 'http://[::1]:3000'],
  ['http://[0:0::1]', 'http://[::1]'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['chrome-extension://abcdefgh', 'chrome-extension://abcdefgh'],
]

const refused: readonly (readonly [entry: string, origin: string | undefined])[] = [
  ['a.example', undefined],
  ['a.example', ''],
  ['a.example', 'null'],
  ['https://a.example', 'http://a.example'],
  ['a.example', 'https://a.example:8443'],
  ['a.example:443', 'http://a.example'],
  ['https://a.example:8443', 'https://a.example'],
  ['a.example', 'https://b.a.example'],
  ['a.example', 'https://nota.example'],
  ['*.a.example', 'https://a.example'],
  ['*.a.example', 'https://nota.example'],
  ['*.a.example', 'https://.a.example.evil.example'],
  ['a.example', 'https://a.example.evil.example'],
  ['a.example', 'https://evil.example/a.example'],
  ['a.example', 'https://a.example@evil.example'],
  ['a.example', 'https://evil.example#.a.example'],
  ['a.example', 'https://a.example, https://evil.example'],
  ['*.a.example', 'https://evil.example, https://b.a.example'],
  ['*.a.example', 'https://evil.example\\.a.example'],
  ['a.example', 'a.example'],
  ['a.example', 'https://a%2eexample'],
  ['bücher.example', 'https://bücher.example'],
]

test('an origin passes by host, scheme if one is named, and port; *. is any subdomain', () => {
  for (const [entry, origin] of passes) {
    assert.equal(from({ allowOrigins: [entry] }, { origin }), 'passes', `${entry} ${origin}`)
  }
})

test('another scheme, port or host, a subdomain, no Origin or the null origin do not pass', () => {
  for (const [entry, origin] of refused) {
    assert.equal(from({ allowOrigins: [entry] }, { origin }), 'origin', `${entry} ${origin}`)
  }
})

test('an origin that no browser sends, or that any page can take, is refused when it is set', () => {
  const bad = [
    '*',
    'null',
    '',
    ' ',
    '*.',
    'https://',
    'a.example/x',
    'u@a.example',
    'a..b',
    '*.*.b',
  ]
  for (const entry of [...bad, 'a.example:99999', 'a b', 'a,b', '*.[::1]', '%61.example', 'a*.b']) {
    assert.throws(() => compile({ allowOrigins: [entry] }), { reason: 'bad_setting' }, entry)
  }
})

test('an IP address passes by itself or by its block, also as IPv4 in IPv6 form', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '::ffff:192.0.2.7', true],
    ['192.0.2.7', '192.0.2.8', false],
    ['::ffff:192.0.2.7', '192.0.2.7', true],
    ['::ffff:c000:207', '192.0.2.7', true],
    ['192.0.2.0/24', '192.0.2.0', true],
    ['192.0.2.0/24', '::ffff:192.0.2.255', true],
    ['192.0.2.0/24', '192.0.3.0', false],
    ['192.0.2.0/24', '192.0.1.255', false],
    ['192.0.2.130/25', '192.0.2.127', false],
    ['192.0.2.130/25', '192.0.2.128', true],
    ['192.0.2.7/32', '192.0.2.6', false],
    ['128.0.0.0/1', '127.255.255.255', false],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['2001:DB8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::', false],
    ['2001:db8::1', '2001:db8:0:0:0:0:0:1', true],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['::ffff:192.0.2.0/120', '192.0.2.9', true],
    ['::ffff:192.0.2.0/120', '192.0.3.9', false],
    ['192.0.2.7', '', false],
  ]
  for (const [entry, address, allowed] of cases) {
    const expected = allowed ? 'passes' : 'ip'
    assert.equal(from({ allowIps: [entry] }, { address }), expected, `${entry} ${address}`)
  }
  for (const entry of [
    '',
    '192.0.2',
    '192.0.2.0/33',
    '::/129',
    '1.2.3.4/',
    'a.example',
    '01.2.3.4',
  ]) {
    assert.throws(() => compile({ allowIps: [entry] }), { reason: 'bad_setting' }, entry)
  }
})

test('a user agent passes by a part of it, upper and lower case as they are; none does not pass', () => {
  const lists = { allowUserAgents: ['MyApp/2'] }
  assert.equal(from(lists, { userAgent: 'x MyApp/2.1 y' }), 'passes')
  assert.equal(from(lists, { userAgent: 'x myapp/2.1 y' }), 'user_agent')
  assert.equal(from(lists, {}), 'user_agent')
  for (const entry of ['', ' ', 'ä', 'a\nb', 'a'.repeat(257)]) {
    assert.throws(() => compile({ allowUserAgents: [entry] }), { reason: 'bad_setting' })
  }
})

test('a method passes by its exact name', () => {
  const lists = compile({ allowMethods: ['eth_call', 'pin/add'] })
  const check = (name: string) => verdict(() => authorizeMethod(lists, name))
  assert.deepEqual(['eth_call', 'pin/add'].map(check), ['passes', 'passes'])
  const others = ['eth_Call', 'eth_call ', 'eth_callMany', 'pin', 'pin/add/', 'PIN/ADD', '']
  assert.deepEqual(new Set(others.map(check)), new Set(['method']))
})

test('every account that a call names must be listed, and one that names none is refused', () => {
  const [one, two] = [`0x${'aB'.repeat(20)}`, `0x${'02'.repeat(20)}`]
  const lists = compile({ allowAddresses: [one, two] })
  const check = (...named: string[]) =>
    verdict(() =>
      authorizeAddresses(
        lists,
        named.map((address) => fromHex(address.toLowerCase())),
      ),
    )
  assert.equal(check(one), 'passes')
  assert.equal(check(one, two), 'passes')
  assert.equal(check(one, `0x${'03'.repeat(20)}`), 'address')
  assert.equal(check(), 'address')
  assert.equal(
    verdict(() => authorizeAddresses(compile({ allowMethods: ['a'] }), [])),
    'passes',
  )
})

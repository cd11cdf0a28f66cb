import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { createJwtSigner, writeJwt } from '../../../test/fakes/people/jwt-signer.ts'
import { Fault } from '../../base/fault.ts'
import { authorizeAddresses, authorizeMethod, authorizeOrigins } from './allowlists.ts'
import { jwtCharsMax, verifyJwt } from './jwt.ts'
import { parsePublicKey } from './jwt-public-keys.ts'

const now = Date.UTC(2026, 0, 1)
const nowSeconds = now / 1000
const rsa = createJwtSigner('RS256', () => now)
const ec = createJwtSigner('ES256', () => now)
const stranger = createJwtSigner('ES256', () => now)
const keys = new Map([
  ['r', parsePublicKey(rsa.publicKey)],
  ['e', parsePublicKey(ec.publicKey)],
])
const audiences = ['infura.io', 'cairn.example']
const verify = (text: string) => verifyJwt(text, keys, { now, audiences })

async function reasonFor(text: string): Promise<unknown> {
  try {
    await verify(text)
    return 'none'
  } catch (thrown) {
    assert.ok(thrown instanceof Fault, String(thrown))
    assert.equal(thrown.code, 'bad_token')
    assert.equal(thrown.message, 'invalid JWT')
    return (thrown.data as { reason: string }).reason
  }
}

test('a token that a public key of the key signed is good until its end and 30 seconds more', async () => {
  for (const [kid, signer] of [
    ['r', rsa],
    ['e', ec],
  ] as const) {
    const verified = await verify(await signer.sign(kid))
    assert.deepEqual(verified, { expires: now + 3_630_000, lists: null })
  }
  assert.equal(await reasonFor(await ec.sign('e', { exp: nowSeconds - 29 })), 'none')
  assert.equal(await reasonFor(await ec.sign('e', { exp: nowSeconds - 31 })), 'expired')
  assert.equal(await reasonFor(await ec.sign('e', { nbf: nowSeconds + 29 })), 'none')
  assert.equal(await reasonFor(await ec.sign('e', { nbf: nowSeconds + 31 })), 'not_yet')
})

test('one of the audiences must match; typ may be absent, but no other value than JWT is accepted', async () => {
  assert.equal(await reasonFor(await ec.sign('e', { aud: ['else', 'cairn.example'] })), 'none')
  assert.equal(await reasonFor(await ec.sign('e', { aud: 'else' })), 'audience')
  assert.equal(await reasonFor(await ec.sign('e', { aud: [] })), 'audience')
  assert.equal(await reasonFor(await ec.sign('e', { aud: undefined })), 'audience')
  assert.equal(await reasonFor(await ec.sign('e', {}, { typ: undefined })), 'none')
  assert.equal(await reasonFor(await ec.sign('e', {}, { typ: 'at+jwt' })), 'claims')
})

test('tokens that are forged, or signed by a key that is not the one they name, are refused', async () => {
  const good = await ec.sign('e')
  const [header = '', payload = '', signature = ''] = good.split('.')
  const members = { exp: nowSeconds + 3600, aud: 'infura.io' }
  const later = Buffer.from(JSON.stringify({ ...members, exp: nowSeconds + 7200 }))
  // The public key is not secret. A token signed with it as an HMAC key must be refused.
  const hmacHead = writeJwt({ alg: 'HS256', typ: 'JWT', kid: 'r' }, members).split('.')
  const hmacText = hmacHead.slice(0, 2).join('.')
  const hmac = createHmac('sha256', rsa.publicKey).update(hmacText).digest('base64url')
  const ownKey = { jwk: stranger.privateKey.export({ format: 'jwk' }) }
  const cases: readonly (readonly [text: string, reason: string])[] = [
    [`${header}.${later.toString('base64url')}.${signature}`, 'signature'],
    [`${header}.${payload}.${signature.slice(0, -2)}`, 'signature'],
    [`${header}.${payload}.${'A'.repeat(86)}`, 'signature'],
    [writeJwt({ alg: 'none', typ: 'JWT', kid: 'e' }, members), 'algorithm'],
    [writeJwt({ alg: 'none', typ: 'JWT', kid: 'e' }, members, ''), 'malformed'],
    [`${hmacText}.${hmac}`, 'algorithm'],
    [await rsa.sign('e'), 'algorithm'],
    [await rsa.sign('r', {}, { alg: 'RS512' }), 'algorithm'],
    [await rsa.sign('r', {}, { alg: 'PS256' }), 'algorithm'],
    [await stranger.sign('e'), 'signature'],
    [await stranger.sign('e', {}, ownKey), 'signature'],
    [await ec.sign('r'), 'algorithm'],
    [await ec.sign('x'), 'kid'],
    [await ec.sign('__proto__'), 'kid'],
    [await ec.sign('e', {}, { kid: undefined }), 'kid'],
    [await ec.sign('e', {}, { crit: ['b64'], b64: false }).catch(() => 'a.b.c'), 'malformed'],
    [writeJwt({ alg: 'ES256', kid: 'e', crit: ['x'], x: 1 }, members, 'A'.repeat(86)), 'malformed'],
  ]
  for (const [text, reason] of cases) assert.equal(await reasonFor(text), reason, text)
})

test('a text that is not a token, in any form of damage, is malformed, and so is one that is too long', async () => {
  const good = await ec.sign('e')
  const long = await ec.sign('e', { padding: 'x'.repeat(jwtCharsMax) })
  const texts = ['', '.', '..', 'a.b.c', `${good}.x`, `${good} `, long, '{}.{}.{}', '\0.\0.\0']
  for (const text of texts) assert.equal(await reasonFor(text), 'malformed', text.slice(0, 40))
  for (let n = 0; n < 200; n++) {
    const at = (n * 7) % good.length
    const spoilt = good.slice(0, at) + (good[at] === 'A' ? 'B' : 'A') + good.slice(at + 1)
    // Some bits of the last character do not belong to a byte of the signature.
    if (at < good.length - 1) assert.notEqual(await reasonFor(spoilt), 'none', spoilt)
  }
})

test('a token without an expiry, or with invalid claims, is refused', async () => {
  const wrong: readonly Readonly<Record<string, unknown>>[] = [
    { exp: undefined },
    { exp: '1958812021' },
    { nbf: 'soon' },
    { methods: 'eth_call' },
    { methods: [] },
    { methods: ['eth call'] },
    { methods: Array.from({ length: 31 }, () => 'eth_call') },
    { addresses: ['0x12'] },
    { origins: ['*'] },
    { user_agents: [''] },
    { user_agents: { '0': 'x' } },
  ]
  for (const claims of wrong) {
    assert.equal(await reasonFor(await ec.sign('e', claims)), 'claims', JSON.stringify(claims))
  }
})

test('the lists of a token allow their entries; an absent list allows all', async () => {
  const address = '0x295a70b2De5e3953354a6a8344e616ed314d7251'
  const { lists } = await verify(
    await rsa.sign('r', { methods: ['eth_call'], addresses: [address], user_agents: ['app/'] }),
  )
  assert.ok(lists !== null)
  authorizeMethod(lists, 'eth_call')
  assert.throws(() => authorizeMethod(lists, 'eth_getLogs'), Fault)
  authorizeAddresses(lists, [new Uint8Array(Buffer.from(address.slice(2), 'hex'))])
  assert.throws(() => authorizeAddresses(lists, []), Fault)
  authorizeOrigins(lists, { userAgent: 'my app/1', origin: 'https://any.example', address: '::1' })
  assert.throws(() => authorizeOrigins(lists, { userAgent: 'curl' }), Fault)
})

test('a token that lives longer than keys may allow is refused, with or without iat', async () => {
  const seconds = nowSeconds
  const hour = 3600
  const reason = async (claims: Record<string, unknown>): Promise<unknown> => {
    const text = await ec.sign('e', claims)
    const at = { now, audiences, lifeMsMax: hour * 1000 }
    return verifyJwt(text, keys, at).then(
      () => 'none',
      (thrown: Fault) => (thrown.data as { reason: string }).reason,
    )
  }
  const cases: readonly (readonly [Record<string, unknown>, string])[] = [
    [{ iat: undefined, exp: seconds + hour }, 'none'],
    [{ iat: seconds - 60, exp: seconds + hour - 60 }, 'none'],
    [{ iat: undefined, exp: seconds + hour + 31 }, 'lifetime'],
    [{ iat: seconds - 60, exp: seconds + hour }, 'lifetime'],
    // A later start does not extend the limit.
    [{ iat: seconds + 86_400, exp: seconds + 86_400 + hour }, 'lifetime'],
    [{ iat: seconds, exp: 1e300 }, 'lifetime'],
  ]
  for (const [claims, wanted] of cases) {
    assert.equal(await reason(claims), wanted, JSON.stringify(claims))
  }
})

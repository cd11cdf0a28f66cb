// Replies of a faulty or hostile provider: each is refused, and the reason is not sent to the client.
import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { systemClock } from '../../../base/clock.ts'
import { Fault } from '../../../base/fault.ts'
import { silentLog } from '../../../base/log.ts'
import { createProvider } from './provider.ts'

const order = {
  redirectUri: 'http://127.0.0.1:1/dashboard/openid',
  state: 's'.repeat(43),
  nonce: 'n'.repeat(43),
  verifier: 'v'.repeat(43),
}

type Claims = Record<string, unknown>
type Knobs = {
  metadata?: Claims
  claims?: Claims
  forgedKey?: boolean
  token?: (claims: Claims) => string | Promise<string>
  /** Replaces the reply to this path. */
  replies?: Readonly<Record<string, RequestListener>>
}

async function startStub(t: TestContext, knobs: Knobs = {}) {
  const own = await generateKeyPair('RS256', { extractable: true })
  const forged = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'one', use: 'sig', alg: 'RS256' }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', issuer)
    const special = knobs.replies?.[pathname]
    if (special !== undefined) return special(request, response)
    void reply(pathname).then((body) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  async function reply(path: string): Promise<unknown> {
    if (path === '/.well-known/openid-configuration') {
      return {
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        ...knobs.metadata,
      }
    }
    if (path === '/jwks') return { keys: [jwk] }
    const now = Math.floor(systemClock.now() / 1000)
    const claims = {
      iss: issuer,
      sub: 'g-1',
      aud: 'cairn',
      nonce: order.nonce,
      iat: now,
      exp: now + 60,
      ...knobs.claims,
    }
    const key = knobs.forgedKey === true ? forged.privateKey : own.privateKey
    const signed = () =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(key)
    const idToken = await (knobs.token?.(claims) ?? signed())
    return { access_token: 'a', token_type: 'bearer', id_token: idToken }
  }
  const settings = {
    issuer,
    clientId: 'cairn',
    clientSecret: 'x'.repeat(32),
    name: 'Example ID',
    scopes: 'openid',
  }
  const provider = createProvider({ clock: systemClock, log: silentLog })
  return {
    issuer,
    provider,
    settings,
    redeem: (query: Record<string, string> = {}, maxAgeSeconds: number | null = null) =>
      provider.redeem(
        settings,
        {
          ...order,
          query: new URLSearchParams({ code: 'c', state: order.state, ...query }).toString(),
          maxAgeSeconds,
        },
        [],
      ),
  }
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const thrown = await work.then(
    () => null,
    (error: unknown) => Fault.from(error),
  )
  return thrown === null ? 'accepted' : `${thrown.code}: ${thrown.message}`
}

test('a valid answer gives its claims, and the request carries state, nonce and the PKCE challenge', async (t) => {
  const { redeem, provider, settings, issuer } = await startStub(t)
  assert.equal((await redeem()).sub, 'g-1')
  const url = new URL(await provider.authorize(settings, { ...order, isFresh: true }))
  const { searchParams: sent } = url
  assert.equal(url.origin + url.pathname, `${issuer}/auth`)
  assert.equal(sent.get('state'), order.state)
  assert.equal(sent.get('nonce'), order.nonce)
  assert.equal(sent.get('code_challenge_method'), 'S256')
  assert.notEqual(sent.get('code_challenge'), order.verifier)
  assert.deepEqual([sent.get('prompt'), sent.get('max_age')], ['login', '0'])
})

const anHour = 3600
const seconds = () => Math.floor(systemClock.now() / 1000)
const badClaims: Readonly<Record<string, () => Claims>> = {
  'another nonce': () => ({ nonce: 'x'.repeat(43) }),
  'no nonce': () => ({ nonce: undefined }),
  'another issuer': () => ({ iss: 'https://evil.example' }),
  'another audience': () => ({ aud: 'other' }),
  'another authorized party': () => ({ aud: ['cairn', 'other'], azp: 'other' }),
  expired: () => ({ exp: seconds() - anHour }),
  'not valid yet': () => ({ nbf: seconds() + anHour }),
  'no subject': () => ({ sub: undefined }),
}

for (const [name, claims] of Object.entries(badClaims)) {
  test(`an ID token with ${name} is refused`, async (t) => {
    const { redeem } = await startStub(t, { claims: claims() })
    assert.match(await refusalOf(redeem()), /^bad_sign_in: the answer of Example ID is not valid/)
  })
}

test('a clock that differs by less than 30 seconds is accepted', async (t) => {
  const { redeem } = await startStub(t, {
    claims: { iat: seconds() + 20, nbf: seconds() + 20, exp: seconds() - 20 },
  })
  assert.equal((await redeem()).sub, 'g-1')
})

test('an ID token with a foreign signature, without one, or signed with the client secret is refused', async (t) => {
  const tokens: Readonly<Record<string, Knobs>> = {
    foreign: { forgedKey: true },
    none: { token: (claims) => new UnsecuredJWT(claims).encode() },
    hs256: {
      token: (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode('x'.repeat(32))),
    },
    cut: { token: () => 'eyJhbGciOiJSUzI1NiJ9.e30.' },
  }
  for (const [name, knobs] of Object.entries(tokens)) {
    const { redeem } = await startStub(t, knobs)
    assert.match(await refusalOf(redeem()), /^bad_sign_in/, name)
  }
})

test('an answer with another state or issuer, or without a code, is refused', async (t) => {
  const { redeem } = await startStub(t)
  assert.match(await refusalOf(redeem({ state: 'x' })), /^bad_sign_in/)
  assert.match(await refusalOf(redeem({ iss: 'https://evil.example' })), /^bad_sign_in/)
  assert.match(await refusalOf(redeem({ error: 'server_error' })), /^bad_sign_in/)
  assert.match(await refusalOf(redeem({ error: 'access_denied' })), /did not sign you in/)
})

test('a confirmation requires a sign-in at the provider that is younger than the request', async (t) => {
  const without = await startStub(t)
  assert.match(await refusalOf(without.redeem({}, 60)), /^bad_sign_in/)
  const old = await startStub(t, { claims: { auth_time: seconds() - anHour } })
  assert.match(await refusalOf(old.redeem({}, 60)), /^bad_sign_in/)
  const young = await startStub(t, { claims: { auth_time: seconds() - 30 } })
  assert.equal((await young.redeem({}, 60)).sub, 'g-1')
})

test('metadata of another issuer, and endpoints without https elsewhere, are refused', async (t) => {
  const other = await startStub(t, { metadata: { issuer: 'https://evil.example' } })
  assert.match(await refusalOf(other.redeem()), /^(bad_sign_in|no_upstream)/)
  const plain = await startStub(t, { metadata: { token_endpoint: 'http://192.0.2.1/token' } })
  assert.match(await refusalOf(plain.redeem()), /^no_upstream: .*without https/)
})

test('a provider that redirects, sends too much, breaks off or is gone is reported as unreachable or invalid', async (t) => {
  const replies: readonly RequestListener[] = [
    (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    (_request, response) => response.end('x'.repeat(2 * 1024 * 1024)),
    (request) => request.socket.destroy(),
    (_request, response) => response.writeHead(500).end('no'),
    (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"issuer":'),
  ]
  for (const reply of replies) {
    const { redeem } = await startStub(t, {
      replies: { '/.well-known/openid-configuration': reply },
    })
    assert.match(await refusalOf(redeem()), /^(bad_sign_in|no_upstream)/)
  }
})

test('discovery is requested once, and after a failure at most every three seconds', async (t) => {
  let requestCount = 0
  let isDown = true
  const { provider, settings, issuer } = await startStub(t, {
    replies: {
      '/.well-known/openid-configuration': (_request, response) => {
        requestCount++
        if (isDown) return void response.writeHead(503).end()
        response.setHeader('content-type', 'application/json')
        response.end(
          JSON.stringify({
            issuer,
            authorization_endpoint: `${issuer}/auth`,
            token_endpoint: `${issuer}/token`,
            jwks_uri: `${issuer}/jwks`,
          }),
        )
      },
    },
  })
  const failing = () => refusalOf(provider.authorize(settings, { ...order, isFresh: false }))
  await Promise.all([failing(), failing()])
  await failing()
  assert.equal(requestCount, 1)
  isDown = false
  const fresh = createProvider({ clock: systemClock, log: silentLog })
  await Promise.all([1, 2, 3].map(() => fresh.authorize(settings, { ...order, isFresh: false })))
  assert.equal(requestCount, 2)
})

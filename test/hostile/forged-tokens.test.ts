// JWTs forged with knowledge of a valid one and of the public key: with a changed bit, claim or header, with another
// signature or none. Only the signed tokens are accepted.
// Tests guarantee 8 of docs/explanation/guarantees.md.
import assert from 'node:assert/strict'
import { createHmac, randomInt } from 'node:crypto'
import { test } from 'node:test'
import { SignJWT } from 'jose'
import { verifyJwt } from '../../src/access/accounts/jwt.ts'
import { parsePublicKey } from '../../src/access/accounts/jwt-public-keys.ts'
import { Fault } from '../../src/base/fault.ts'
import { createJwtSigner, writeJwt } from '../fakes/people/jwt-signer.ts'
import { type Random, seeded } from '../fakes/seeded.ts'

const now = Date.UTC(2026, 0, 1)
const rounds = 3_000

const rsa = createJwtSigner('RS256', () => now)
const ec = createJwtSigner('ES256', () => now)
const stranger = createJwtSigner('ES256', () => now)
const keys = new Map([
  ['r', parsePublicKey(rsa.publicKey)],
  ['e', parsePublicKey(ec.publicKey)],
])

const good = { exp: now / 1000 + 3600, aud: 'infura.io', methods: ['eth_chainId'] }
const algorithms = ['none', 'None', 'HS256', 'HS512', 'ES256', 'ES384', 'RS256', 'PS256', 'EdDSA']

type Token = { readonly text: string; readonly kid: string }

async function forge(chance: Random, { text, kid }: Token): Promise<string> {
  const pick = <T>(of: readonly T[]): T => of[chance(of.length)] as T
  const parts = text.split('.')
  const own = kid === 'e' ? 'ES256' : 'RS256'
  const [header = '', payload = '', signature = ''] = parts
  switch (chance(8)) {
    case 0: {
      // Changes one bit of the decoded bytes, not only of their encoding.
      const at = chance(3)
      const bytes = Buffer.from(parts[at] ?? '', 'base64url')
      const place = chance(bytes.length)
      bytes[place] = (bytes[place] ?? 0) ^ (1 << chance(8))
      return parts.with(at, bytes.toString('base64url')).join('.')
    }
    case 1:
      return writeJwt({ alg: pick(algorithms.filter((alg) => alg !== own)), kid }, good, signature)
    case 2: {
      const claims = { ...good, exp: good.exp + 1 + chance(10_000), methods: undefined }
      return `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`
    }
    case 3: {
      // The public key as an HMAC secret, in each of its encodings.
      const secret = pick([rsa.publicKey, rsa.publicKey.trim(), ec.publicKey, kid, ''])
      const head = writeJwt({ alg: 'HS256', typ: 'JWT', kid }, good).split('.').slice(0, 2)
      const mac = createHmac('sha256', secret).update(head.join('.')).digest('base64url')
      return [...head, mac].join('.')
    }
    case 4:
      return await stranger.sign(pick([kid, 'e', 'r', 'x']), good, {
        jwk: ec.privateKey.export({ format: 'jwk' }),
        jku: 'https://elsewhere.example/keys',
      })
    case 5:
      return await pick([rsa, ec]).sign(
        pick(['x', '', '__proto__', 'constructor', 'R', ' e']),
        good,
      )
    case 6: {
      const other = kid === 'e' ? rsa : ec
      const alg = other.algorithm
      return await new SignJWT(good).setProtectedHeader({ alg, kid }).sign(other.privateKey)
    }
    default:
      return `${header}.${payload}.${'A'.repeat(1 + chance(400))}`
  }
}

test('three thousand forged tokens are all refused as bad_token', async (t) => {
  const seed = Number(process.env['CAIRN_SEED'] ?? randomInt(1_000_000))
  t.diagnostic(`CAIRN_SEED=${seed}`)
  const chance = seeded(seed)
  const tokens: readonly Token[] = [
    { text: await rsa.sign('r', good), kid: 'r' },
    { text: await ec.sign('e', good), kid: 'e' },
  ]
  const at = { now, audiences: ['infura.io'] }
  for (const { text } of tokens) await verifyJwt(text, keys, at)
  const reasons = new Map<unknown, number>()
  for (let n = 0; n < rounds; n++) {
    const forged = await forge(chance, tokens[n % 2] as Token)
    const thrown: unknown = await verifyJwt(forged, keys, at).then(
      () => assert.fail(`entered: ${forged}`),
      (error: unknown) => error,
    )
    assert.ok(thrown instanceof Fault, String(thrown))
    assert.equal(thrown.code, 'bad_token', forged)
    const { reason } = thrown.data as { reason: string }
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  t.diagnostic([...reasons].map(([reason, count]) => `${String(reason)} ${count}`).join(', '))
  assert.ok(reasons.size >= 4)
})

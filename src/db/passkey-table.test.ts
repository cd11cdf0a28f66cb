import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { decode } from 'cborg'
import { passkeyCoseKeys } from './migrations.ts'
import { openDatabase } from './sqlite.ts'

function convert(algorithm: number, key: KeyObject): Map<number, unknown> {
  const db = openDatabase(':memory:')
  db.exec(
    'CREATE TABLE passkey (id TEXT PRIMARY KEY, algorithm INTEGER NOT NULL, spki BLOB NOT NULL)',
  )
  const spki = key.export({ type: 'spki', format: 'der' })
  db.run(`INSERT INTO passkey VALUES ('a', ?, ?)`, [algorithm, spki])
  for (const sql of passkeyCoseKeys) db.exec(sql)
  const cose = db.getValue('SELECT public_key FROM passkey') as Uint8Array
  db.close()
  return decode(cose, { useMaps: true })
}

/** Big-endian, without leading zeros. */
function trimmed(bytes: unknown): string {
  return Buffer.from(bytes as Uint8Array)
    .toString('hex')
    .replace(/^(00)+/, '')
}

function hexOf(text: string | undefined): string {
  return Buffer.from(text ?? '', 'base64url').toString('hex')
}

test('RSA keys of every length and exponent become the same key as COSE', () => {
  const sizes = [
    [2041, 3],
    [2047, 65_537],
    [2048, 2_147_483_659],
    [3072, 257],
  ] as const
  for (const [modulusLength, publicExponent] of sizes) {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength, publicExponent })
    const jwk = publicKey.export({ format: 'jwk' })
    const cose = convert(-257, publicKey)
    assert.deepEqual([cose.size, cose.get(1), cose.get(3)], [4, 3, -257])
    assert.equal(trimmed(cose.get(-1)), hexOf(jwk.n), `${modulusLength}`)
    assert.equal(trimmed(cose.get(-2)), hexOf(jwk.e), `${publicExponent}`)
  }
})

test('keys on curves become the same key as COSE', () => {
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
  const point = ec.export({ format: 'jwk' })
  const es256 = convert(-7, ec)
  assert.deepEqual([es256.size, es256.get(1), es256.get(3), es256.get(-1)], [5, 2, -7, 1])
  assert.equal(Buffer.from(es256.get(-2) as Uint8Array).toString('base64url'), point.x)
  assert.equal(Buffer.from(es256.get(-3) as Uint8Array).toString('base64url'), point.y)
  const ed = generateKeyPairSync('ed25519').publicKey
  const edDsa = convert(-8, ed)
  assert.deepEqual([edDsa.size, edDsa.get(1), edDsa.get(3), edDsa.get(-1)], [4, 1, -8, 6])
  const x = Buffer.from(edDsa.get(-2) as Uint8Array).toString('base64url')
  assert.equal(x, ed.export({ format: 'jwk' }).x)
})

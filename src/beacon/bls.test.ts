import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { affineBytes, decompressKeys, keyBytes, verifyAggregate } from './bls.ts'

const { Point } = bls12_381.G1
const signatures = bls12_381.longSignatures
const message = new Uint8Array(32).fill(7)
const ciphersuite = 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_'
const secrets = [1n, 2n, 3n, 4n]
const keys = Buffer.concat(secrets.map((secret) => Point.BASE.multiply(secret).toBytes(true)))
const points = decompressKeys(keys)
const all = secrets.map(() => true)

function sign(secret: bigint, suite = ciphersuite): Uint8Array {
  return signatures.hash(message, suite).multiply(secret).toBytes(true)
}

test('decompressed keys are the points of the compressed ones, with either sign', () => {
  for (const [member, secret] of secrets.entries()) {
    const { x, y } = Point.BASE.multiply(secret).toAffine()
    const at = points.subarray(member * affineBytes, (member + 1) * affineBytes)
    assert.equal(BigInt(`0x${Buffer.from(at.subarray(0, keyBytes)).toString('hex')}`), x)
    assert.equal(BigInt(`0x${Buffer.from(at.subarray(keyBytes)).toString('hex')}`), y)
  }
  const negated = Point.BASE.negate()
  const [one = 0] = decompressKeys(negated.toBytes(true)).subarray(affineBytes - 1)
  const [other = 0] = points.subarray(affineBytes - 1)
  assert.notEqual(one, other)
})

test('bytes that are no point of the curve are refused', () => {
  const infinity = Point.ZERO.toBytes(true)
  const uncompressed = Uint8Array.from(keys.subarray(0, keyBytes))
  uncompressed[0] = (uncompressed[0] ?? 0) & 0x7f
  const beyond = new Uint8Array(keyBytes).fill(0xff)
  beyond[0] = 0x9f
  for (const bad of [infinity, uncompressed, beyond]) assert.throws(() => decompressKeys(bad))
  // Some x from 0 to 9 have no point: each x either decompresses or throws, and none hangs.
  const refused = Array.from({ length: 10 }, (_, x) => {
    const key = new Uint8Array(keyBytes)
    key[0] = 0x80
    key[keyBytes - 1] = x
    try {
      decompressKeys(key)
      return false
    } catch {
      return true
    }
  })
  assert.ok(refused.includes(true))
})

test('a signature is of exactly the members whose bits are set, of the message and the ciphersuite', () => {
  const sum = secrets.reduce((total, secret) => total + secret, 0n)
  assert.equal(verifyAggregate(points, all, message, sign(sum)), true)
  assert.equal(verifyAggregate(points, [true, false, true, false], message, sign(4n)), true)
  assert.equal(verifyAggregate(points, [true, true, true, false], message, sign(sum)), false)
  assert.equal(verifyAggregate(points, all, new Uint8Array(32), sign(sum)), false)
  const other = sign(sum, 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_NUL_')
  assert.equal(verifyAggregate(points, all, message, other), false)
})

test('infinity, and bytes that are no signature, verify nothing', () => {
  const opposite = Buffer.concat([Point.BASE.toBytes(true), Point.BASE.negate().toBytes(true)])
  const infinity = bls12_381.G2.Point.ZERO.toBytes(true)
  assert.equal(
    verifyAggregate(decompressKeys(opposite), [true, true], message, infinity),
    false,
    'keys that cancel out',
  )
  assert.equal(verifyAggregate(points, all, message, infinity), false)
  assert.equal(verifyAggregate(points, all, message, new Uint8Array(96)), false)
  assert.equal(verifyAggregate(points, all, message, new Uint8Array(96).fill(0xff)), false)
  assert.equal(verifyAggregate(points, [false, false, false, false], message, infinity), false)
})

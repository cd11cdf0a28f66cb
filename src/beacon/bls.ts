// Aggregate BLS signatures of sync committees (consensus-specs specs/altair/bls.md, draft-irtf-cfrg-bls-signature-05),
// over @noble/curves. Slow: runs in the beacon thread.
// Tested by src/beacon/bls.test.ts
import { bls12_381 } from '@noble/curves/bls12-381.js'

/** Bytes of a compressed and of an affine public key, and of a signature. */
export const keyBytes = 48
export const affineBytes = 96
export const signatureBytes = 96

/** Ciphersuite of Ethereum: keys with proof of possession. */
const ciphersuite = 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_'

const { Point } = bls12_381.G1
const { Fp } = bls12_381.fields
const signatures = bls12_381.longSignatures

/**
 * Affine points (x, y) of compressed keys, concatenated. Throws for bytes that are not a point of the curve. The subgroup check,
 * 80 % of the time, is omitted: the beacon state contains only valid keys, and the caller has proved that these belong to it.
 * Runs once per period: 512 keys take about 90 ms.
 */
export function decompressKeys(keys: Uint8Array): Uint8Array {
  const points = new Uint8Array((keys.length / keyBytes) * affineBytes)
  for (let at = 0; at < keys.length; at += keyBytes) {
    const { x, y } = decompressKey(keys.subarray(at, at + keyBytes))
    const into = (at / keyBytes) * affineBytes
    points.set(Fp.toBytes(x), into)
    points.set(Fp.toBytes(y), into + keyBytes)
  }
  return points
}

/** The flags of the first byte: compressed, infinity, the larger y (Zcash serialization, IETF draft appendix C). */
const flags = { compressed: 0x80, infinity: 0x40, larger: 0x20 } as const
const allFlags = flags.compressed | flags.infinity | flags.larger
const halfOrder = (Fp.ORDER - 1n) / 2n

function decompressKey(key: Uint8Array): { readonly x: bigint; readonly y: bigint } {
  const first = key[0] ?? 0
  if ((first & (flags.compressed | flags.infinity)) !== flags.compressed) {
    throw new RangeError('a public key that is not compressed, or infinity')
  }
  const bytes = Uint8Array.from(key)
  bytes[0] = first & ~allFlags
  // Both functions throw for values outside the field, and for an x without a point.
  const x = Fp.fromBytes(bytes)
  const y = Fp.sqrt(Fp.add(Fp.mul(Fp.sqr(x), x), 4n))
  const isLarger = y > halfOrder
  return { x, y: isLarger === ((first & flags.larger) !== 0) ? y : Fp.neg(y) }
}

/**
 * True if `signature` is the aggregate signature of `message` by all members whose bit is set. `points`: from `decompressKeys`,
 * of a proved committee; they are not checked again.
 */
export function verifyAggregate(
  points: Uint8Array,
  bits: readonly boolean[],
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  let sum = Point.ZERO
  for (const [member, isSet] of bits.entries()) {
    if (isSet) sum = sum.add(pointAt(points, member))
  }
  // KeyValidate: the point at infinity as public key would verify any message.
  if (sum.is0()) return false
  try {
    const parsed = signatures.Signature.fromBytes(signature)
    return signatures.verify(parsed, signatures.hash(message, ciphersuite), sum)
  } catch {
    return false
  }
}

function pointAt(points: Uint8Array, member: number): typeof Point.ZERO {
  const at = member * affineBytes
  return Point.fromAffine({
    x: Fp.fromBytes(points.subarray(at, at + keyBytes)),
    y: Fp.fromBytes(points.subarray(at + keyBytes, at + affineBytes)),
  })
}

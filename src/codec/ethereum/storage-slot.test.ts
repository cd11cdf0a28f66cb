import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toHex } from '../../base/hex.ts'
import {
  arraySlot,
  followSteps,
  mappingSlot,
  parseKey,
  parseNumber,
  toWord,
} from './storage-slot.ts'

const address = '0x391694e7e0b0cce554cb130d723a9d27458f9298'

function key(text: string): Uint8Array {
  return parseKey(text) ?? assert.fail(`not a key: ${text}`)
}

test('a mapping element lives at keccak256 of its key and the slot of the mapping', () => {
  assert.equal(
    toHex(mappingSlot(toWord(1n), key(address))),
    '0x6661e9d6d8b923d5bbaab1b96e1dd51ff6ea2a93520fdc9eb75d059238b8c5e9',
  )
})

test('a dynamic array begins at keccak256 of its slot, and items follow each other', () => {
  // keccak256 of 32 zero bytes, a constant in the output of every Solidity compiler.
  const first = '0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563'
  assert.equal(toHex(arraySlot(toWord(0n), 0n, 1n)), first)
  assert.equal(toHex(arraySlot(toWord(0n), 4n, 1n)), first.slice(0, -2) + '67')
  assert.equal(arraySlot(toWord(0n), 2n, 2n).at(-1), 0x67)
})

test('an index past the end of storage starts again at its beginning', () => {
  const first = BigInt(toHex(arraySlot(toWord(0n), 0n, 1n)))
  assert.deepEqual(arraySlot(toWord(0n), (1n << 256n) - first, 1n), toWord(0n))
})

test('nested mappings and arrays in mappings are followed step by step', () => {
  const inner = mappingSlot(toWord(1n), key(address))
  const steps = [
    { kind: 'key', key: key(address) },
    { kind: 'key', key: key('7') },
    { kind: 'index', index: 3n, itemSlots: 2n },
  ] as const
  assert.deepEqual(
    followSteps(toWord(1n), steps),
    arraySlot(mappingSlot(inner, key('0x07')), 3n, 2n),
  )
})

test('keys are addresses, numbers, words and booleans; other types are refused', () => {
  assert.deepEqual(key('0x10'), toWord(16n))
  assert.deepEqual(key('10'), toWord(10n))
  assert.deepEqual(key('true'), toWord(1n))
  assert.equal(toHex(key('-1')), `0x${'f'.repeat(64)}`)
  for (const text of [
    '',
    '0x',
    'abc',
    '1.5',
    '--1',
    `0x${'0'.repeat(65)}`,
    (1n << 256n).toString(),
  ]) {
    assert.equal(parseKey(text), null, text)
  }
  assert.equal(parseNumber('-1'), null)
})

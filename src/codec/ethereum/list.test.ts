import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fromHex } from '../../base/hex.ts'
import { splitBlock, splitBlocks } from './block.ts'
import { decodeEntries, encodeEntries, entriesMax, entryAt } from './list.ts'
import { Malformed, encodeRlp } from './rlp.ts'

const payload = fc.uint8Array({ maxLength: 70 })
const legacy = fc.array(payload, { maxLength: 3 }).map((items) => encodeRlp(items))
const typed = fc.tuple(fc.nat(0x7f), payload).map(([type, rest]) => Uint8Array.of(type, ...rest))

test('a list of legacy and typed entries is read back as it was written', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(legacy, typed), { maxLength: 8 }), (entries) => {
      const bytes = encodeEntries(entries)
      assert.deepEqual(decodeEntries(bytes), entries)
      assert.deepEqual(encodeEntries(decodeEntries(bytes)), bytes)
    }),
  )
  assert.deepEqual(encodeEntries([]), Uint8Array.of(0xc0))
  assert.deepEqual(decodeEntries(Uint8Array.of(0xc0)), [])
})

test('one entry is read by its index, and none past the end', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(legacy, typed), { maxLength: 8 }), (entries) => {
      const bytes = encodeEntries(entries)
      for (const [index, entry] of entries.entries()) assert.deepEqual(entryAt(bytes, index), entry)
      assert.equal(entryAt(bytes, entries.length), null)
      assert.equal(entryAt(bytes, Number.MAX_SAFE_INTEGER), null)
    }),
  )
})

test('two byte strings never hold the same entries', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (body) => {
      const bytes = Uint8Array.of(0xc0 + body.length, ...body)
      try {
        assert.deepEqual(encodeEntries(decodeEntries(bytes)), bytes)
      } catch (thrown) {
        if (!(thrown instanceof Malformed)) throw thrown
      }
    }),
    { numRuns: 1000 },
  )
})

test('an empty entry and a list wrapped as a string are refused', () => {
  for (const hex of ['0xc180', '0xc281c0', '0xc382c105', '0xc28180', '0x80', '0xc001', '0x']) {
    assert.throws(() => decodeEntries(fromHex(hex)), Malformed, hex)
  }
  for (const entry of [new Uint8Array(0), Uint8Array.of(0x80), Uint8Array.of(0xbf)]) {
    assert.throws(() => encodeEntries([entry]), Malformed)
  }
})

test('blocks are cut into their parts, one after the other', () => {
  const before = fromHex('0xc4c101c0c0')
  const after = fromHex('0xc5c101c0c0c0')
  const [first, second, ...more] = splitBlocks(Uint8Array.of(...before, ...after))
  const empty = Uint8Array.of(0xc0)
  const parts = { header: fromHex('0xc101'), transactions: empty, uncles: empty }
  assert.deepEqual(first, { ...parts, withdrawals: null })
  assert.deepEqual(second, { ...parts, withdrawals: empty })
  assert.equal(more.length, 0)
  for (const hex of ['0xc3c101c0', '0xc6c101c0c0c0c0', '0x80', '0xc4c101c0c000']) {
    assert.throws(() => splitBlock(fromHex(hex)), Malformed, hex)
  }
  assert.throws(() => [...splitBlocks(Uint8Array.of(...before, 0xc4))], Malformed)
})

test('a list of 100 000 entries is read, one of more is refused before it fills the memory', () => {
  const listOf = (count: number) => encodeRlp(Array.from({ length: count }, () => Uint8Array.of(1)))
  assert.equal(decodeEntries(listOf(entriesMax)).length, entriesMax)
  assert.throws(() => decodeEntries(listOf(entriesMax + 1)), Malformed)
})

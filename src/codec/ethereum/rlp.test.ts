import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeRlp as encodeElsewhere } from 'ethers'
import fc from 'fast-check'
import { fromHex, toHex } from '../../base/hex.ts'
import {
  Malformed,
  type RlpItem,
  decodeInteger,
  decodeRlp,
  decodeRlpItem,
  encodeInteger,
  encodeRlp,
  itemsMax,
  splitList,
} from './rlp.ts'
import { RlpWriter } from './rlp-writer.ts'

const text = (value: string) => new TextEncoder().encode(value)

/** Examples of Yellow Paper app. B, which every implementation uses. */
const examples: readonly (readonly [RlpItem, string])[] = [
  [text(''), '0x80'],
  [Uint8Array.of(0), '0x00'],
  [Uint8Array.of(0x7f), '0x7f'],
  [Uint8Array.of(0x80), '0x8180'],
  [text('dog'), '0x83646f67'],
  [[text('cat'), text('dog')], '0xc88363617483646f67'],
  [[], '0xc0'],
  [[[], [[]], [[], [[]]]], '0xc7c0c1c0c3c0c1c0'],
  [encodeInteger(1024), '0x820400'],
  [new Uint8Array(55), `0xb7${'00'.repeat(55)}`],
  [new Uint8Array(56), `0xb838${'00'.repeat(56)}`],
  [Array.from({ length: 56 }, () => text('')), `0xf838${'80'.repeat(56)}`],
]

const refused: readonly (readonly [string, string])[] = [
  ['no input', '0x'],
  ['a wrapped single byte', '0x8100'],
  ['the largest wrapped single byte', '0x817f'],
  ['a long form for 55 bytes', `0xb837${'00'.repeat(55)}`],
  ['a long form for an empty list', '0xf800'],
  ['a length with a leading zero', `0xb90038${'00'.repeat(56)}`],
  ['a list length with a leading zero', `0xf90038${'80'.repeat(56)}`],
  ['a length that is cut', '0xb9ff'],
  ['a length of 8 bytes that would overflow', '0xbfffffffffffffffff'],
  ['a length of 7 bytes', '0xbe01000000000000'],
  ['a string longer than the input', '0x83646f'],
  ['a list longer than the input', '0xc2c0'],
  ['an item that runs out of its list', '0xc2836464'],
  ['an item that runs out of its list into what follows', '0xc3c1836464646464'],
  ['trailing bytes', '0xc000'],
  ['lists nested 17 deep', encodeNested(17)],
]

function encodeNested(depth: number): string {
  return (
    '0x' + Array.from({ length: depth }, (_, at) => (0xc0 + depth - 1 - at).toString(16)).join('')
  )
}

const items = fc.letrec<{ item: RlpItem }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 5 },
    fc.uint8Array({ maxLength: 80 }),
    fc.array(tie('item'), { maxLength: 5 }),
  ),
})).item

test('the known examples are written and read as the Yellow Paper has them', () => {
  for (const [item, hex] of examples) {
    assert.equal(toHex(encodeRlp(item)), hex)
    assert.deepEqual(decodeRlp(fromHex(hex)), item)
  }
})

for (const [name, hex] of refused) {
  test(`${name} is refused`, () => {
    assert.throws(() => decodeRlp(fromHex(hex)), Malformed)
  })
}

test('lists nested 16 deep are read', () => {
  assert.ok(decodeRlp(fromHex(encodeNested(16))))
})

test('more than a million items are refused before they fill the memory', () => {
  const body = new Uint8Array(itemsMax).fill(0x80)
  const bytes = Uint8Array.from([
    0xfa,
    body.length >> 16,
    (body.length >> 8) & 255,
    body.length & 255,
  ])
  assert.throws(() => decodeRlp(Buffer.concat([bytes, body])), Malformed)
})

test('any item is written as an independent implementation writes it, and read back', () => {
  fc.assert(
    fc.property(items, (item) => {
      const bytes = encodeRlp(item)
      assert.equal(toHex(bytes), encodeElsewhere(item as Uint8Array[]))
      assert.deepEqual(decodeRlp(bytes), item)
    }),
  )
})

test('long strings and lists grow the writer without moving what is written', () => {
  for (const length of [255, 256, 1023, 1024, 65_535, 65_536, 70_000]) {
    const item = [new Uint8Array(3), new Uint8Array(length).fill(7), [new Uint8Array(length)]]
    assert.equal(toHex(encodeRlp(item)), encodeElsewhere(item))
    assert.deepEqual(decodeRlp(encodeRlp(item)), item)
  }
})

test('arbitrary bytes are refused as malformed or encode back to the same bytes', () => {
  const valid = items.map((item) => encodeRlp(item))
  const nearlyValid = fc
    .tuple(valid, fc.nat(), fc.nat(255))
    .map(([bytes, at, value]) => bytes.with(at % bytes.length, value))
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), nearlyValid), (bytes) => {
      const item = orMalformed(() => decodeRlp(bytes))
      if (item !== null) assert.deepEqual(encodeRlp(item), bytes)
    }),
    { numRuns: 2000 },
  )
})

test('one item of several is read with the place where the next begins', () => {
  const bytes = fromHex('0xc88363617483646f6705c0')
  const first = decodeRlpItem(bytes, 0)
  const second = decodeRlpItem(bytes, first.end)
  assert.deepEqual(first, { item: [text('cat'), text('dog')], end: 9 })
  assert.deepEqual(second, { item: Uint8Array.of(5), end: 10 })
  assert.deepEqual(decodeRlpItem(bytes, 10), { item: [], end: 11 })
  for (const at of [11, 12, -1]) assert.throws(() => decodeRlpItem(bytes, at), Malformed)
})

test('decoded strings are views of the input', () => {
  const bytes = fromHex('0xc88363617483646f67')
  const item = decodeRlp(bytes)
  assert.ok(!(item instanceof Uint8Array) && item[0] instanceof Uint8Array)
  assert.equal(item[0].buffer, bytes.buffer)
})

test('a list is cut into its items as they are encoded', () => {
  const cut = splitList(fromHex('0xc983636174c3820400' + '05'))
  assert.deepEqual(cut.map(toHex), ['0x83636174', '0xc3820400', '0x05'])
  for (const hex of ['0x83636174', '0xc000', '0xc28363']) {
    assert.throws(() => splitList(fromHex(hex)), Malformed)
  }
})

test('integers have no leading zeros and zero has no bytes', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
      assert.equal(decodeInteger(encodeInteger(value)), value)
      assert.notEqual(encodeInteger(value)[0], 0)
    }),
  )
  assert.equal(encodeInteger(0).length, 0)
  assert.deepEqual(encodeInteger(256), Uint8Array.of(1, 0))
  assert.equal(decodeInteger(fromHex('0xffffffffffff')), 2n ** 48n - 1n)
  assert.equal(decodeInteger(fromHex('0x01ffffffffffff')), 2n ** 49n - 1n)
  assert.throws(() => decodeInteger(Uint8Array.of(0)), Malformed)
  assert.throws(() => decodeInteger(new Uint8Array(33).fill(1)), Malformed)
  assert.throws(() => decodeInteger(new Uint8Array(9).fill(1), 8), Malformed)
  assert.throws(() => encodeInteger(-1), RangeError)
})

function orMalformed<T>(read: () => T): T | null {
  try {
    return read()
  } catch (thrown) {
    if (thrown instanceof Malformed) return null
    throw thrown
  }
}

test('a writer with just the room that was needed hands its bytes over, and writes on into others', () => {
  const writer = new RlpWriter(3)
  writer.string(Uint8Array.of(1, 2))
  const first = writer.finish()
  writer.string(Uint8Array.of(3))
  assert.deepEqual(first, Uint8Array.of(0x82, 1, 2))
  assert.deepEqual(writer.finish(), Uint8Array.of(3))
  assert.deepEqual(writer.finish(), new Uint8Array(0))
})

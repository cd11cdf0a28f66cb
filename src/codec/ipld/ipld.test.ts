// The data model in dag-cbor, dag-json and dag-pb: recorded bytes of other implementations, refused input, and malicious
// bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { dagCborCodec, dagJoseCodec, dagJsonCodec, dagPbCodec, rawCodec } from './cid.ts'
import { encodeDagCbor } from './dag-cbor-writer.ts'
import { decodeDagCbor } from './dag-cbor.ts'
import { decodeDagJson, encodeDagJson } from './dag-json.ts'
import { decodeIpld } from './ipld.ts'
import { type IpldNode, linksIn, memberOf } from './ipld-node.ts'

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))
const utf8 = (text: string) => new Uint8Array(Buffer.from(text))
const empty = CID.parse('bafyreigbtj4x7ip5legnfznufuopl4sg4knzc2cof6duas4b3q2fy6swua')
const emptyLink = `d82a582500${Buffer.from(empty.bytes).toString('hex')}`

// Written by @ipld/dag-cbor 9 and @ipld/dag-json 10.
const recorded: readonly (readonly [string, string])[] = [
  ['a0', '{}'],
  ['80', '[]'],
  [
    `a36161fb3ff80000000000006162830102a16163${emptyLink}65627974657343010203`,
    `{"a":1.5,"b":[1,2,{"c":{"/":"${empty.toString()}"}}],"bytes":{"/":{"bytes":"AQID"}}}`,
  ],
  [
    'a56162f46166fb7e37e43c8800759c62c3a96178636269671bffffffffffffffff636e65673bffffffffffffffff',
    '{"b":false,"big":18446744073709551615,"f":1e+300,"neg":-18446744073709551616,"é":"x"}',
  ],
]

test('dag-cbor comes out as the dag-json that others write', () => {
  for (const [cbor, json] of recorded) {
    assert.equal(encodeDagJson(decodeDagCbor(hex(cbor))), json)
    assert.equal(encodeDagJson(decodeDagJson(utf8(json))), json)
  }
})

test('dag-cbor is written in its one form: shortest heads, keys by length and bytes, floats of 64 bits', () => {
  for (const [cbor, json] of recorded) {
    assert.equal(Buffer.from(encodeDagCbor(decodeDagJson(utf8(json)))).toString('hex'), cbor)
  }
  // Written by @ipld/dag-cbor 9.
  const mixed =
    '{"link":{"/":"bafkreicysg23kiwv34eg2d7qweipxwosdo2py4ldv42nbauguluen5v6am"},"bb":{"/":{"bytes":"AQID"}},' +
    '"a":[1,-1,1.5,"x",null,true,24,256,65536,4294967296,-4294967297],"aaaa":{"z":1,"y":2}}'
  assert.equal(
    Buffer.from(encodeDagCbor(decodeDagJson(utf8(mixed)))).toString('hex'),
    'a461618b0120fb3ff80000000000006178f6f518181901001a000100001b00000001000000003b0000000100000000626262430102036461' +
      '616161a2617902617a01646c696e6bd82a582500015512205891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03',
  )
})

test('any node written as dag-cbor reads back unchanged', () => {
  const scalar = fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.bigInt({ min: -(1n << 64n), max: (1n << 64n) - 1n }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'grapheme' }),
    fc.uint8Array(),
    fc.constant(empty),
  )
  const { node } = fc.letrec<{ node: IpldNode }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      scalar,
      fc.array(tie('node'), { maxLength: 5 }),
      fc.array(fc.tuple(fc.string(), tie('node')), { maxLength: 5 }).map((all) => new Map(all)),
    ),
  }))
  fc.assert(
    fc.property(node, (value) => {
      const written = encodeDagCbor(value)
      assert.deepEqual(encodeDagCbor(decodeDagCbor(written)), written)
      assert.deepEqual(decodeDagCbor(written), value)
    }),
  )
})

test('what dag-cbor has no form for is refused', () => {
  for (const node of [1n << 64n, -(1n << 64n) - 1n, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => encodeDagCbor(node), /dag-cbor has no/)
  }
})

test('dag-cbor is read as RFC 8949 prints it, in any length of number and order of keys', () => {
  const read: readonly (readonly [string, IpldNode])[] = [
    ['00', 0n],
    ['1818', 24n],
    ['190018', 24n],
    ['1bffffffffffffffff', (1n << 64n) - 1n],
    ['3903e7', -1000n],
    ['f93c00', 1],
    ['f9c400', -4],
    ['f90001', 5.960464477539063e-8],
    ['fa47c35000', 100000],
    ['fbc010666666666666', -4.1],
    ['f4', false],
    ['f5', true],
    ['f6', null],
    ['4401020304', hex('01020304')],
    ['64f0908591', '\u{10151}'],
    ['83010203', [1n, 2n, 3n]],
    [
      'a2616202616101',
      new Map([
        ['b', 2n],
        ['a', 1n],
      ]),
    ],
  ]
  for (const [bytes, node] of read) assert.deepEqual(decodeDagCbor(hex(bytes)), node, bytes)
})

test('text of dag-cbor that is not UTF-8 is shown with U+FFFD and written as the bytes it was', () => {
  const block = hex('a261ff01616162ff00')
  const node = decodeDagCbor(block)
  assert.equal(encodeDagJson(node), String.raw`{"a":"\ufffd\u0000","\ufffd":1}`)
  assert.deepEqual(decodeDagCbor(encodeDagCbor(node)), node)
  assert.equal(Buffer.from(encodeDagCbor(memberOf(node, 'a') ?? null)).toString('hex'), '62ff00')
  // As other implementations write it: U+FFFD itself is not escaped.
  assert.equal(encodeDagJson(decodeDagCbor(hex('63efbfbd'))), '"\u{fffd}"')
  assert.equal(encodeDagJson(decodeDagJson(hex('2261ff22'))), '"a\u{fffd}"')
})

test('what is no dag-cbor is refused by name', () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ['', /bytes missing/],
    ['0000', /bytes after the end/],
    ['5f42010243030405ff', /length left open/],
    ['9bffffffffffffffff', /bytes missing/],
    ['bb00ffffffffffffff', /bytes missing/],
    ['c11a514b67b0', /tag 1/],
    ['a10102', /key that is not a string/],
    ['a2616101616102', /duplicate key/],
    ['f7', /simple value 23/],
    ['f97c00', /not finite/],
    ['fb7ff8000000000000', /not finite/],
    ['d82a4101', /link to an invalid cid/],
    ['d82a01', /link that is not a byte string/],
    ['81'.repeat(200) + '00', /more than 128 levels/],
    ['9a000186a1' + '80'.repeat(100_001), /more than 100000 maps and lists/],
  ]
  for (const [bytes, message] of refused) {
    assert.throws(() => decodeDagCbor(hex(bytes)), { code: 'command_failed', message }, bytes)
  }
})

test('what is no dag-json is refused by name', () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ['', /character at 0/],
    ['{} {}', /text after the end/],
    ['{"a":1,"a":2}', /duplicate key/],
    ['[1,]', /character at 3/],
    ['"\u0001"', /string at 0/],
    ['"open', /string at 0/],
    ['{"/":"nocid"}', /neither link nor bytes/],
    ['{"/":{"bytes":"A"}}', /neither link nor bytes/],
    ['{"/":"bafkqaaa","x":1}', /neither link nor bytes/],
    ['99999999999999999999999', /more than 64 bits/],
    ['1e999', /not finite/],
    ['['.repeat(200), /more than 128 levels/],
    [`[${'[],'.repeat(100_001)}1]`, /more than 100000 maps and lists/],
  ]
  for (const [text, message] of refused) {
    assert.throws(() => decodeDagJson(utf8(text)), { code: 'command_failed', message }, text)
  }
})

test('hostile bytes are a fault or a node, in every codec', () => {
  const codec = fc.constantFrom(rawCodec, dagPbCodec, dagCborCodec, dagJsonCodec, dagJoseCodec)
  fc.assert(
    fc.property(codec, fc.uint8Array({ maxLength: 64 }), (code, bytes) => {
      try {
        linksIn(decodeIpld(code, bytes))
      } catch (thrown) {
        assert.ok(thrown instanceof Fault)
      }
    }),
  )
})

test('dag-json that was written reads back as the same node', () => {
  const { node } = fc.letrec<{ node: IpldNode }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.constant(null),
      fc.boolean(),
      fc.bigInt({ min: -(1n << 64n), max: (1n << 64n) - 1n }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit: 'grapheme' }),
      fc.uint8Array(),
      fc.constant(empty),
      fc.array(tie('node')),
      fc
        .array(
          fc.tuple(
            fc.string().filter((key) => key !== '/'),
            tie('node'),
          ),
        )
        .map((entries) => new Map(entries)),
    ),
  }))
  fc.assert(
    fc.property(node, (one) => {
      const text = encodeDagJson(one)
      assert.equal(encodeDagJson(decodeDagJson(utf8(text))), text)
    }),
  )
})

test('dag-pb in the data model has only the members that are present', () => {
  const link = `0a${empty.bytes.length.toString(16)}${Buffer.from(empty.bytes).toString('hex')}`
  const node = decodeIpld(dagPbCodec, hex(`12${(link.length / 2).toString(16)}${link}0a020801`))
  assert.equal(
    encodeDagJson(node),
    `{"Data":{"/":{"bytes":"CAE"}},"Links":[{"Hash":{"/":"${empty.toString()}"}}]}`,
  )
  assert.deepEqual(memberOf(memberOf(node, 'Links') ?? null, '0'), new Map([['Hash', empty]]))
  assert.equal(memberOf(memberOf(node, 'Links') ?? null, '00'), undefined)
  assert.equal(memberOf(node, 'constructor'), undefined)
  assert.deepEqual(linksIn(node), [empty])
  assert.equal(encodeDagJson(decodeIpld(dagPbCodec, hex(''))), '{"Links":[]}')
  assert.throws(() => decodeIpld(dagPbCodec, hex('1200')), /link without a hash/)
})

test('a map that dag-json would read as a link or bytes is not written', () => {
  const link = 'bafkqaaa'
  for (const map of [
    new Map([['/', link]]),
    new Map([['/', new Map([['bytes', 'YQ']])]]),
    new Map<string, string | bigint>([
      ['/', link],
      ['a', 1n],
    ]),
  ]) {
    assert.throws(() => encodeDagJson([map]), { message: /key "\/"/ })
  }
})

import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cidOf, dagPbCodec, rawCodec } from '../../../codec/ipld/cid.ts'
import { bytesField, encodeVarint, joinBytes } from '../../../codec/ipld/protobuf.ts'
import { encodeMultihash, multihashOf, sha256Name } from '../../../codec/ipld/multihash.ts'
import {
  BitswapError,
  createMessageReader,
  decodeMessage,
  encodeMessage,
  messageBytesMax,
  messageItemsMax,
} from './bitswap-message.ts'

const bytes = Buffer.from('a block')
const raw = cidOf(1, rawCodec, sha256Name(bytes)).bytes
const old = cidOf(0, dagPbCodec, sha256Name(bytes)).bytes
const blake = cidOf(1, rawCodec, multihashOf('blake2b-256', bytes)).bytes

/** The message without its length prefix. */
const bodyOf = (message: Uint8Array): Uint8Array => {
  const found: Uint8Array[] = []
  createMessageReader({ add: () => {} }, (one) => void found.push(one)).push(message)
  return found[0] ?? Buffer.alloc(0)
}

test('a message is read as it was written', () => {
  const { full, wants, blocks, presences } = decodeMessage(
    bodyOf(
      encodeMessage({
        full: true,
        wants: [
          { cid: raw, priority: 7, cancel: false, haveOnly: true },
          { cid: old, priority: 1, cancel: true, haveOnly: false },
        ],
        blocks: [
          { cid: old, bytes },
          { cid: blake, bytes },
        ],
        presences: [
          { cid: raw, have: true },
          { cid: blake, have: false },
        ],
      }),
    ),
  )
  ok(full)
  deepEqual(
    wants.map(({ cid, cancel, haveOnly, sendDontHave }) => [
      Buffer.from(cid).equals(raw) ? 'raw' : 'old',
      cancel,
      haveOnly,
      sendDontHave,
    ]),
    [
      ['raw', false, true, true],
      ['old', true, false, true],
    ],
  )
  equal(Buffer.compare(wants[1]?.multihash ?? raw, sha256Name(bytes)), 0)
  deepEqual(
    blocks.map((block) => Buffer.from(block.multihash).toString('hex')),
    [sha256Name(bytes), multihashOf('blake2b-256', bytes)].map((one) =>
      Buffer.from(one).toString('hex'),
    ),
  )
  ok(blocks.every((block) => Buffer.compare(block.bytes, bytes) === 0))
  deepEqual(
    presences.map(({ have }) => have),
    [true, false],
  )
})

test('the multihash of a block is that of its bytes, whatever its sender meant', () => {
  const [block] = decodeMessage(
    bodyOf(encodeMessage({ blocks: [{ cid: raw, bytes: Buffer.from('other') }] })),
  ).blocks
  equal(Buffer.compare(block?.multihash ?? raw, sha256Name(Buffer.from('other'))), 0)
})

test('wants of hash functions and digests that are refused are left out', () => {
  const md5 = joinBytes([
    Uint8Array.of(1, 0x55),
    encodeVarint(0xd5),
    Uint8Array.of(16),
    Buffer.alloc(16),
  ])
  const long = joinBytes([Uint8Array.of(1, 0x55), encodeMultihash(0x13, Buffer.alloc(200))])
  const wants = [md5, long, Buffer.from('no CID'), raw].map((cid) => ({
    cid,
    priority: 1,
    cancel: false,
    haveOnly: false,
  }))
  equal(decodeMessage(bodyOf(encodeMessage({ wants }))).wants.length, 1)
})

test('a message with too many items is refused', () => {
  const presence = bytesField(4, joinBytes(bytesField(1, raw)))
  const parts = Array.from({ length: messageItemsMax + 1 }, () => presence).flat()
  throws(() => decodeMessage(joinBytes(parts)), BitswapError)
  ok(decodeMessage(joinBytes(parts.slice(presence.length))))
})

test('random bytes are a message or a BitswapError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (random) => {
      try {
        decodeMessage(random)
      } catch (error) {
        ok(error instanceof BitswapError, String(error))
      }
    }),
    { numRuns: 3000 },
  )
})

test('messages are found however their bytes are cut, and leave no memory', () => {
  let bytes = 0
  const memory = { add: (more: number) => void (bytes += more) }
  const found: number[] = []
  const reader = createMessageReader(memory, (message) => void found.push(message.length))
  const messages = [0, 1, 200, 5000].map((length) =>
    joinBytes([encodeVarint(length), Buffer.alloc(length)]),
  )
  const all = joinBytes(messages)
  for (let at = 0; at < all.length; at += 7) reader.push(all.subarray(at, at + 7))
  deepEqual(found, [0, 1, 200, 5000])
  reader.push(joinBytes([encodeVarint(100), Buffer.alloc(60)]))
  equal(bytes, 60)
  reader.end()
  equal(bytes, 0)
})

test('a message over the limit is refused by its length, and one that memory drops is not read on', () => {
  const memory = { add: () => {} }
  const start = (length: number) => encodeVarint(length)
  const reader = createMessageReader(memory, () => {})
  throws(() => reader.push(start(messageBytesMax + 1)), BitswapError)
  throws(() => createMessageReader(memory, () => {}).push(Buffer.alloc(5, 0xff)), BitswapError)
  let bytes = 0
  let taken = 0
  const full = {
    add(more: number) {
      bytes += more
      if (more > 0) dropped.end()
    },
  }
  const dropped = createMessageReader(full, () => (taken += 1))
  dropped.push(joinBytes([start(10), Buffer.alloc(10), start(10), Buffer.alloc(10)]))
  dropped.push(joinBytes([start(10), Buffer.alloc(10)]))
  deepEqual([bytes, taken], [0, 0])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { openCar, carLimits, type Car, type CarLimits } from './car-reader.ts'
import { carSectionHead, encodeCarHeader, writeCar, type CarBlock } from './car-writer.ts'
import { cidOf, dagPbCodec, rawCodec } from './cid.ts'
import { decodeDagCbor } from './dag-cbor.ts'
import { encodeMultihash, identityCode, multihashOf } from './multihash.ts'
import { encodeVarint, joinBytes } from './protobuf.ts'

const hello = Buffer.from('hello\n')
const helloCid = cidOf(1, rawCodec, multihashOf('sha2-256', hello))
const empty = new Uint8Array(0)
const emptyCid = cidOf(1, rawCodec, multihashOf('sha2-256', empty))

/** Two roots and three blocks as written by the JavaScript CAR writer (@ipld/car 5.4.7). */
const written = Buffer.from(
  '61a265726f6f747382d82a582500017112205e7f26d40a3a1c448861da1b3d12d6b7d2f4006a5051028e08655b48dfba5024d82a5823001220' +
    'bfccda787baba32b59c78450ac3d20b633360b43992c77289f9ed46d843561e66776657273696f6e01' +
    '9401017112205e7f26d40a3a1c448861da1b3d12d6b7d2f4006a5051028e08655b48dfba5024a461618b0120fb3ff80000000000006178' +
    'f6f518181901001a000100001b00000001000000003b0000000100000000626262430102036461616161a2617902617a01646c696e6b' +
    'd82a582500015512205891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03' +
    '2a015512205891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be0368656c6c6f0a' +
    '281220bfccda787baba32b59c78450ac3d20b633360b43992c77289f9ed46d843561e60a0408021800',
  'hex',
)
const writtenRoot = 'bafyreic6p4tnicr2drciqyo2dm6rfvvx2l2aa2sqkebi4cdflnen7osqeq'
const emptyFile = 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH'
const pragma = Buffer.from('0aa16776657273696f6e02', 'hex')

async function* cut(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}
async function* streamOf<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items
}
async function carOf(roots: readonly CID[], blocks: readonly CarBlock[]): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(writeCar(roots, streamOf(blocks))))
}
async function blocksOf(car: Car): Promise<[string, Buffer][]> {
  const all = await Array.fromAsync(car.blocks)
  return all.map(({ cid, block }) => [cid.toString(), Buffer.from(block)])
}
const open = (bytes: Uint8Array, pieceBytes = 65536, limits: CarLimits = carLimits) =>
  openCar(cut(bytes, pieceBytes), limits)

/** A CARv2 around `inner`, with optional changes to its header. */
function second(inner: Uint8Array, change: { offset?: bigint; size?: bigint } = {}): Buffer {
  const header = Buffer.alloc(40)
  header.writeBigUInt64LE(change.offset ?? 60n, 16)
  header.writeBigUInt64LE(change.size ?? BigInt(inner.length), 24)
  header.writeBigUInt64LE(60n + BigInt(inner.length), 32)
  // Nine bytes of padding, as in aligned files, and an index that is not read.
  return Buffer.concat([pragma, header, Buffer.alloc(9), inner, Buffer.from('an index')])
}

const detail = (text: string) => ({ code: 'command_failed', message: text })

test('a CAR is written byte for byte as the JavaScript writer does, and read back in any pieces', async () => {
  const car = await open(written)
  assert.deepEqual([car.version, car.roots.map(String)], [1, [writtenRoot, emptyFile]])
  const blocks = await Array.fromAsync(car.blocks)
  assert.deepEqual(
    blocks.map(({ cid }) => cid.toString()),
    [writtenRoot, helloCid.toString(), emptyFile],
  )
  assert.deepEqual(await carOf(car.roots, blocks), written)
  for (const pieceBytes of [1, 2, 3, 41, 97]) {
    const again = await open(written, pieceBytes)
    assert.deepEqual(await carOf(again.roots, await Array.fromAsync(again.blocks)), written)
  }
})

test('what a CAR writes as its header is the one canonical dag-cbor of it', () => {
  const header = encodeCarHeader([helloCid])
  const node = decodeDagCbor(header.subarray(1))
  assert.ok(node instanceof Map)
  assert.deepEqual([...node.keys()], ['roots', 'version'])
  assert.equal(header[0], header.length - 1)
})

test('many small blocks leave in few pieces, and large ones are not copied', async () => {
  const small = Array.from({ length: 1000 }, () => ({ cid: helloCid, block: hello }))
  const large = { cid: emptyCid, block: new Uint8Array(100_000) }
  const pieces = await Array.fromAsync(writeCar([], streamOf([...small, large, ...small])))
  assert.deepEqual(pieces.length, 3)
  assert.equal(pieces[1], large.block)
})

test('a CAR fails before its first byte when its first block can not be had', async () => {
  async function* blocks(fails: boolean): AsyncGenerator<CarBlock> {
    if (fails) throw new Error('lost')
    yield { cid: helloCid, block: hello }
  }
  await assert.rejects(writeCar([helloCid], blocks(true)).next(), /lost/)
  assert.equal((await writeCar([helloCid], blocks(false)).next()).done, false)
})

test('files without roots or blocks, and duplicate or empty blocks, are read as they are', async () => {
  const none = await open(await carOf([], []))
  assert.deepEqual([none.roots, await blocksOf(none)], [[], []])
  const one = { cid: helloCid, block: hello }
  const twice = await open(await carOf([], [one, { cid: emptyCid, block: empty }, one]))
  assert.deepEqual(await blocksOf(twice), [
    [helloCid.toString(), hello],
    [emptyCid.toString(), Buffer.alloc(0)],
    [helloCid.toString(), hello],
  ])
})

test('an identity block is its own CID', async () => {
  const cid = cidOf(1, rawCodec, encodeMultihash(identityCode, hello))
  const car = await open(await carOf([cid], [{ cid, block: hello }]))
  assert.deepEqual(await blocksOf(car), [[cid.toString(), hello]])
})

test('a CARv2 is the CARv1 inside it: padding and index are passed over', async () => {
  for (const pieceBytes of [1, 13, 65536]) {
    const car = await open(second(written), pieceBytes)
    assert.deepEqual([car.version, car.roots.map(String)], [2, [writtenRoot, emptyFile]])
    assert.equal((await blocksOf(car)).length, 3)
  }
  const short = await open(second(written, { size: BigInt(written.length - 1) }))
  await assert.rejects(blocksOf(short), detail('unexpected EOF'))
  const long = await open(second(written, { size: BigInt(written.length + 100) }))
  await assert.rejects(blocksOf(long))
})

test('a CARv2 that was cut between two blocks is known to be cut', async () => {
  const whole = second(written)
  const cut = await open(whole.subarray(0, 60 + 98 + 150))
  await assert.rejects(blocksOf(cut), detail('unexpected EOF'))
})

test('a CARv2 whose header points nowhere is refused', async () => {
  await assert.rejects(
    open(second(written, { offset: 50n })),
    detail('invalid data payload offset: 50'),
  )
  await assert.rejects(open(second(written, { size: 0n })), detail('invalid data payload size: 0'))
  for (const size of [2n ** 53n, 2n ** 64n - 1n]) {
    await assert.rejects(open(second(written, { size })), /invalid data payload size/)
  }
  await assert.rejects(open(second(written, { offset: 2n ** 62n })), /invalid data payload offset/)
  await assert.rejects(open(second(written, { offset: 10_000n })), detail('unexpected EOF'))
  await assert.rejects(open(second(second(written))), detail('invalid data payload version: 2'))
})

test('a CAR cut short anywhere is refused, but between two blocks it is a shorter CAR', async () => {
  const ends = new Set([98, 98 + 150, 98 + 150 + 43, written.length])
  for (let length = 0; length < written.length; length += 1) {
    const read = async () => await blocksOf(await open(written.subarray(0, length)))
    if (ends.has(length)) await read()
    else await assert.rejects(read(), detail('unexpected EOF'), `cut at ${length}`)
  }
})

test('lengths are validated before allocation', async () => {
  const huge = [2 ** 32, 2 ** 40, Number.MAX_SAFE_INTEGER]
  const before = process.memoryUsage().arrayBuffers
  for (const length of huge) {
    await assert.rejects(
      open(joinBytes([encodeVarint(length)])),
      detail('invalid header data, length of read beyond allowable maximum'),
    )
    const car = await open(joinBytes([encodeCarHeader([]), encodeVarint(length), hello]))
    await assert.rejects(
      blocksOf(car),
      detail('invalid section data, length of read beyond allowable maximum'),
    )
  }
  assert.ok(process.memoryUsage().arrayBuffers - before < 8 * 1024 * 1024)
})

test('the limits of header, roots and blocks are exact', async () => {
  const tight: CarLimits = { headerBytesMax: 100, rootsMax: 2, blockBytesMax: 100 }
  const roots = [helloCid, emptyCid]
  assert.equal((await open(encodeCarHeader(roots), 64, tight)).roots.length, 2)
  const more = open(encodeCarHeader([...roots, helloCid]), 64, { ...tight, headerBytesMax: 1000 })
  await assert.rejects(more, detail('invalid car header: more than 2 roots'))
  await assert.rejects(
    open(encodeCarHeader([...roots, helloCid]), 64, tight),
    detail('invalid header data, length of read beyond allowable maximum'),
  )
  const section = (bytes: number) =>
    joinBytes([encodeCarHeader([]), carSectionHead(helloCid, bytes), new Uint8Array(bytes)])
  assert.equal((await blocksOf(await open(section(100), 64, tight))).length, 1)
  await assert.rejects(blocksOf(await open(section(300), 64, tight)), /beyond allowable maximum/)
})

test('varints that are long, endless or not the shortest are refused', async () => {
  const header = encodeCarHeader([])
  for (const [varint, text] of [
    ['8000', 'varint not minimally encoded'],
    ['ffffffffffffffffff7f', 'varints larger than uint63 not supported'],
    ['ffffffffffffffff7f', 'invalid section data, length of read beyond allowable maximum'],
    ['ff', 'unexpected EOF'],
  ] as const) {
    const car = await open(joinBytes([header, Buffer.from(varint, 'hex')]))
    await assert.rejects(blocksOf(car), detail(text), varint)
  }
})

test('sections without a CID are refused, empty ones among them', async () => {
  const header = encodeCarHeader([])
  const versionByte0 = `2400701220${'00'.repeat(32)}`
  for (const section of [
    '00',
    '0101',
    '021220',
    '050171ff20ff',
    '24' + 'ff'.repeat(36),
    versionByte0,
  ]) {
    const car = await open(joinBytes([header, Buffer.from(section, 'hex')]))
    await assert.rejects(blocksOf(car), detail('section without a valid cid'), section)
  }
})

test('what is no CAR is refused in words', async () => {
  const framed = (hex: string) => {
    const bytes = Buffer.from(hex, 'hex')
    return joinBytes([encodeVarint(bytes.length), bytes])
  }
  await assert.rejects(open(empty), detail('unexpected EOF'))
  await assert.rejects(open(Buffer.from('<html>')), /unexpected EOF/)
  await assert.rejects(
    open(framed('a16776657273696f6e03')),
    /invalid car version: expected either 1 or 2; got 3/,
  )
  await assert.rejects(open(framed('80')), /got none/)
  await assert.rejects(open(framed('a16776657273696f6e01')), /roots are not a list of links/)
  await assert.rejects(
    open(framed('a265726f6f7473816161' + '6776657273696f6e01')),
    /roots are not a list of links/,
  )
  await assert.rejects(open(framed('ff')), /malformed dag-cbor/)
})

test('a section that comes in a hundred thousand pieces is held as one', async () => {
  const block = new Uint8Array(100_000)
  const cid = cidOf(1, dagPbCodec, multihashOf('sha2-256', block))
  const car = await open(await carOf([cid], [{ cid, block }]), 1)
  const [first] = await Array.fromAsync(car.blocks)
  assert.equal(first?.block.length, 100_000)
})

test('a changed, cut or extended file is a CAR or a fault, and never yields more bytes than it has', async () => {
  const change = fc.record({
    at: fc.nat(),
    less: fc.nat(9),
    bytes: fc.uint8Array({ maxLength: 9 }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(change, { maxLength: 3 }),
      async (isSecond, changes) => {
        let bytes: Buffer = isSecond ? second(written) : written
        for (const { at, less, bytes: more } of changes) {
          const from = at % (bytes.length + 1)
          bytes = Buffer.concat([bytes.subarray(0, from), more, bytes.subarray(from + less)])
        }
        try {
          const all = await blocksOf(await open(bytes, 64))
          const total = all.reduce((sum, [, block]) => sum + block.length, 0)
          assert.ok(total <= bytes.length)
        } catch (thrown) {
          assert.ok(thrown instanceof Fault && thrown.code === 'command_failed', String(thrown))
        }
      },
    ),
    { numRuns: 500 },
  )
})

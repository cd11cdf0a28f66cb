// CAR files that cost more to process than to send: each gets the correct reply with bounded processor time and memory.
import assert from 'node:assert/strict'
import { platform } from 'node:process'
import { after, before, suite, test } from 'node:test'
import type { CID } from 'multiformats/cid'
import { carSectionHead, encodeCarHeader } from '../../src/codec/ipld/car-writer.ts'
import { cidOf, dagCborCodec, dagPbCodec, rawCodec } from '../../src/codec/ipld/cid.ts'
import { encodeDagCbor } from '../../src/codec/ipld/dag-cbor-writer.ts'
import { encodeDagNode } from '../../src/codec/ipld/dag-pb.ts'
import type { IpldNode } from '../../src/codec/ipld/ipld-node.ts'
import { encodeMultihash, multihashOf, sha256Code } from '../../src/codec/ipld/multihash.ts'
import { encodeVarint } from '../../src/codec/ipld/protobuf.ts'
import { type Started, startCairn } from '../started-server.ts'
import { bombLimits, multipart } from './files-bombs.ts'
import { readFigures } from './process-figures.ts'

// About three times the highest measured cost.
const cpuMsMax = 700
const grownMiBMax = 150

type Block = { readonly cid: CID; readonly bytes: Uint8Array }

const mib = 1024 * 1024
const failed = (text: string) =>
  new RegExp(
    `^\\{"Message":"import failed[^]{0,120}${text}[^]{0,200}","Code":0,"Type":"error"\\}\\n$`,
  )

function blockOf(bytes: Uint8Array, codec: number): Block {
  return { cid: cidOf(1, codec, multihashOf('sha2-256', bytes)), bytes }
}
const cbor = (node: IpldNode) => blockOf(encodeDagCbor(node), dagCborCodec)
const leaf = blockOf(Buffer.from('leaf'), rawCodec)
const lost = (n: number): CID => {
  const digest = Buffer.alloc(32)
  digest.writeUInt32BE(n)
  return cidOf(1, rawCodec, encodeMultihash(sha256Code, digest))
}

function section({ cid, bytes }: Block): Buffer {
  return Buffer.concat([carSectionHead(cid, bytes.length), bytes])
}
function car(roots: readonly CID[], blocks: readonly Block[]): Buffer {
  return Buffer.concat([encodeCarHeader(roots), ...blocks.map(section)])
}
/** A header section of arbitrary bytes. */
function headed(header: Uint8Array): Buffer {
  return Buffer.concat([encodeVarint(header.length), header])
}
function second(offset: bigint, size: bigint, rest: Uint8Array): Buffer {
  const header = Buffer.alloc(40)
  header.writeBigUInt64LE(offset, 16)
  header.writeBigUInt64LE(size, 24)
  return Buffer.concat([Buffer.from('0aa16776657273696f6e02', 'hex'), header, rest])
}
function chain(levels: number): Block[] {
  const blocks = [leaf]
  while (blocks.length < levels) blocks.push(cbor([(blocks.at(-1) as Block).cid]))
  return blocks
}
/** Each node links twice to the one below: 2^`levels` paths. */
function doubled(levels: number): Block[] {
  const blocks = [leaf]
  for (let level = 0; level < levels; level += 1) {
    const link = { cid: (blocks.at(-1) as Block).cid.bytes, name: '', size: 1n << BigInt(level) }
    blocks.push(blockOf(encodeDagNode({ links: [link, link], data: null }), dagPbCodec))
  }
  return blocks
}
const many = (count: number) => Array.from({ length: count }, (_, n) => cbor(BigInt(n)))
const last = (blocks: readonly Block[]) => (blocks.at(-1) as Block).cid
const roots = (count: number) => Array.from({ length: count }, (_, n) => lost(n))
const deepChain = chain(1_900)
const paths = doubled(40)
const wide = cbor(Array.from({ length: 40_000 }, (_, n) => lost(n)))
const maps = cbor(Array.from({ length: 90_000 }, () => new Map()))
const nested = (levels: number) => Buffer.concat([Buffer.alloc(levels, 0x81), Buffer.from([0])])
const whole = /^\{"Root":\{"Cid":\{"\/":"[a-z2-7]+"\},"PinErrorMsg":""\}\}\n$/

const bombs: readonly (readonly [name: string, body: Buffer, status: number, reply: RegExp])[] = [
  [
    'a header length of 2^60 bytes',
    Buffer.from('808080808080808010', 'hex'),
    500,
    failed('beyond'),
  ],
  ['a varint without an end', Buffer.alloc(mib, 0xff), 500, failed('uint63')],
  ['a header of a megabyte and one', headed(Buffer.alloc(mib + 1)), 500, failed('beyond allow')],
  [
    'a header of a megabyte of lists',
    headed(Buffer.alloc(mib, 0x80)),
    500,
    failed('after the end'),
  ],
  ['a header a million deep', headed(nested(mib - 1)), 500, failed('more than 128 levels')],
  [
    'a header that promises 2^32 roots',
    headed(Buffer.from('9affffffff', 'hex')),
    500,
    failed('end'),
  ],
  ['twenty thousand roots', car(roots(20_000), []), 500, failed('more than 1000 roots')],
  ['a thousand roots without blocks', car(roots(1_000), []), 200, /^(\{"Root".{20,240}\n){1000}$/],
  [
    'a section length of 2^53 bytes',
    Buffer.concat([car([], [leaf]), encodeVarint(2 ** 53)]),
    500,
    failed('section data, length of read beyond'),
  ],
  [
    'a section of four megabytes that never comes',
    Buffer.concat([car([], [leaf]), encodeVarint(4 * mib)]),
    500,
    failed('unexpected EOF'),
  ],
  [
    'a megabyte of empty sections',
    Buffer.concat([car([], []), Buffer.alloc(mib)]),
    500,
    failed('cid'),
  ],
  [
    'a block that is another',
    car([], [leaf, { cid: lost(1), bytes: Buffer.alloc(2 * mib) }]),
    500,
    failed('do not match their hash'),
  ],
  ['a CARv2 whose data is far away', second(1n << 50n, 10n, leaf.bytes), 500, failed('EOF')],
  [
    'a CARv2 larger than it is',
    second(51n, 1n << 50n, car([leaf.cid], [leaf])),
    500,
    failed('EOF'),
  ],
  [
    'a CARv2 behind eight megabytes of nothing',
    second(BigInt(51 + 8 * mib), 4n, Buffer.alloc(8 * mib + 8)),
    500,
    failed('cbor|EOF|version'),
  ],
  ['two thousand blocks', car([], many(2_000)), 200, /^$/],
  ['one block above the limit', car([], many(2_001)), 413, /request has more than 2000 blocks/],
  ['a chain of 1,900 blocks', car([last(deepChain)], deepChain), 200, whole],
  ['41 blocks with 2^40 paths', car([last(paths)], paths), 200, whole],
  ['forty thousand links to nothing', car([wide.cid], [wide]), 200, /could not find/],
  ['a node of ninety thousand empty maps', car([maps.cid], [maps]), 200, whole],
]

suite('CAR files made to cost', { skip: platform !== 'linux' && 'reads /proc' }, () => {
  let cairn: Started
  before(async () => {
    cairn = await startCairn({ env: bombLimits })
    for (let n = 0; n < 20; n++) await (await send(car([leaf.cid], [leaf]))).arrayBuffer()
  })
  after(() => cairn.stop())

  function send(file: Uint8Array, command = 'dag/import'): Promise<Response> {
    const authorization = `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}`
    const body = Buffer.concat([
      Buffer.from('--edge\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n'),
      file,
      Buffer.from('\r\n--edge--\r\n'),
    ])
    return fetch(`${cairn.url}/api/v0/${command}`, {
      method: 'POST',
      headers: { authorization, ...multipart },
      body,
    })
  }

  for (const [name, body, status, reply] of bombs) {
    test(`${name}: the right answer at a bounded cost`, async () => {
      const idle = await readFigures(cairn.child.pid)
      const response = await send(body)
      const text = await response.text()
      assert.equal(response.status, status, text.slice(0, 500))
      assert.match(text, reply)
      const spent = await readFigures(cairn.child.pid)
      const cpuMs = spent.cpuMs - idle.cpuMs
      assert.ok(cpuMs < cpuMsMax, `${cpuMs} ms of processor`)
      const grown = spent.residentMiB - idle.residentMiB
      assert.ok(grown < grownMiBMax, `grew by ${grown} MiB`)
    })
  }

  test('the same process answers after all of them', async () => {
    assert.equal(cairn.child.exitCode, null)
    assert.match(await (await send(car([leaf.cid], [leaf]))).text(), whole)
  })
})

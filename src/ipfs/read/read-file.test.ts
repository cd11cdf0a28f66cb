import assert from 'node:assert/strict'
import { createYielder } from '../../base/yielder.ts'
import { test } from 'node:test'
import type { CID } from 'multiformats/cid'
import { cidOf, dagPbCodec } from '../../codec/ipld/cid.ts'
import { decodeDagNode, encodeDagNode } from '../../codec/ipld/dag-pb.ts'
import { multihashOf } from '../../codec/ipld/multihash.ts'
import { decodeUnixfs, encodeUnixfs } from '../../codec/ipld/unixfs.ts'
import type { ReadBatch } from '../../content/block-store.ts'
import { bytesOf, piecesOf } from '../../../test/fakes/files/files-fixture.ts'
import type { BlockSink } from '../import/block-sink.ts'
import { noMetadata } from '../import/built.ts'
import { importFile } from '../import/import-file.ts'
import { fileShape, readFile } from './read-file.ts'

/** 41 blocks that describe 2^40 bytes: each node links twice to the node below it. */
function endlessFile(): { root: CID; find(cid: CID): Uint8Array } {
  const blocks = new Map<string, Uint8Array>()
  const put = (block: Uint8Array): CID => {
    const cid = cidOf(0, dagPbCodec, multihashOf('sha2-256', block))
    blocks.set(cid.toString(), block)
    return cid
  }
  const leaf = encodeUnixfs({ type: 'file', data: Uint8Array.of(65), fileSize: 1n })
  let root = put(encodeDagNode({ links: [], data: leaf }))
  for (let size = 1n; size < 1n << 40n; size *= 2n) {
    const link = { cid: root.bytes, name: '', size }
    const data = encodeUnixfs({ type: 'file', fileSize: size * 2n, blockSizes: [size, size] })
    root = put(encodeDagNode({ links: [link, link], data }))
  }
  return { root, find: (cid) => blocks.get(cid.toString()) as Uint8Array }
}

test('40 blocks that describe 2^40 bytes stream lazily, and other work gets its turn meanwhile', async () => {
  const { root, find } = endlessFile()
  let reads = 0
  const shape = fileShape(root, find(root))
  const read = (cid: CID) => {
    reads += 1
    return Promise.resolve(find(cid))
  }
  async function* leaves(cids: readonly CID[]) {
    for (const cid of cids) yield [{ data: await read(cid), leaf: false }]
  }
  const bytes = readFile(shape, 0n, shape.size, Object.assign(read, { leaves }))
  assert.equal(shape.size, 1n << 40n)
  let stopped = false
  setImmediate(() => (stopped = true))
  let count = 0
  for await (const chunk of bytes) {
    count += chunk.length
    if (stopped || count === 20_000) break
  }
  assert.ok(stopped, 'no other task had a turn')
  assert.ok(reads < 1000, `${reads} blocks read`)
})

/** A file of `count` leaves of `leafBytes` bytes, `width` links per node, in a map. */
async function balancedFile(count: number, leafBytes: number, width: number) {
  const blocks = new Map<string, Uint8Array>()
  const sink: BlockSink = {
    leaves: null,
    yielderFor: createYielder,
    countInput: () => {},
    endTree: () => 0,
    put(codec, version, block) {
      const cid = cidOf(version, codec, multihashOf('sha2-256', block))
      blocks.set(cid.toString(), block)
      return Promise.resolve(cid)
    },
    flush: () => Promise.resolve(),
    settled: () => Promise.resolve(),
  }
  const bytes = Buffer.alloc(count * leafBytes)
  for (let at = 0; at < count; at++) bytes.fill(at % 251, at * leafBytes, (at + 1) * leafBytes)
  const options = {
    cidVersion: 0,
    rawLeaves: false,
    chunker: { kind: 'size', bytes: leafBytes },
    layout: 'balanced',
    maxFileLinks: width,
  } as const
  const steps = importFile(piecesOf(bytes), options, noMetadata, sink)
  let step = await steps.next()
  while (!step.done) step = await steps.next()
  return { bytes, root: step.value.cid, blocks }
}

/** The file bytes of a leaf. */
function bare(block: Uint8Array): Uint8Array {
  return decodeUnixfs(decodeDagNode(block).data ?? block).data ?? new Uint8Array(0)
}

test('a file that is read in runs comes out whole though the buffer of a run is used again', async () => {
  const { bytes, root, blocks } = await balancedFile(100, 100, 45)
  const find = (cid: CID) => blocks.get(cid.toString()) as Uint8Array
  let alone = 0
  let openRuns = 0
  const read = (cid: CID) => {
    alone += 1
    return Promise.resolve(find(cid))
  }
  async function* leaves(cids: readonly CID[]): AsyncGenerator<ReadBatch> {
    // The pieces of a batch are adjacent in one buffer, and invalid once the next batch is requested.
    const buffer = new Uint8Array(4096)
    openRuns += 1
    try {
      for (let from = 0; from < cids.length; from += 4) {
        let at = 0
        yield cids.slice(from, from + 4).map((cid) => {
          const block = bare(find(cid))
          const data = buffer.subarray(at, at + block.length)
          data.set(block)
          at += block.length
          return { data, leaf: true }
        })
        buffer.fill(255)
      }
    } finally {
      buffer.fill(255)
      openRuns -= 1
    }
  }
  const shape = fileShape(root, find(root))
  for (const [start, end] of [
    [0, 10_000],
    [1, 9_999],
    [450, 460],
    [399, 1601],
  ] as const) {
    const out: Uint8Array[] = []
    for await (const chunk of readFile(
      shape,
      BigInt(start),
      BigInt(end),
      Object.assign(read, { leaves }),
    )) {
      out.push(Buffer.from(chunk))
    }
    assert.ok(out.every((chunk) => chunk.length <= 400))
    assert.ok(end - start < 1000 || out.some((chunk) => chunk.length === 400), 'nothing was joined')
    assert.ok(Buffer.concat(out).equals(bytes.subarray(start, end)), `${start} to ${end}`)
    assert.equal(openRuns, 0)
  }
  assert.ok(alone < 30, `${alone} blocks were read alone`)
  for await (const chunk of readFile(shape, 0n, 10_000n, Object.assign(read, { leaves }))) {
    if ((chunk[0] ?? 0) > 50) break
  }
  assert.equal(openRuns, 0, 'a run was not left')
})

test('what a run does not have is read alone, and the rest of its node with it', async () => {
  const { bytes, root, blocks } = await balancedFile(40, 100, 8)
  const find = (cid: CID) => blocks.get(cid.toString()) as Uint8Array
  const read = (cid: CID) => Promise.resolve(find(cid))
  let given = 0
  async function* leaves(cids: readonly CID[]) {
    for (const cid of cids) {
      given += 1
      yield [given % 3 === 0 ? null : { data: find(cid), leaf: false }]
    }
  }
  const shape = fileShape(root, find(root))
  const chunks = readFile(shape, 0n, shape.size, Object.assign(read, { leaves }))
  assert.ok((await bytesOf(chunks)).equals(bytes))
})

for (const [leafBytes, most] of [
  [1000, 16],
  [1024 * 1024, 4],
] as const) {
  test(`of blocks of ${leafBytes} bytes that are elsewhere, ${most} are on their way`, async () => {
    const { bytes, root, blocks } = await balancedFile(30, leafBytes, 45)
    let open = 0
    let highest = 0
    const read = async (cid: CID) => {
      open += 1
      highest = Math.max(highest, open)
      await new Promise(setImmediate)
      open -= 1
      return blocks.get(cid.toString()) as Uint8Array
    }
    async function* leaves(cids: readonly CID[]): AsyncGenerator<ReadBatch> {
      yield cids.map(() => null)
    }
    const shape = fileShape(root, blocks.get(root.toString()) as Uint8Array)
    const chunks = readFile(shape, 0n, shape.size, Object.assign(read, { leaves }))
    assert.ok((await bytesOf(chunks)).equals(bytes))
    assert.equal(highest, most)
  })
}

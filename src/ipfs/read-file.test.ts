import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CID } from 'multiformats/cid'
import { cidOf, dagPbCodec } from '../codec/cid.ts'
import { encodeDagNode } from '../codec/dag-pb.ts'
import { multihashOf } from '../codec/multihash.ts'
import { encodeUnixfs } from '../codec/unixfs.ts'
import { fileShape, readFile } from './read-file.ts'

/** 41 blocks that describe 2^40 bytes: each node has the one below it twice. */
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
  const bytes = readFile(shape, 0n, shape.size, (cid) => {
    reads += 1
    return Promise.resolve(find(cid))
  })
  assert.equal(shape.size, 1n << 40n)
  let stopped = false
  setImmediate(() => (stopped = true))
  let count = 0
  for await (const chunk of bytes) {
    count += chunk.length
    if (stopped || count === 20_000) break
  }
  assert.ok(stopped, 'nobody else had a turn')
  assert.ok(reads < 1000, `${reads} blocks read`)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CID } from 'multiformats/cid'
import { cidOf, dagPbCodec, rawCodec } from '../../codec/ipld/cid.ts'
import { encodeDagNode } from '../../codec/ipld/dag-pb.ts'
import { cutMultihash, identityCode, sha256Code } from '../../codec/ipld/multihash.ts'
import { walkBlocks } from './walk.ts'

function nodeOf(children: readonly CID[]): { readonly cid: CID; readonly bytes: Uint8Array } {
  const links = children.map((cid) => ({ cid: cid.bytes, name: '', size: 0n }))
  const bytes = encodeDagNode({ links, data: null })
  return { cid: cidOf(1, dagPbCodec, cutMultihash(sha256Code, null, bytes)), bytes }
}

function leafOf(text: string): CID {
  return cidOf(1, rawCodec, cutMultihash(identityCode, null, Buffer.from(text)))
}

test('each block comes once, parents first, children in the order of their links', async () => {
  const [a, b, c] = ['a', 'b', 'c'].map(leafOf) as [CID, CID, CID]
  const inner = nodeOf([b, a])
  const root = nodeOf([inner.cid, a, c, inner.cid])
  const blocks = new Map([inner, root].map(({ cid, bytes }) => [cid.toString(), bytes]))
  const seen: string[] = []
  const read = (cid: CID) => Promise.resolve(blocks.get(cid.toString()) ?? new Uint8Array(0))
  for await (const { cid } of walkBlocks(root.cid, new Map(), 10, read)) seen.push(cid.toString())
  assert.deepEqual(seen, [root.cid, inner.cid, b, a, c].map(String))
})

test('wide blocks on a deep path are given up before their links fill the memory', async () => {
  const wide = Array.from({ length: 14_000 }, () => leafOf('x'.repeat(128)))
  let made = 0
  let node = nodeOf(wide)
  const blocks = new Map([[node.cid.toString(), node.bytes]])
  for (let level = 0; level < 10; level++) {
    node = nodeOf([node.cid, ...wide])
    blocks.set(node.cid.toString(), node.bytes)
  }
  const read = (cid: CID) => {
    made++
    return Promise.resolve(blocks.get(cid.toString()) ?? null)
  }
  await assert.rejects(
    async () => {
      for await (const _ of walkBlocks(node.cid, new Map(), 1_000, read));
    },
    { code: 'command_failed', message: 'DAG has too many links on one path' },
  )
  assert.ok(made <= 10, `${made} blocks were read`)
})

test('a block that is linked as bytes and as a node is followed all the same', async () => {
  const leaf = leafOf('a')
  const inner = nodeOf([leaf])
  const asBytes = cidOf(1, rawCodec, inner.cid.multihash.bytes)
  const root = nodeOf([asBytes, inner.cid])
  const blocks = new Map([inner, root].map(({ cid, bytes }) => [cid.toString(), bytes]))
  const seen: string[] = []
  const read = (cid: CID) => Promise.resolve(blocks.get(cid.toString()) ?? inner.bytes)
  for await (const { cid } of walkBlocks(root.cid, new Map(), 10, read)) seen.push(cid.toString())
  assert.deepEqual(seen, [root.cid, asBytes, leaf].map(String))
})

test('a short look finds the next links, however many links wait', async () => {
  const again = leafOf('again')
  const many = Array.from({ length: 10_000 }, () => again)
  let node = nodeOf([again])
  const blocks = new Map([[node.cid.toString(), node.bytes]])
  for (let level = 0; level < 50; level += 1) {
    node = nodeOf(level < 40 ? [node.cid] : [node.cid, ...many])
    blocks.set(node.cid.toString(), node.bytes)
  }
  let most = 0
  const read = Object.assign(
    (cid: CID) => Promise.resolve(blocks.get(cid.toString()) ?? new Uint8Array(0)),
    { expect: (cids: Iterable<CID>) => (most = Math.max(most, [...cids].length)), forget() {} },
  )
  let walked = 0
  for await (const _ of walkBlocks(node.cid, new Map(), 100, read)) walked += 1
  assert.equal(walked, 52)
  assert.ok(most > 0 && most <= 1_000, `${most} links were looked at for one block`)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CID } from 'multiformats/cid'
import { cidOf, dagCborCodec, rawCodec } from '../../codec/ipld/cid.ts'
import { encodeDagCbor } from '../../codec/ipld/dag-cbor-writer.ts'
import { multihashOf } from '../../codec/ipld/multihash.ts'
import { createCarClosure } from './car-closure.ts'

const leaf = Buffer.from('leaf')
const leafCid = cidOf(1, rawCodec, multihashOf('sha2-256', leaf))
function node(...links: readonly CID[]): { cid: CID; block: Uint8Array } {
  const block = encodeDagCbor(links)
  return { cid: cidOf(1, dagCborCodec, multihashOf('sha2-256', block)), block }
}

test('blocks are all below a root when each but the root is linked to, and each link is here', () => {
  const below = node(leafCid)
  const top = node(below.cid, leafCid)
  const closure = createCarClosure(3)
  assert.equal(closure.isAllBelow(top.cid), false)
  closure.add(top.cid, top.block)
  closure.add(leafCid, leaf)
  assert.equal(closure.isAllBelow(top.cid), false)
  closure.add(below.cid, below.block)
  assert.deepEqual([closure.isAllBelow(top.cid), closure.isAllBelow(below.cid)], [true, false])
})

test('two DAGs are not one, and past the memory nothing is known, whatever follows', () => {
  const [one, two] = [node(leafCid), node(node().cid)]
  const both = createCarClosure(10)
  for (const { cid, block } of [one, two, node(), { cid: leafCid, block: leaf }]) {
    both.add(cid, block)
  }
  assert.deepEqual([both.isAllBelow(one.cid), both.isAllBelow(two.cid)], [false, false])
  const small = createCarClosure(1)
  small.add(one.cid, one.block)
  small.add(leafCid, leaf)
  assert.deepEqual([small.isAllBelow(one.cid), small.isAllBelow(leafCid)], [false, false])
})

test('a block that can not be followed leaves it unknown', () => {
  const closure = createCarClosure(10)
  closure.add(cidOf(1, dagCborCodec, multihashOf('sha2-256', leaf)), leaf)
  closure.add(leafCid, leaf)
  assert.equal(closure.isAllBelow(leafCid), false)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CID } from 'multiformats/cid'
import { cidOf, dagPbCodec, rawCodec } from '../../codec/ipld/cid.ts'
import { encodeDagNode } from '../../codec/ipld/dag-pb.ts'
import { multihashOf } from '../../codec/ipld/multihash.ts'
import type { BlockReader } from './blocks.ts'
import { readInRuns } from './read-in-runs.ts'
import { type ReadSome, walkBlocks } from './walk.ts'

type Block = { readonly cid: CID; readonly bytes: Uint8Array }

function leafOf(number: number, bytes: number): Block {
  const block = Buffer.alloc(bytes, 7)
  block.writeUInt32BE(number)
  return { cid: cidOf(1, rawCodec, multihashOf('sha2-256', block)), bytes: block }
}

function nodeOf(children: readonly Block[]): Block {
  const links = children.map(({ cid }) => ({ cid: cid.bytes, name: '', size: 0n }))
  const bytes = encodeDagNode({ links, data: null })
  return { cid: cidOf(1, dagPbCodec, multihashOf('sha2-256', bytes)), bytes }
}

/** As in a sharded directory: in each node of 250 links, every third link leads to a node of two leaves. */
function mixedDag(nodes: number, leafBytes: number): { root: Block; blocks: readonly Block[] } {
  const blocks: Block[] = []
  const kept = (block: Block): Block => {
    blocks.push(block)
    return block
  }
  const leaf = (): Block => kept(leafOf(blocks.length, leafBytes))
  const shards = Array.from({ length: nodes }, () =>
    kept(
      nodeOf(
        Array.from({ length: 250 }, (_, at) =>
          at % 3 === 2 ? kept(nodeOf([leaf(), leaf()])) : leaf(),
        ),
      ),
    ),
  )
  return { root: kept(nodeOf(shards)), blocks }
}

/** Walks the DAG and counts the work: checked links, and blocks read in runs and separately. */
async function workOf({ root, blocks }: ReturnType<typeof mixedDag>) {
  const byCid = new Map(blocks.map(({ cid, bytes }) => [cid.toString(), bytes]))
  const bytesOf = (cid: CID): Uint8Array => byCid.get(cid.toString()) ?? assert.fail()
  const work = { looked: 0, inRuns: 0, alone: 0, runs: 0 }
  const reader: BlockReader = Object.assign(
    async (cid: CID) => {
      work.alone += 1
      return bytesOf(cid)
    },
    {
      async *leaves(cids: readonly CID[]) {
        work.runs += 1
        for (const cid of cids) {
          work.inRuns += 1
          yield [{ data: bytesOf(cid), leaf: false }]
        }
      },
    },
  )
  const inRuns = readInRuns(reader)
  function* counted(cids: Iterable<CID>): Generator<CID> {
    for (const cid of cids) {
      work.looked += 1
      yield cid
    }
  }
  const read: ReadSome = Object.assign((cid: CID) => inRuns(cid), {
    expect: (cids: Iterable<CID>) => inRuns.expect?.(counted(cids)),
    forget: () => inRuns.forget?.(),
  })
  const seen: string[] = []
  for await (const { cid, block } of walkBlocks(root.cid, new Map(), blocks.length, read)) {
    assert.equal(Buffer.compare(block ?? assert.fail(), bytesOf(cid)), 0)
    seen.push(cid.toString())
  }
  assert.equal(new Set(seen).size, blocks.length)
  return work
}

for (const leafBytes of [16, 4096]) {
  test(`a walk through leaves of ${leafBytes} bytes among small nodes looks at few links for each block, however many there are`, async () => {
    for (const nodes of [4, 16]) {
      const dag = mixedDag(nodes, leafBytes)
      const work = await workOf(dag)
      const blocks = dag.blocks.length
      assert.ok(work.looked <= 6 * blocks, `${blocks} blocks: ${JSON.stringify(work)}`)
      assert.ok(work.inRuns + work.alone <= 1.2 * blocks, `${blocks}: ${JSON.stringify(work)}`)
    }
  })
}

test('large leaves among small nodes are read in runs, which small nodes do not end', async () => {
  const dag = mixedDag(8, 4096)
  const work = await workOf(dag)
  assert.ok(work.runs <= 0.02 * dag.blocks.length, JSON.stringify(work))
  assert.ok(work.inRuns >= 0.5 * dag.blocks.length, JSON.stringify(work))
})

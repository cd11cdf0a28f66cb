// A chain of bare headers that tests can extend and reorganise, and nodes that report its blocks, for tests of head followers.
// Hashes are invented: tests that need real ones use a stub upstream.
import assert from 'node:assert/strict'
import { Fault } from '../../../src/base/fault.ts'
import { toHex, toQuantity } from '../../../src/base/hex.ts'
import type { Header } from '../../../src/codec/ethereum/header.ts'
import type { HeadSource } from '../../../src/chain/upstream/head/head-source.ts'

export type MovingBlock = {
  readonly hash: Uint8Array
  readonly number: bigint
  readonly parent: MovingBlock | null
}

export type MovingChain = {
  /** Adds `count` blocks on `parent`. Returns the last. */
  grow(parent: MovingBlock | null, count: number): MovingBlock
  header(hash: Uint8Array): Header
  /** Throws Fault `not_found`, as `header` does. */
  block(hash: Uint8Array): MovingBlock
}

export function createMovingChain(): MovingChain {
  const blocks = new Map<string, MovingBlock>()
  function add(parent: MovingBlock | null): MovingBlock {
    const hash = new Uint8Array(32).fill(0xcc)
    new DataView(hash.buffer).setUint32(0, blocks.size + 1)
    const block = { hash, number: parent === null ? 0n : parent.number + 1n, parent }
    blocks.set(toHex(hash), block)
    return block
  }
  function block(hash: Uint8Array): MovingBlock {
    const found = blocks.get(toHex(hash))
    if (found === undefined) throw new Fault('not_found')
    return found
  }
  return {
    grow(parent, count) {
      let last = parent
      for (let at = 0; at < count; at += 1) last = add(last)
      if (last === null) throw new RangeError('no block was grown')
      return last
    },
    block,
    header(hash) {
      const { number, parent } = block(hash)
      return { number, parentHash: parent?.hash ?? new Uint8Array(32) } as Header
    },
  }
}

/** The ancestor this many blocks below, or the first block. */
export function below(block: MovingBlock, count: number): MovingBlock {
  let found = block
  for (let at = 0; at < count && found.parent !== null; at += 1) found = found.parent
  return found
}

export type MovingNode = HeadSource & {
  latest: MovingBlock
  safe: MovingBlock | null
  finalized: MovingBlock | null
  down: boolean
  isPushing: boolean
  /** Pushes this block. Resolves when the follower has processed it. */
  push(block: MovingBlock): Promise<void>
  usable: boolean
  /** Number of requests for each tag. */
  readonly requestCounts: Map<string, number>
}

export function movingNode(name: string, latest: MovingBlock, trusted = false): MovingNode {
  let listener: ((hash: Uint8Array) => Promise<void>) | null = null
  const node: MovingNode = {
    name,
    trusted,
    usable: true,
    latest,
    safe: null,
    finalized: null,
    down: false,
    isPushing: false,
    watchHeads: (onHead) => void (listener = onHead),
    push: async ({ hash }) => {
      assert(listener, 'the follower watches each source')
      await listener(hash)
    },
    requestCounts: new Map(),
    setLag: () => {},
    confirmChain: async () => {},
    async call(_method, [tag]) {
      if (node.down) throw new Error('connection refused')
      if (tag !== 'latest' && tag !== 'safe' && tag !== 'finalized') {
        throw new TypeError(`block ${String(tag)}, expected latest, safe or finalized`)
      }
      node.requestCounts.set(tag, (node.requestCounts.get(tag) ?? 0) + 1)
      const block = node[tag]
      return block === null ? null : { hash: toHex(block.hash), number: toQuantity(block.number) }
    },
  }
  return node
}

// The recorded chain with all its state, in memory: created once per test file, shared by all its stub upstreams. New blocks can be
// mined on any block, so that a head can advance and a branch can be abandoned.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Block } from '@ethereumjs/block'
import { equalBytes, toHex } from '../../../src/base/hex.ts'
import { silentLog } from '../../../src/base/log.ts'
import { emptyTrieRoot, emptyUnclesHash } from '../../../src/codec/ethereum/account-state.ts'
import { joinBlock, type BlockParts } from '../../../src/codec/ethereum/block.ts'
import { decodeHeader } from '../../../src/codec/ethereum/header.ts'
import { decodeEntries } from '../../../src/codec/ethereum/list.ts'
import { emptyRlpList } from '../../../src/codec/ethereum/rlp.ts'
import type { ContentKind } from '../../../src/content/ref.ts'
import { createMemoryStore } from '../../../src/content/memory-store.ts'
import type { LocalStore } from '../../../src/content/block-store.ts'
import type { BlockId, ChainIndex } from '../../../src/devchain/chain-index.ts'
import { noChainPlan } from '../../../src/devchain/block-plan.ts'
import { parseGenesis } from '../../../src/evm/genesis.ts'
import { findStart } from '../../../src/devchain/start-point.ts'
import { viewBlock } from '../../../src/evm/block-view.ts'
import { createCrypto } from '../../../src/evm/chain-crypto.ts'
import { createRules } from '../../../src/evm/chain-rules.ts'
import { Engine } from '../../../src/devchain/engine/engine.ts'
import { createChainCalls } from '../chain-calls.ts'
import { chainFolder, readChain } from '../chain-vectors.ts'

/** `view`: the block as another library decodes it. `receipts`: raw entries. */
export type StubBlock = {
  readonly number: bigint
  readonly hash: string
  readonly parentHash: string
  readonly stateRoot: Uint8Array
  readonly parts: BlockParts
  readonly raw: Uint8Array
  readonly receipts: readonly Uint8Array[]
  readonly view: Block
}

export type StubChain = {
  readonly chainId: bigint
  /** Blocks 0 to 54 by number. */
  readonly recorded: readonly StubBlock[]
  readonly store: LocalStore
  /**
   * Mines `count` blocks on `parent` (42 or later), next to existing branches. The first contains those of `transactions` that can
   * run. Two branches from one parent differ by `salt`, an offset of their timestamps in seconds.
   */
  extend(
    parent: StubBlock,
    options: { count: number; salt?: number; transactions?: readonly Uint8Array[] },
  ): Promise<readonly StubBlock[]>
  /** Runs a call on the state after `block`, as eth_call. Throws the chain's errors. */
  call(request: object, block: StubBlock): Promise<Uint8Array>
}

let opened: Promise<StubChain> | null = null

/** One chain for all tests of a process, because it takes about 0.6 s. New blocks do not change it for others. */
export function openStubChain(): Promise<StubChain> {
  opened ??= importChain()
  return opened
}

async function importChain(): Promise<StubChain> {
  const genesis = parseGenesis(JSON.parse(new TextDecoder().decode(readChain('genesis.json'))))
  const store = createMemoryStore({
    writer: { write: async (rows) => rows.map(() => 1), close: async () => {} },
  })
  const rules = createRules(genesis, createCrypto())
  const blocks = new Map<string, StubBlock>()

  function read(id: BlockId): StubBlock {
    const header = store.peek({ kind: 'header', hash: id.hash }) ?? assert.fail()
    const fields = decodeHeader(header)
    const list = (kind: ContentKind, hash: Uint8Array, empty: Uint8Array) =>
      equalBytes(hash, empty) ? emptyRlpList : (store.peek({ kind, hash }) ?? assert.fail(kind))
    const { transactionsRoot, unclesHash, withdrawalsRoot, receiptsRoot } = fields
    const parts = {
      header,
      transactions: list('transactions', transactionsRoot, emptyTrieRoot),
      uncles: list('uncles', unclesHash, emptyUnclesHash),
      withdrawals:
        withdrawalsRoot === undefined ? null : list('withdrawals', withdrawalsRoot, emptyTrieRoot),
    }
    const block = {
      number: fields.number,
      hash: toHex(id.hash),
      parentHash: toHex(fields.parentHash),
      stateRoot: fields.stateRoot,
      parts,
      raw: joinBlock(parts),
      receipts: decodeEntries(list('receipts', receiptsRoot, emptyTrieRoot)),
      view: viewBlock(parts, rules.at(fields)),
    }
    blocks.set(block.hash, block)
    return block
  }

  /** The chain that ends at `block`, oldest first. */
  function chainOf(block: StubBlock): StubBlock[] {
    const chain: StubBlock[] = []
    for (let at: StubBlock | undefined = block; at !== undefined; at = blocks.get(at.parentHash)) {
      chain.unshift(at)
    }
    return chain
  }

  async function openEngine(ids: BlockId[], now: () => number) {
    const index = indexOf(ids)
    const engine = await Engine.open({
      network: 'stub',
      genesis,
      store,
      index,
      mining: 'off',
      now,
      onBlock: (id) => void ids.push(id),
      onPending: () => {},
      log: silentLog,
    })
    return engine
  }

  const start = await findStart({
    network: 'stub',
    genesis,
    store,
    index: indexOf([]),
    log: silentLog,
  })
  const ids = [start]
  const importing = await openEngine(ids, () => 0)
  assert.equal(await importing.importFile(join(chainFolder, 'chain.rlp')), 54)
  const recorded = ids.map(read)

  return {
    chainId: genesis.chainId,
    recorded,
    store,
    async extend(parent, { count, salt = 0, transactions = [] }) {
      const on = chainOf(parent).map(idOf)
      const seconds = Number(decodeHeader(parent.parts.header).timestamp) + 1 + salt
      const engine = await openEngine(on, () => seconds * 1000)
      for (const raw of transactions) await engine.send(raw)
      const made: StubBlock[] = []
      for (let at = 0; at < count; at += 1) made.push(read(await engine.mine()))
      return made
    },
    async call(request, block) {
      const index = indexOf(chainOf(block).map(idOf))
      const calls = createChainCalls({ genesis, store, index })
      return calls.call(request, idOf(block).hash)
    },
  }
}

function idOf({ number, hash }: StubBlock): BlockId {
  return { number, hash: new Uint8Array(Buffer.from(hash.slice(2), 'hex')) }
}

/** An index over a list of blocks from 0, which may grow. */
function indexOf(ids: readonly BlockId[]): ChainIndex {
  return {
    head: () => ids.at(-1) ?? null,
    hashOf: (number) => ids[Number(number)]?.hash ?? null,
    has: (hash) => ids.some((id) => equalBytes(id.hash, hash)),
    locate: () => null,
    above: () => [],
    plan: () => noChainPlan,
  }
}

// The chain at its head: runs transactions into the next block, or runs a block made elsewhere, and keeps
// each with one commit. After any failure it stands where it stood before. One call at a time.
// Tested by src/devchain/vm/engine.test.ts
import { setImmediate } from 'node:timers/promises'
import { buildBlock } from '@ethereumjs/vm'
import type { BlockBuilder, TxReceipt } from '@ethereumjs/vm'
import type { Block } from '@ethereumjs/block'
import { createTxFromRLP } from '@ethereumjs/tx'
import type { TypedTransaction } from '@ethereumjs/tx'
import { createAddressFromString } from '@ethereumjs/util'
import type { Account } from '@ethereumjs/util'
import { equalBytes, toHex } from '../../base/hex.ts'
import type { BlockParts } from '../../codec/ethereum/block.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import type { Header } from '../../codec/ethereum/header.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import { encodeEntries } from '../../codec/ethereum/list.ts'
import { emptyRlpList } from '../../codec/ethereum/rlp.ts'
import type { UnverifiedItem } from '../../content/ref.ts'
import type { LocalStore } from '../../content/block-store.ts'
import { gasPerBlob } from '../../chain/fees.ts'
import type { BlockPlace, ChainIndex, Signed } from '../chain-index.ts'
import { BadBlock, commitOf } from './block-commit.ts'
import type { BlockCommit } from './block-commit.ts'
import { refuseLongSteps } from './bound-precompiles.ts'
import { viewBlock, viewHeader } from './block-view.ts'
import type { ChainRules } from './chain-rules.ts'
import { createStateVm } from './chain-vm.ts'
import type { StateVm } from './chain-vm.ts'
import { executeBlock } from './execute-block.ts'
import type { PoolEntry } from './pool.ts'
import type { ReadyQueue } from './ready-queue.ts'
import { recentBytesMax, type TrieDatabase } from './trie-database.ts'

/** Fee recipient of blocks made here: an address without a known key. */
const coinbase = '0xca14ca14ca14ca14ca14ca14ca14ca14ca14ca14'

export type ChainParts = {
  readonly network: string
  readonly rules: ChainRules
  readonly store: LocalStore
  readonly index: ChainIndex
  readonly tries: TrieDatabase
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number
}

/** A transaction that the EVM would not run; nothing of it is left. */
type Refused = { readonly entry: PoolEntry; readonly cause: unknown }

/** `block`: null when none was made. `taken`: in it, in order. `refused`: never to be tried again. */
export type Mined = {
  readonly block: BlockPlace | null
  readonly taken: readonly PoolEntry[]
  readonly refused: readonly Refused[]
}

/** Called for a block once it is durable, with the signers of its transactions. */
type OnDurable = (block: BlockPlace, signed: readonly Signed[]) => void

type Ahead = {
  readonly place: BlockPlace
  /** Of everything the block brings. */
  readonly bytes: number
  /** Of its nodes and code, which the trie database holds until they can be read from the BlockStore. */
  readonly stateBytes: number
  readonly durable: Promise<void>
}

/** Blocks that are run while the commits of those before them are under way, and what they bring in all. */
const aheadBlocksMax = 64
const aheadBytesMax = 32 * 1024 * 1024
const aheadStateBytesMax = recentBytesMax / 2
/**
 * Blocks that are handed to the writer together, and what they bring in all. It hears of them when a turn of the event loop
 * ends, and blocks run from promise to promise: without such ends it had nothing to do until this thread waited for it.
 */
const turnBlocksMax = aheadBlocksMax / 2
const turnBytesMax = 1024 * 1024

export class ProducingChain {
  readonly #parts: ChainParts
  readonly #main: StateVm
  #place: BlockPlace
  #header: Header
  #headerView: Block
  /** Blocks whose commit is under way, oldest first. */
  #ahead: Ahead[] = []
  /** Since the turn began. */
  #turn = { blocks: 0, bytes: 0 }

  private constructor(parts: ChainParts, main: StateVm, place: BlockPlace, header: Uint8Array) {
    this.#parts = parts
    this.#main = main
    this.#place = place
    this.#header = decodeHeader(header)
    this.#headerView = viewHeader(header, parts.rules.at(this.#header))
  }

  /** Stands at the head row's block. */
  static async open(parts: ChainParts): Promise<ProducingChain> {
    const { store, index, rules, tries } = parts
    const place = index.head()
    const bytes = place === null ? null : store.peek({ kind: 'header', hash: place.hash })
    if (place === null || bytes === null) throw new Error('the chain has no head to go on from')
    const header = decodeHeader(bytes)
    const { stateRoot } = header
    let chain: ProducingChain | null = null
    const hashes = { hashOf: (number: bigint) => (chain ?? index).hashOf(number) }
    const main = await createStateVm({ common: rules.at(header), tries, index: hashes, stateRoot })
    chain = new ProducingChain(parts, main, place, bytes)
    return chain
  }

  get head(): BlockPlace {
    return this.#place
  }

  /** Null when there is no such account at the head. `address`: 20 bytes. */
  async account(address: Uint8Array): Promise<Account | null> {
    const key = createAddressFromString(toHex(address))
    return (await this.#main.state.getAccount(key)) ?? null
  }

  async code(address: Uint8Array): Promise<Uint8Array> {
    return this.#main.state.getCode(createAddressFromString(toHex(address)))
  }

  /** Rules, gas limit and prices (wei) that a transaction of the next block meets. */
  next() {
    const point = this.#nextPoint()
    const common = this.#parts.rules.at(point)
    const { header } = this.#headerView
    return {
      common,
      gasLimit: this.#header.gasLimit,
      baseFee: common.isActivatedEIP(1559) ? header.calcNextBaseFee() : 0n,
      blobFee: common.isActivatedEIP(4844) ? header.calcNextBlobGasPrice(common) : 0n,
    }
  }

  /**
   * Makes one block of what `queue` gives, as much as fits, and keeps it. Without any transaction it is made
   * only with `orEmpty`; `block` is null then. Throws what the BlockStore throws; nothing has happened then.
   */
  async mine(queue: ReadyQueue, { orEmpty }: { readonly orEmpty: boolean }): Promise<Mined> {
    try {
      const { builder, taken, refused } = await this.#fill(queue)
      if (taken.length === 0 && !orEmpty) {
        await builder.revert()
        await this.#reset()
        return { block: null, taken, refused }
      }
      const parts = await finish(builder)
      const block = await this.#keep(parts, (stateItems) =>
        commitOf(this.#parts.network, parts, builder.transactionReceipts, stateItems),
      )
      return { block, taken, refused }
    } catch (error) {
      await this.#reset()
      throw error
    }
  }

  /** The block that `mine` would make now. Nothing of it is kept. */
  async preview(queue: ReadyQueue): Promise<BlockParts> {
    try {
      const { builder } = await this.#fill(queue)
      return await finish(builder)
    } finally {
      await this.#reset()
    }
  }

  async #fill(queue: ReadyQueue) {
    const { vm } = this.#main
    const point = this.#nextPoint()
    vm.common.setHardforkBy({ blockNumber: point.number, timestamp: point.timestamp })
    const { gasLimit } = this.#header
    const builder = await buildBlock(vm, {
      parentBlock: this.#headerView,
      headerData: {
        number: point.number,
        timestamp: point.timestamp,
        gasLimit,
        coinbase,
        // Anybody who replays the chain gets the same randomness.
        mixHash: keccak256(this.#place.hash),
        parentBeaconBlockRoot: new Uint8Array(32),
      },
      withdrawals: [],
      blockOpts: { putBlockIntoBlockchain: false },
    })
    const taken: PoolEntry[] = []
    const transactions: TypedTransaction[] = []
    const refused: Refused[] = []
    const common = this.#parts.rules.at(point)
    const blobsMax = common.isActivatedEIP(4844)
      ? common.getBlobGasSchedule().maxBlobGasPerBlock
      : 0n
    const room = () => ({
      gas: gasLimit - builder.gasUsed,
      blobs: Number((blobsMax - builder.blobGasUsed) / gasPerBlob),
    })
    const unbind = refuseLongSteps(vm)
    try {
      for (let entry = queue.next(room()); entry !== null; entry = queue.next(room())) {
        try {
          await addAlone(builder, createTxFromRLP(entry.raw, { common }), transactions)
          taken.push(entry)
          queue.take()
        } catch (cause) {
          refused.push({ entry, cause })
          queue.skip()
        }
      }
    } finally {
      unbind()
    }
    insideOf(builder).transactions = transactions
    return { builder, taken, refused }
  }

  /** As the index has it, with the blocks whose commit is under way. */
  hashOf(number: bigint): Uint8Array | null {
    const ahead = this.#ahead.find(({ place }) => place.number === number)
    return ahead?.place.hash ?? this.#parts.index.hashOf(number)
  }

  /**
   * Runs a block made elsewhere and begins to keep it if every root agrees; the next one may follow at once, and
   * `settle` resolves when all are durable. `onDurable` is called in order. Consensus (work, votes) is not checked.
   * Throws `BadBlock`, or what an earlier commit failed with; then the chain stands at its last durable block.
   */
  async replay(parts: BlockParts, onDurable: OnDurable): Promise<void> {
    await this.#waitForRoom()
    const header = decodeHeader(parts.header)
    try {
      if (header.number !== this.#place.number + 1n) {
        throw new BadBlock(`block ${header.number} after block ${this.#place.number}`)
      }
      if (!equalBytes(header.parentHash, this.#place.hash)) {
        throw new BadBlock(`block ${header.number} names another parent`)
      }
      const { block, receipts } = await this.#execute(parts, header).catch((cause: unknown) => {
        throw new BadBlock(`block ${header.number} does not execute to its header`, { cause })
      })
      // Recovered while it ran, and remembered by the library.
      const signed = block.transactions.map((transaction) => ({
        hash: transaction.hash(),
        sender: transaction.getSenderAddress().bytes,
      }))
      await this.#keepLater(parts, receipts, (place) => onDurable(place, signed))
    } catch (error) {
      await this.settle()
      await this.#reset()
      throw error
    }
  }

  async #execute(parts: BlockParts, header: Header) {
    const block = viewBlock(parts, this.#parts.rules.at(header))
    return { block, receipts: await executeBlock(this.#main, block, header) }
  }

  /** Waits for the commits under way. Throws what the first failed with; the chain then stands before it. */
  async settle(): Promise<void> {
    const ahead = this.#ahead
    this.#ahead = []
    const outcomes = await Promise.allSettled(ahead.map(({ durable }) => durable))
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed === undefined) return
    const { index, store } = this.#parts
    const place = index.head()
    const bytes = place === null ? null : store.peek({ kind: 'header', hash: place.hash })
    if (place === null || bytes === null) throw new Error('the chain has no head to go on from')
    this.#stand(place, bytes)
    await this.#reset()
    throw failed.reason
  }

  async #waitForRoom(): Promise<void> {
    const bytes = this.#ahead.reduce((sum, one) => sum + one.bytes, 0)
    const stateBytes = this.#ahead.reduce((sum, one) => sum + one.stateBytes, 0)
    const fits = bytes < aheadBytesMax && stateBytes < aheadStateBytesMax
    if (fits && this.#ahead.length < aheadBlocksMax) return
    // The last of half of them: the others wait for theirs meanwhile, and share its transaction.
    const half = this.#ahead[Math.floor((this.#ahead.length - 1) / 2)]
    const failed = await half?.durable.then(
      () => false,
      () => true,
    )
    if (failed === true) return this.settle()
    this.#ahead = this.#ahead.slice(Math.floor((this.#ahead.length - 1) / 2) + 1)
    await this.#waitForRoom()
  }

  async #keepLater(
    parts: BlockParts,
    receipts: readonly TxReceipt[],
    onDurable: (place: BlockPlace) => void,
  ): Promise<void> {
    const { store, tries, network } = this.#parts
    const { stateRoot } = decodeHeader(parts.header)
    const stateItems = tries.reachable(stateRoot)
    const { place, items, rows } = commitOf(network, parts, receipts, stateItems)
    const durable = store.put(items, rows).then(() => onDurable(place))
    // Callers of `settle` get the failure. Without one yet, the rejection must not be unhandled.
    durable.catch(() => {})
    const bytes = bytesOf(items)
    this.#ahead.push({ place, bytes, stateBytes: bytesOf(stateItems), durable })
    await this.#advance(place, parts.header)
    await this.#endTurn(bytes)
  }

  /** Once enough has come together. */
  async #endTurn(bytes: number): Promise<void> {
    this.#turn.blocks += 1
    this.#turn.bytes += bytes
    if (this.#turn.blocks < turnBlocksMax && this.#turn.bytes < turnBytesMax) return
    this.#turn = { blocks: 0, bytes: 0 }
    await setImmediate()
  }

  async #keep(
    parts: BlockParts,
    commit: (items: ReturnType<TrieDatabase['reachable']>) => BlockCommit,
  ): Promise<BlockPlace> {
    const { store, tries } = this.#parts
    const { stateRoot } = decodeHeader(parts.header)
    const { place, items, rows } = commit(tries.reachable(stateRoot))
    await store.put(items, rows)
    await this.#advance(place, parts.header)
    return place
  }

  async #advance(place: BlockPlace, header: Uint8Array): Promise<void> {
    this.#parts.tries.clear()
    this.#stand(place, header)
    // Lets go of the storage tries; fails at once if the commit is not readable.
    await this.#main.state.setStateRoot(this.#header.stateRoot, false)
  }

  #stand(place: BlockPlace, header: Uint8Array): void {
    this.#place = place
    this.#header = decodeHeader(header)
    this.#headerView = viewHeader(header, this.#parts.rules.at(this.#header))
  }

  /** A failed commit leaves the EVM a block ahead; a refused transaction leaves its nodes behind. */
  async #reset(): Promise<void> {
    this.#parts.tries.forget()
    await this.#main.state.setStateRoot(this.#header.stateRoot)
  }

  #nextPoint() {
    const { number, timestamp } = this.#header
    const seconds = BigInt(Math.floor(this.#parts.now() / 1000))
    return {
      number: number + 1n,
      timestamp: seconds > timestamp ? seconds : timestamp + 1n,
    }
  }
}

/**
 * For each transaction the builder makes a block of all before it, so that n of them cost n squared; only their
 * sums are needed. It is shown none of them until the block is built. Throws when it cannot run.
 */
async function addAlone(
  builder: BlockBuilder,
  transaction: TypedTransaction,
  transactions: TypedTransaction[],
): Promise<void> {
  insideOf(builder).transactions = []
  await builder.addTransaction(transaction, { allowNoBlobs: true })
  transactions.push(...insideOf(builder).transactions)
}

/** The list is protected; engine.test.ts notices when the library keeps it elsewhere. */
function insideOf(builder: BlockBuilder): { transactions: TypedTransaction[] } {
  return builder as unknown as { transactions: TypedTransaction[] }
}

function bytesOf(items: readonly UnverifiedItem[]): number {
  return items.reduce((sum, { bytes }) => sum + bytes.length, 0)
}

async function finish(builder: BlockBuilder): Promise<BlockParts> {
  const { block } = await builder.build()
  return {
    header: block.header.serialize(),
    transactions: encodeEntries(block.transactions.map((it) => it.serialize())),
    uncles: emptyRlpList,
    withdrawals: emptyRlpList,
  }
}

// The chain at its head: runs transactions into the next block, or executes an existing block, and stores each block in one
// commit. After any failure it returns to the state before. One call at a time.
// Tested by src/devchain/engine/engine.test.ts
// long: every step changes the same state, or reverts it.
import { setImmediate } from 'node:timers/promises'
import type { TxReceipt } from '@ethereumjs/vm'
import type { Block } from '@ethereumjs/block'
import { createTxFromRLP } from '@ethereumjs/tx'
import type { TypedTransaction } from '@ethereumjs/tx'
import { createAddressFromString } from '@ethereumjs/util'
import type { Account } from '@ethereumjs/util'
import { Fault } from '../../base/fault.ts'
import { equalBytes, fromHex, toHex } from '../../base/hex.ts'
import type { BlockParts } from '../../codec/ethereum/block.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import type { Header } from '../../codec/ethereum/header.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import type { AccountChange } from '../../codec/ethereum/state-change.ts'
import type { UnverifiedItem } from '../../content/ref.ts'
import type { LocalStore } from '../../content/block-store.ts'
import { gasPerBlob } from '../../chain/fees.ts'
import { planRows, rewindRows } from '../chain-index.ts'
import type { BlockId, ChainIndex, SignedTransaction } from '../chain-index.ts'
import { BadBlock, commitOf } from './block-commit.ts'
import {
  type Draft,
  addAlone,
  begin,
  finish,
  finishWithChanges,
  setTransactions,
} from './block-making.ts'
import { type ChainPlan, timeMax, nextTimestamp, planAfterBlock } from '../block-plan.ts'
import { refuseLongSteps } from '../../evm/precompiles/bound-precompiles.ts'
import { viewBlock, viewHeader } from '../../evm/block-view.ts'
import type { ChainRules } from '../../evm/chain-rules.ts'
import { createStateVm } from './chain-vm.ts'
import type { TrieStateVm } from './chain-vm.ts'
import { executeBlock } from './execute-block.ts'
import { emptyRingBuffers } from '../fork/first-block.ts'
import { ForkReadFailed } from '../fork/fork-reads.ts'
import { hashAt, type StoredFork } from './open-state.ts'
import type { PoolEntry } from './pool.ts'
import type { ReadyQueue } from './ready-queue.ts'
import { recentBytesMax, type TrieDatabase } from './trie-database.ts'

/** Fee recipient of blocks made by this chain, unless the plan names one: an address without a known key. */
const coinbase = fromHex('0xca14ca14ca14ca14ca14ca14ca14ca14ca14ca14')

export type ChainParts = {
  readonly network: string
  readonly rules: ChainRules
  readonly store: LocalStore
  readonly index: ChainIndex
  readonly tries: TrieDatabase
  /** Null: the chain has a genesis block of its own. */
  readonly fork: StoredFork | null
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number
}

/** A transaction that the EVM refused; its changes are reverted. */
type Refused = { readonly entry: PoolEntry; readonly cause: unknown }

/** `block`: null if none was made. `included`: its transactions, in order. `refused`: must not be tried again. */
export type Mined = {
  readonly block: BlockId | null
  readonly included: readonly PoolEntry[]
  readonly refused: readonly Refused[]
}

/** Called for a block once it is durable, with the signers of its transactions. */
type OnDurable = (block: BlockId, signed: readonly SignedTransaction[]) => void

type PendingCommit = {
  readonly block: BlockId
  /** Size of all items of the block. */
  readonly bytes: number
  /** Size of its nodes and code, which the trie database holds until they can be read from the BlockStore. */
  readonly stateBytes: number
  readonly durable: Promise<void>
}

/** Limits of blocks whose commits are in flight: number and total size. */
const pendingBlocksMax = 64
const pendingBytesMax = 32 * 1024 * 1024
const pendingStateBytesMax = recentBytesMax / 2
/**
 * Limits of blocks executed in one turn of the event loop: number and total size. Messages reach the writer only when a turn
 * ends, and blocks run in microtasks. Without these breaks the writer would be idle until this thread waits for it.
 */
const blocksPerYield = pendingBlocksMax / 2
const bytesPerYield = 1024 * 1024

export class ProducingChain {
  readonly #parts: ChainParts
  #main: TrieStateVm
  #headBlock: BlockId
  #header: Header
  #headerView: Block
  #plan: ChainPlan
  /** Blocks whose commits are in flight, oldest first. */
  #pendingCommits: PendingCommit[] = []
  /** Blocks executed in this turn of the event loop. */
  #sinceYield = { blocks: 0, bytes: 0 }

  private constructor(parts: ChainParts, main: TrieStateVm, block: BlockId, header: Uint8Array) {
    this.#parts = parts
    this.#main = main
    this.#headBlock = block
    this.#header = decodeHeader(header)
    this.#headerView = viewHeader(header, parts.rules.at(this.#header))
    this.#plan = parts.index.plan()
  }

  /** Opens the chain at the block of its head row. */
  static async open(parts: ChainParts): Promise<ProducingChain> {
    const { store, index } = parts
    const block = index.head()
    const bytes = block === null ? null : store.peek({ kind: 'header', hash: block.hash })
    if (block === null || bytes === null) throw new Error('the chain has no head to go on from')
    let chain: ProducingChain | null = null
    const hashes = { hashOf: (number: bigint) => (chain ?? index).hashOf(number) }
    const main = await openMachine(parts, decodeHeader(bytes), hashes)
    chain = new ProducingChain(parts, main, block, bytes)
    return chain
  }

  get head(): BlockId {
    return this.#headBlock
  }

  get plan(): ChainPlan {
    return this.#plan
  }

  /** Times in seconds: of the head, the clock and the next block. */
  get times() {
    const { timestamp } = this.#header
    const now = this.#now()
    return { head: timestamp, now, next: nextTimestamp(this.#plan.blocks, timestamp, now) }
  }

  /** Fee recipient of the next block. */
  get coinbase(): Uint8Array {
    return this.#plan.blocks.coinbase ?? coinbase
  }

  /** Durable when it resolves. Throws the errors of the BlockStore; the plan is then unchanged. */
  async setPlan(plan: ChainPlan): Promise<void> {
    await this.#parts.store.put([], planRows(this.#parts.network, plan))
    this.#plan = plan
  }

  /** Null if the account does not exist at the head. `address`: 20 bytes. */
  async account(address: Uint8Array): Promise<Account | null> {
    const key = createAddressFromString(toHex(address))
    return (await this.#main.state.getAccount(key)) ?? null
  }

  async code(address: Uint8Array): Promise<Uint8Array> {
    return this.#main.state.getCode(createAddressFromString(toHex(address)))
  }

  /** Rules, gas limit and prices (wei) for transactions of the next block. */
  next() {
    const draft = this.#nextDraft()
    const common = this.#parts.rules.at(draft)
    const { header } = this.#headerView
    const baseFee = draft.baseFeePerGas ?? header.calcNextBaseFee()
    return {
      common,
      gasLimit: draft.gasLimit,
      baseFee: common.isActivatedEIP(1559) ? baseFee : 0n,
      blobFee: common.isActivatedEIP(4844) ? header.calcNextBlobGasPrice(common) : 0n,
    }
  }

  /**
   * Makes one block of the transactions of `queue` that fit, and stores it. If there are none, makes an empty block with
   * `orEmpty`, otherwise `block` is null. Throws the errors of the BlockStore; the chain is then unchanged.
   */
  async mine(
    queue: ReadyQueue,
    { orEmpty, interval = null }: { readonly orEmpty: boolean; readonly interval?: bigint | null },
  ): Promise<Mined> {
    try {
      const { builder, included, refused } = await this.#fill(queue, this.#nextDraft(interval))
      if (included.length === 0 && !orEmpty) {
        await builder.revert()
        await this.#reset()
        return { block: null, included, refused }
      }
      const parts = await finish(builder)
      const plan = this.#planAfter(parts, interval)
      const block = await this.#commit(parts, builder.transactionReceipts, plan)
      return { block, included, refused }
    } catch (error) {
      await this.#reset()
      throw error
    }
  }

  /** The block that `mine` would make now. Not stored. */
  async preview(queue: ReadyQueue): Promise<BlockParts> {
    try {
      const { builder } = await this.#fill(queue, this.#nextDraft())
      return await finish(builder)
    } finally {
      await this.#reset()
    }
  }

  /**
   * Makes a block that changes accounts outside the EVM; its only transaction records the changes. It has the time of its
   * parent, so that it does not use up a planned time. Throws as `mine`.
   */
  async change(changes: readonly AccountChange[]): Promise<BlockId> {
    try {
      const { timestamp, baseFeePerGas } = this.#header
      const { nextBaseFee: _, ...rest } = this.#plan.blocks
      const draft: Draft = {
        ...this.#draftOf({ ...rest, nextBaseFee: baseFeePerGas ?? null, nextPrevRandao: null }),
        timestamp,
      }
      const common = this.#parts.rules.at(draft)
      const { number } = draft
      if (number - 1n === this.#parts.fork?.point.number) await emptyRingBuffers(this.#main)
      const builder = await begin(this.#main, this.#headerView, draft)
      const changed = await finishWithChanges(this.#main, builder, changes, { common, number })
      return await this.#commit(changed.parts, changed.receipts, this.#plan)
    } catch (error) {
      await this.#reset()
      throw error
    }
  }

  /**
   * Makes a canonical block below the head the new head, and sets the plan. Returns the blocks that left the chain, newest first.
   * Throws the errors of the BlockStore; the chain is then unchanged.
   */
  async rewind(to: BlockId, plan: ChainPlan): Promise<readonly BlockId[]> {
    const { store, index, network } = this.#parts
    const header = store.peek({ kind: 'header', hash: to.hash })
    if (header === null) throw new Error(`the store lacks the header of block ${to.number}`)
    const removed = index.above(to.number)
    const rows = removed.length === 0 ? [] : rewindRows(network, to)
    await store.put([], [...rows, ...planRows(network, plan)])
    this.#plan = plan
    this.#setHead(to, header)
    await this.#reset()
    return removed
  }

  async #fill(queue: ReadyQueue, draft: Draft) {
    const { vm } = this.#main
    const { gasLimit } = draft
    const builder = await begin(this.#main, this.#headerView, draft)
    const included: PoolEntry[] = []
    const transactions: TypedTransaction[] = []
    const refused: Refused[] = []
    const common = this.#parts.rules.at(draft)
    const blobsMax = common.isActivatedEIP(4844)
      ? common.getBlobGasSchedule().maxBlobGasPerBlock
      : 0n
    const space = () => ({
      gas: gasLimit - builder.gasUsed,
      blobs: Number((blobsMax - builder.blobGasUsed) / gasPerBlob),
    })
    const unbind = refuseLongSteps(vm)
    try {
      for (let entry = queue.next(space()); entry !== null; entry = queue.next(space())) {
        try {
          const transaction = createTxFromRLP(entry.raw, { common })
          await addAlone(builder, transaction)
          transactions.push(transaction)
          included.push(entry)
          queue.advance()
        } catch (cause) {
          // The failure is not the transaction's fault: it stays in the pool.
          if (cause instanceof ForkReadFailed) throw cause
          refused.push({ entry, cause })
          queue.skip()
        }
      }
    } finally {
      unbind()
    }
    setTransactions(builder, transactions)
    return { builder, included, refused }
  }

  /** Hash from the index, or of a block whose commit is in flight. */
  hashOf(number: bigint): Uint8Array | null {
    const ahead = this.#pendingCommits.find(({ block }) => block.number === number)
    return ahead?.block.hash ?? this.#parts.index.hashOf(number)
  }

  /**
   * Executes an existing block and starts to store it if every root matches. The next block may follow immediately; `settle`
   * resolves when all are durable. `onDurable` is called in order. Consensus (proof of work, votes) is not checked.
   * Throws `BadBlock`, or the error of an earlier commit; the chain then returns to its last durable block.
   */
  async replay(parts: BlockParts, onDurable: OnDurable): Promise<void> {
    await this.#waitForRoom()
    const header = decodeHeader(parts.header)
    try {
      if (header.number !== this.#headBlock.number + 1n) {
        throw new BadBlock(`block ${header.number} after block ${this.#headBlock.number}`)
      }
      if (!equalBytes(header.parentHash, this.#headBlock.hash)) {
        throw new BadBlock(`block ${header.number} names another parent`)
      }
      const { block, receipts } = await this.#execute(parts, header).catch((cause: unknown) => {
        throw new BadBlock(`block ${header.number} does not execute to its header`, { cause })
      })
      // The execution recovered the senders, and the library cached them.
      const signed = block.transactions.map((transaction) => ({
        hash: transaction.hash(),
        sender: transaction.getSenderAddress().bytes,
      }))
      await this.#commitLater(parts, receipts, (stored) => onDurable(stored, signed))
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

  /** Waits for the commits in flight. If one failed, returns to the last durable block and throws the first error. */
  async settle(): Promise<void> {
    const ahead = this.#pendingCommits
    this.#pendingCommits = []
    const outcomes = await Promise.allSettled(ahead.map(({ durable }) => durable))
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed === undefined) return
    const { index, store } = this.#parts
    const block = index.head()
    const bytes = block === null ? null : store.peek({ kind: 'header', hash: block.hash })
    if (block === null || bytes === null) throw new Error('the chain has no head to go on from')
    this.#setHead(block, bytes)
    await this.#reset()
    throw failed.reason
  }

  async #waitForRoom(): Promise<void> {
    const bytes = this.#pendingCommits.reduce((sum, one) => sum + one.bytes, 0)
    const stateBytes = this.#pendingCommits.reduce((sum, one) => sum + one.stateBytes, 0)
    const fits = bytes < pendingBytesMax && stateBytes < pendingStateBytesMax
    if (fits && this.#pendingCommits.length < pendingBlocksMax) return
    // Wait for the older half only: the rest stays in flight and shares a transaction of the writer.
    const half = this.#pendingCommits[Math.floor((this.#pendingCommits.length - 1) / 2)]
    const failed = await half?.durable.then(
      () => false,
      () => true,
    )
    if (failed === true) return this.settle()
    this.#pendingCommits = this.#pendingCommits.slice(
      Math.floor((this.#pendingCommits.length - 1) / 2) + 1,
    )
    await this.#waitForRoom()
  }

  async #commitLater(
    parts: BlockParts,
    receipts: readonly TxReceipt[],
    onDurable: (block: BlockId) => void,
  ): Promise<void> {
    const { store, tries, network } = this.#parts
    const { stateRoot } = decodeHeader(parts.header)
    const stateItems = tries.reachable(stateRoot)
    const { block, items, rows } = commitOf(network, parts, receipts, stateItems)
    const durable = store.put(items, rows).then(() => onDurable(block))
    // Callers of `settle` get the failure. Until then, the rejection must not count as unhandled.
    durable.catch(() => {})
    const bytes = bytesOf(items)
    this.#pendingCommits.push({ block, bytes, stateBytes: bytesOf(stateItems), durable })
    await this.#advance(block, parts.header)
    await this.#yieldIfDue(bytes)
  }

  /** Ends the turn of the event loop once it has reached its limits. */
  async #yieldIfDue(bytes: number): Promise<void> {
    this.#sinceYield.blocks += 1
    this.#sinceYield.bytes += bytes
    if (this.#sinceYield.blocks < blocksPerYield && this.#sinceYield.bytes < bytesPerYield) return
    this.#sinceYield = { blocks: 0, bytes: 0 }
    await setImmediate()
  }

  async #commit(
    parts: BlockParts,
    receipts: readonly TxReceipt[],
    plan: ChainPlan,
  ): Promise<BlockId> {
    const { store, tries, network } = this.#parts
    const { stateRoot } = decodeHeader(parts.header)
    const stateItems = tries.reachable(stateRoot)
    const { block, items, rows } = commitOf(network, parts, receipts, stateItems)
    await store.put(items, plan === this.#plan ? rows : [...rows, ...planRows(network, plan)])
    this.#plan = plan
    await this.#advance(block, parts.header)
    return block
  }

  async #advance(block: BlockId, header: Uint8Array): Promise<void> {
    this.#parts.tries.clear()
    this.#setHead(block, header)
    // Releases the storage tries. Fails immediately if the commit is not readable.
    await this.#main.state.setStateRoot(this.#header.stateRoot, false)
  }

  #setHead(block: BlockId, header: Uint8Array): void {
    this.#headBlock = block
    this.#header = decodeHeader(header)
    this.#headerView = viewHeader(header, this.#parts.rules.at(this.#header))
  }

  /** Restores the state of the head: a failed commit leaves the EVM a block ahead, a refused transaction leaves its nodes. */
  async #reset(): Promise<void> {
    this.#parts.tries.forget()
    if (this.#parts.fork === null) await this.#main.state.setStateRoot(this.#header.stateRoot)
    // After a read failed in the middle of a write, only a new EVM is free of stale caches and checkpoints.
    else this.#main = await openMachine(this.#parts, this.#header, this)
  }

  /** `interval`: seconds after the parent, instead of the planned time. */
  #nextDraft(interval: bigint | null = null): Draft {
    const planned = this.#draftOf(this.#plan.blocks)
    const timestamp = interval === null ? planned.timestamp : this.#header.timestamp + interval
    if (timestamp > timeMax) {
      const advice = 'use a smaller interval, evm_revert or hardhat_reset'
      const detail = `the next block would have the timestamp ${timestamp}, later than ${timeMax}: ${advice}`
      throw new Fault('execution_failed', { detail })
    }
    return { ...planned, timestamp }
  }

  #draftOf(plan: ChainPlan['blocks']): Draft {
    const { number, timestamp, gasLimit, baseFeePerGas } = this.#header
    return {
      number: number + 1n,
      timestamp: nextTimestamp(plan, timestamp, this.#now()),
      gasLimit: plan.gasLimit ?? gasLimit,
      coinbase: plan.coinbase ?? coinbase,
      // Deterministic, so that a replay of the chain gives the same randomness.
      mixHash: plan.nextPrevRandao ?? keccak256(this.#headBlock.hash),
      ...(plan.nextBaseFee === null || baseFeePerGas === undefined
        ? {}
        : { baseFeePerGas: plan.nextBaseFee }),
    }
  }

  #planAfter({ header }: BlockParts, interval: bigint | null): ChainPlan {
    const { blocks, mining } = this.#plan
    const { timestamp } = decodeHeader(header)
    // A time from the order that makes the block counts as set.
    const previous = interval === null ? blocks : { ...blocks, nextTimestamp: timestamp }
    const next = planAfterBlock(previous, timestamp, this.#now())
    return next === blocks ? this.#plan : { blocks: next, mining }
  }

  #now(): bigint {
    return BigInt(Math.floor(this.#parts.now() / 1000))
  }
}

function openMachine(
  { rules, tries, fork }: ChainParts,
  header: Header,
  index: Pick<ChainIndex, 'hashOf'>,
): Promise<TrieStateVm> {
  return createStateVm({
    common: rules.at(header),
    tries,
    index: {
      hashOf: (number) => (fork === null ? index.hashOf(number) : hashAt(index, fork, number)),
    },
    stateRoot: header.stateRoot,
    forked: fork === null ? null : { block: null, read: fork.read },
  })
}

function bytesOf(items: readonly UnverifiedItem[]): number {
  return items.reduce((sum, { bytes }) => sum + bytes.length, 0)
}

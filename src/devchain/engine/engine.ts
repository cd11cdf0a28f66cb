// Block production of an embedded chain: the pool and block making. Tasks run one after the other, so the chain does not change
// during a task.
import assert from 'node:assert/strict'
import type { MessagePort } from 'node:worker_threads'
import { equalBytes, fromHex, toBareHex, toHex } from '../../base/hex.ts'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import type { BlockParts } from '../../codec/ethereum/block.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import type { LocalStore } from '../../content/block-store.ts'
import type { DevOrder, DevResults } from '../../chain/dev-chain.ts'
import type { PoolContent, PoolCounts, PooledTransaction } from '../../chain/evm-executor.ts'
import type { BlockId, ChainIndex, SignedTransaction } from '../chain-index.ts'
import type { DevAccount } from '../dev-accounts.ts'
import type { Genesis } from '../../evm/genesis.ts'
import { checkPrices, checkSender, readTransaction } from './admit.ts'
import type { ChainPlan } from '../block-plan.ts'
import { firstNumber, type ForkPoint } from '../fork/fork-point.ts'
import { createCrypto } from '../../evm/chain-crypto.ts'
import { createRules } from '../../evm/chain-rules.ts'
import { type DevOrderParts, DevOrders } from './dev-orders.ts'
import type { StoredFork } from './open-state.ts'
import { importBlocks } from './import-blocks.ts'
import { KnownKeys } from '../../evm/threads/known-keys.ts'
import { Pool } from './pool.ts'
import type { PoolEntry } from './pool.ts'
import { ProducingChain } from './producing-chain.ts'
import type { Mined } from './producing-chain.ts'
import { ReadyQueue } from './ready-queue.ts'
import { splitLane } from './split-lane.ts'
import type { SplitLane } from './split-lane.ts'
import { createTrieDatabase } from './trie-database.ts'

export type EngineOptions = {
  readonly network: string
  readonly genesis: Genesis
  readonly store: LocalStore
  readonly index: ChainIndex
  /** `auto`: a block for each transaction. `off`: only `mine` makes blocks. */
  readonly mining: 'auto' | 'off'
  /** Accounts that can send without a signature of the client, in `send` orders. Default: none. */
  readonly unlocked?: readonly DevAccount[]
  /** Default: the chain begins with the genesis block. */
  readonly fork?: StoredFork | null
  readonly now: () => number
  /** Called for each block once it is durable, with the signers of its transactions. */
  readonly onBlock: (block: BlockId, signed: readonly SignedTransaction[]) => void
  /** Called after blocks left the chain (newest first). `block` is the new head. */
  readonly onRewind?: (block: BlockId, removed: readonly BlockId[]) => void
  /** Called once, with its hash (32 bytes), for each transaction that the next block can contain. */
  readonly onPending: (hash: Uint8Array) => void
  readonly log: Log
}

/** Number of pending transactions that are tried after a sent transaction was mined, each in a block of its own. */
const othersMax = 16
/** No limit at this point: block making checks the space. */
const unlimitedSpace = { gas: 2n ** 64n, blobs: Number.MAX_SAFE_INTEGER }

type FirstBlock = DevOrderParts['first']

/** Methods must not overlap: the owner runs one at a time. Errors as in evm-executor.ts, Executor. */
export class Engine {
  readonly #options: EngineOptions
  readonly #chain: ProducingChain
  readonly #keys: KnownKeys
  readonly #pool = new Pool()
  readonly #orders: DevOrders
  #preview: {
    readonly key: string
    readonly plan: ChainPlan
    readonly parts: BlockParts
  } | null = null

  private constructor(
    options: EngineOptions,
    { chain, keys, first }: { chain: ProducingChain; keys: KnownKeys; first: FirstBlock },
  ) {
    this.#options = options
    this.#chain = chain
    this.#keys = keys
    const { network, genesis, unlocked = [], onBlock, onRewind = () => {} } = options
    this.#orders = new DevOrders({
      network,
      chainId: genesis.chainId,
      chain,
      first,
      fork: forkOf(options.fork?.point ?? null),
      pool: this.#pool,
      keys: new Map(unlocked.map((it) => [toBareHex(fromHex(it.address)), fromHex(it.privateKey)])),
      autoMines: options.mining === 'auto',
      mine: (interval) => this.mine(interval),
      send: (raw) => this.#admit(raw),
      pendingNonce: (address) => this.pendingNonce(address),
      onBlock: (block) => onBlock(block, []),
      onRewind,
    })
  }

  static async open(options: EngineOptions): Promise<Engine> {
    const { network, genesis, store, index, fork = null, now } = options
    const keys = new KnownKeys()
    const rules = createRules(genesis, createCrypto(keys))
    const tries = createTrieDatabase(store, { isForked: fork !== null })
    const chain = await ProducingChain.open({ network, rules, store, index, tries, fork, now })
    return new Engine(options, { chain, keys, first: firstBlock(store, fork?.point ?? null) })
  }

  async pendingNonce(address: Uint8Array): Promise<bigint> {
    const nonce = (await this.#chain.account(address))?.nonce ?? 0n
    return this.#pool.nextNonce(address, nonce)
  }

  pendingTransaction(hash: Uint8Array): Uint8Array | null {
    return this.#pool.find(hash)?.raw ?? null
  }

  /** Pending and queued transactions of `sender`, or of all senders. */
  async poolContent(sender: Uint8Array | null): Promise<PoolContent> {
    const lanes = sender === null ? this.#pool.lanes() : [this.#pool.ofSender(sender)]
    const content = { pending: [] as PooledTransaction[], queued: [] as PooledTransaction[] }
    for (const lane of lanes) {
      const { ready, gapped } = await this.#split(lane)
      content.pending.push(...ready.map(toPooled))
      content.queued.push(...gapped.map(toPooled))
    }
    return content
  }

  async poolCounts(): Promise<PoolCounts> {
    const counts = { pending: 0, queued: 0 }
    for (const lane of this.#pool.lanes()) {
      const { ready, gapped } = await this.#split(lane)
      counts.pending += ready.length
      counts.queued += gapped.length
    }
    return counts
  }

  /** The next block if it were made now. Not proved and not stored. Computed once for each head and pool version. */
  async pendingBlock(): Promise<BlockParts> {
    const { plan, head } = this.#chain
    const key = `${toHex(head.hash)} ${this.#pool.version}`
    if (this.#preview?.key !== key || this.#preview.plan !== plan) {
      this.#preview = { key, plan, parts: await this.#chain.preview(await this.#ready()) }
    }
    return this.#preview.parts
  }

  /**
   * Makes a block of all ready transactions, empty if there are none. `interval`: seconds after its parent; null: as planned.
   * Throws `no_space`.
   */
  async mine(interval: bigint | null = null): Promise<BlockId> {
    const ready = await this.#ready()
    const { block } = this.#settle(await this.#chain.mine(ready, { orEmpty: true, interval }))
    assert.ok(block !== null)
    return block
  }

  /** Throws as `DevChain.run`. */
  order(order: DevOrder): Promise<DevResults[DevOrder['kind']]> {
    return this.#orders.run(order)
  }

  async send(raw: Uint8Array): Promise<Uint8Array> {
    // Only orders of development tools may send without a signature.
    return await this.#admit(raw, { signed: true })
  }

  async #admit(raw: Uint8Array, { signed = false } = {}): Promise<Uint8Array> {
    const next = this.#chain.next()
    const sent = readTransaction(raw, next)
    if (signed && sent.unsigned === true) {
      const detail = 'invalid sender: invalid transaction v, r, s values'
      throw new Fault('pool_refused', { detail })
    }
    const pooled = this.#pool.find(sent.hash)
    const isPooled = pooled !== null
    const entry = pooled ?? sent
    const alreadyKnown = new Fault('pool_refused', { detail: 'already known' })
    const { autoMines } = this.#orders
    if (isPooled && !autoMines) throw alreadyKnown
    const nonce = await this.#checkState(entry)
    const isNext = entry.nonce === nonce
    // A transaction that waits, because of its price or a full disk, is tried again when the client sends it again.
    if (isPooled && !isNext) throw alreadyKnown
    const minesNow = isNext && autoMines
    if (minesNow) checkPrices(entry, next)
    const replaced = this.#pool.at(entry.sender, entry.nonce)
    if (!isPooled) this.#pool.add(entry, minesNow)
    if (minesNow) {
      try {
        await this.#mineNow(entry)
      } catch (error) {
        // Report the failure to the sender. Keep a transaction that was acknowledged before, or the one that this one replaced.
        if (!isPooled) this.#pool.remove(entry)
        if (replaced !== null && !isPooled) this.#pool.add(replaced, true)
        throw error
      }
      await this.#mineWaiting(entry)
    } else {
      const { ready } = await this.#split(this.#pool.ofSender(entry.sender))
      this.#announce(ready)
    }
    return entry.hash
  }

  async importFile(path: string, signers?: MessagePort): Promise<number> {
    const chain = this.#chain
    if (signers !== undefined) this.#keys.listen(signers)
    try {
      const added = await importBlocks(path, chain, (parts) =>
        chain.replay(parts, this.#options.onBlock),
      )
      await chain.settle()
      return added
    } finally {
      this.#keys.clear()
    }
  }

  /** The sender's nonce at the head. */
  async #checkState(entry: PoolEntry): Promise<bigint> {
    const account = await this.#chain.account(entry.sender)
    const nonce = account?.nonce ?? 0n
    checkSender(entry, {
      nonce,
      balance: account?.balance ?? 0n,
      queuedCost: this.#pool.costExcept(entry.sender, entry.nonce, nonce),
      hasCode:
        entry.unsigned !== true &&
        account?.isContract() === true &&
        !(await this.#isDelegated(entry.sender)),
    })
    return nonce
  }

  async #isDelegated(address: Uint8Array): Promise<boolean> {
    const code = await this.#chain.code(address)
    return equalBytes(code.subarray(0, 3), new Uint8Array([0xef, 0x01, 0x00]))
  }

  /** Throws `pool_refused` and drops the entry if it cannot run. After any other failure it stays in the pool. */
  async #mineNow(entry: PoolEntry): Promise<void> {
    const { block, refused } = await this.#mineAlone(entry)
    if (block !== null) return
    const cause = refused[0]?.cause
    // It fits in no block. Already checked, except for the blob limit of a later schedule.
    const detail = cause instanceof Error ? cause.message : 'exceeds what a block can hold'
    this.#pool.remove(entry)
    throw new Fault('pool_refused', { detail, cause })
  }

  /** Mines transactions that the block of `entry` made possible. Logs a failure: they stay in the pool. */
  async #mineWaiting(entry: PoolEntry): Promise<void> {
    try {
      await this.#mineFollowers(entry)
      await this.#mineOthers()
    } catch (error) {
      this.#options.log('warn', 'chain.waiting_not_mined', { error })
    }
  }

  /** Mines the sender's transactions with the following nonces. */
  async #mineFollowers({ sender, nonce }: PoolEntry): Promise<void> {
    for (let at = nonce + 1n; ; at += 1n) {
      const next = this.#pool.at(sender, at)
      if (next === null || (await this.#mineAlone(next)).block === null) return
    }
  }

  /** Mines transactions that now fit in price or space. */
  async #mineOthers(): Promise<void> {
    for (let tries = 0; tries < othersMax && this.#pool.size > 0; tries += 1) {
      const next = (await this.#ready()).next(unlimitedSpace)
      if (next === null || (await this.#mineAlone(next)).block === null) return
    }
  }

  async #mineAlone(entry: PoolEntry): Promise<Mined> {
    const { baseFee, blobFee } = this.#chain.next()
    const queue = new ReadyQueue({ lanes: [[entry]], inArrival: [entry], baseFee, blobFee })
    return this.#settle(await this.#chain.mine(queue, { orEmpty: false }))
  }

  /** Updates the pool after a block. Emits events in the order of the JSON-RPC subscriptions: pending first, then the block. */
  #settle(mined: Mined): Mined {
    const { block, included, refused } = mined
    this.#announce(included)
    for (const entry of included) this.#pool.remove(entry)
    for (const { entry, cause } of refused) {
      this.#pool.remove(entry)
      this.#options.log('info', 'chain.waiting_dropped', {
        hash: toHex(entry.hash),
        reason: cause instanceof Error ? cause.message : String(cause),
      })
    }
    if (block !== null) {
      const signed = included.map(({ hash, sender }) => ({ hash, sender }))
      this.#options.onBlock(block, signed)
    }
    return mined
  }

  #announce(entries: readonly PoolEntry[]): void {
    for (const entry of entries) {
      if (this.#pool.announce(entry)) this.#options.onPending(entry.hash)
    }
  }

  /** Transactions that could go into the next block. Drops those with used nonces. */
  async #ready(): Promise<ReadyQueue> {
    const lanes: (readonly PoolEntry[])[] = []
    for (const lane of this.#pool.lanes()) {
      const { stale, ready } = await this.#split(lane)
      for (const entry of stale) this.#pool.remove(entry)
      this.#announce(ready)
      if (ready.length > 0) lanes.push(ready)
    }
    const { baseFee, blobFee } = this.#chain.next()
    return new ReadyQueue({ lanes, inArrival: this.#pool.inArrival(), baseFee, blobFee })
  }

  async #split(lane: readonly PoolEntry[]): Promise<SplitLane> {
    const [first] = lane
    const account = first === undefined ? null : await this.#chain.account(first.sender)
    return splitLane(lane, account?.nonce ?? 0n)
  }
}

function forkOf(point: ForkPoint | null): DevOrderParts['fork'] {
  return point && { source: point.source, number: point.number, hash: point.hash }
}

/** The first block of a fork has the time of the forked block. */
function firstBlock(store: LocalStore, point: ForkPoint | null): FirstBlock {
  const header = point === null ? null : store.peek({ kind: 'header', hash: point.hash })
  return {
    number: firstNumber(point),
    time: header === null ? null : decodeHeader(header).timestamp,
  }
}

function toPooled({ sender, raw }: PoolEntry): PooledTransaction {
  return { sender, raw }
}

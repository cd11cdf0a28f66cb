// Executes the orders of development tools (chain/dev-chain.ts): state, time, mining, snapshots, impersonation. Each order is
// durable when it resolves, except snapshots, impersonated accounts and the pool, which are in memory only.
// Tested by src/devchain/engine/dev-orders.test.ts
import { randomBytes } from 'node:crypto'
import { Fault } from '../../base/fault.ts'
import { toBareHex, toHex } from '../../base/hex.ts'
import { impersonate } from '../../codec/ethereum/impersonation.ts'
import { signTransaction } from '../../codec/ethereum/sign-transaction.ts'
import { encodeTransaction } from '../../codec/ethereum/transaction-encode.ts'
import type { DevOrder, DevResults, DevState, UnsignedRequest } from '../../chain/dev-chain.ts'
import type { BlockRef } from '../../chain/head.ts'
import { unsignedTransaction } from '../../chain/unsigned-transaction.ts'
import type { BlockId } from '../chain-index.ts'
import { forkedPlan, noChainPlan, timeMax, type ChainPlan } from '../block-plan.ts'
import type { Pool, PoolEntry } from './pool.ts'
import type { ProducingChain } from './producing-chain.ts'

export type DevOrderParts = {
  readonly network: string
  readonly chainId: bigint
  readonly chain: ProducingChain
  /** Null: the chain has a genesis block of its own. */
  readonly fork: DevState['fork']
  /** The block that `reset` returns to. `time`: initial clock of a fork, seconds; null: the chain is not a fork. */
  readonly first: { readonly number: bigint; readonly time: bigint | null }
  readonly pool: Pool
  /** Private keys of accounts that can send without impersonation, by address in bare hex. */
  readonly keys: ReadonlyMap<string, Uint8Array>
  /** From the settings of the network. */
  readonly autoMines: boolean
  /** Makes a block of the pending transactions. `interval`: seconds after its parent; null: as planned. */
  readonly mine: (interval: bigint | null) => Promise<BlockId>
  /** Adds a transaction to the pool, as `TransactionPool.send`. */
  readonly send: (raw: Uint8Array) => Promise<Uint8Array>
  readonly pendingNonce: (address: Uint8Array) => Promise<bigint>
  readonly onBlock: (block: BlockId) => void
  /** `removed`: blocks that left the chain, newest first. */
  readonly onRewind: (block: BlockId, removed: readonly BlockId[]) => void
}

type Snapshot = {
  readonly head: BlockId
  readonly plan: ChainPlan
  readonly entries: readonly PoolEntry[]
  /** Clock at the snapshot, seconds. */
  readonly takenAt: bigint
}

/** Above this number the oldest snapshot is deleted. */
const snapshotsMax = 1024
const impersonatedMax = 4096

export class DevOrders {
  readonly #parts: DevOrderParts
  readonly #snapshots = new Map<bigint, Snapshot>()
  readonly #impersonated = new Set<string>()
  #impersonatesAll = false
  #nextSnapshot = 1n
  #instanceId: Uint8Array = randomBytes(32)

  constructor(parts: DevOrderParts) {
    this.#parts = parts
  }

  /** True if each transaction makes a block. */
  get autoMines(): boolean {
    return this.#parts.chain.plan.mining.auto ?? this.#parts.autoMines
  }

  /** Throws as `DevChain.run`. */
  async run(order: DevOrder): Promise<DevResults[DevOrder['kind']]> {
    switch (order.kind) {
      case 'state':
        return this.#state()
      case 'plan':
        return await this.#setPlan(order)
      case 'increase-time':
        return await this.#moveClock(this.#parts.chain.plan.blocks.offset + order.seconds)
      case 'set-time':
        return await this.#moveClock(order.time - this.#parts.chain.times.now)
      case 'mine':
        return await this.#mine(order.blocks, order.interval)
      case 'change':
        return await this.#change(order)
      case 'snapshot':
        return this.#snapshot()
      case 'revert':
        return await this.#revert(order.snapshot)
      case 'reset':
        return await this.#reset()
      case 'impersonate':
        return this.#impersonate(order.address, order.on)
      case 'may-send':
        return this.#keyOf(order.from) !== null || this.#impersonates(order.from)
      case 'send':
        return await this.#send(order.request, order.anySender)
      case 'drop':
        return this.#drop(order)
    }
  }

  #state(): DevState {
    const { chain, fork } = this.#parts
    const { blocks, mining } = chain.plan
    return {
      timestamp: chain.times.next,
      coinbase: chain.coinbase,
      blocks,
      mining: { auto: this.autoMines, intervalMs: mining.intervalMs },
      instanceId: this.#instanceId,
      fork,
    }
  }

  async #setPlan({ blocks, mining }: Extract<DevOrder, { kind: 'plan' }>): Promise<DevState> {
    const { chain } = this.#parts
    const { head, now } = chain.times
    const time = blocks?.nextTimestamp
    const moved = time ?? now + (blocks?.offset ?? 0n)
    if (moved > timeMax) {
      throw refused(`timestamp ${moved} is later than the last possible time ${timeMax}`)
    }
    if (time !== undefined && time !== null && time <= head) {
      throw refused(`timestamp ${time} is not later than the latest block, whose time is ${head}`)
    }
    const { plan } = chain
    await chain.setPlan({
      blocks: { ...plan.blocks, ...blocks },
      mining: { ...plan.mining, ...mining },
    })
    return this.#state()
  }

  async #moveClock(offset: bigint): Promise<DevState> {
    return await this.#setPlan({ kind: 'plan', blocks: { offset } })
  }

  async #mine(blocks: number, interval: bigint | null): Promise<BlockRef> {
    let last: BlockId = this.#parts.chain.head
    for (let mined = 0; mined < blocks; mined += 1) {
      // The first block has its planned time.
      last = await this.#parts.mine(mined === 0 ? null : interval)
    }
    return this.#refTo(last)
  }

  async #change({
    changes,
    nonceRises = false,
  }: Extract<DevOrder, { kind: 'change' }>): Promise<BlockRef> {
    for (const { address, nonce } of nonceRises ? changes : []) {
      const currentNonce = (await this.#parts.chain.account(address))?.nonce ?? 0n
      if (nonce !== undefined && nonce < currentNonce) {
        throw refused(`new nonce ${nonce} is smaller than the existing nonce ${currentNonce}`)
      }
    }
    const block = await this.#parts.chain.change(changes)
    this.#parts.onBlock(block)
    return this.#refTo(block)
  }

  #snapshot(): bigint {
    const { chain, pool } = this.#parts
    const id = this.#nextSnapshot
    this.#nextSnapshot += 1n
    const entries = [...pool.inArrival()]
    const takenAt = chain.times.now
    this.#snapshots.set(id, { head: chain.head, plan: chain.plan, entries, takenAt })
    const [oldest] = this.#snapshots.size > snapshotsMax ? this.#snapshots.keys() : []
    if (oldest !== undefined) this.#snapshots.delete(oldest)
    return id
  }

  /** The clock continues from the time of the snapshot. The mining mode does not change. */
  async #revert(id: bigint): Promise<boolean> {
    const snapshot = this.#snapshots.get(id)
    if (snapshot === undefined) return false
    const { chain, pool } = this.#parts
    const { head, plan, entries, takenAt } = snapshot
    const offset = plan.blocks.offset + takenAt - chain.times.now
    await this.#rewind(head, { blocks: { ...plan.blocks, offset }, mining: chain.plan.mining })
    pool.replaceAll(entries)
    for (const other of this.#snapshots.keys()) if (other >= id) this.#snapshots.delete(other)
    return true
  }

  async #reset(): Promise<null> {
    const { chain, pool, first } = this.#parts
    const { number, time } = first
    const hash = chain.hashOf(number)
    if (hash === null) throw new Error('the chain has no first block')
    const plan = time === null ? noChainPlan : forkedPlan({ head: time, now: chain.times.now })
    await this.#rewind({ number, hash }, plan)
    pool.replaceAll([])
    this.#snapshots.clear()
    this.#impersonated.clear()
    this.#impersonatesAll = false
    this.#instanceId = randomBytes(32)
    return null
  }

  async #rewind(to: BlockId, plan: ChainPlan): Promise<void> {
    const removed = await this.#parts.chain.rewind(to, plan)
    if (removed.length > 0) this.#parts.onRewind(to, removed)
  }

  #impersonate(address: Uint8Array | null, on: boolean): boolean {
    if (address === null) {
      const changed = this.#impersonatesAll !== on
      this.#impersonatesAll = on
      return changed
    }
    const name = toBareHex(address)
    if (!on) return this.#impersonated.delete(name)
    if (this.#impersonated.has(name)) return false
    if (this.#impersonated.size >= impersonatedMax) {
      throw refused(
        `${impersonatedMax} accounts are impersonated: stop one first (hardhat_stopImpersonatingAccount)`,
      )
    }
    this.#impersonated.add(name)
    return true
  }

  async #send(request: UnsignedRequest, anySender: boolean): Promise<Uint8Array> {
    const { chainId } = this.#parts
    const { from, gas } = request
    const key = anySender ? null : this.#keyOf(from)
    if (key === null && !anySender && !this.#impersonates(from)) {
      throw refused(
        `unknown account ${toHex(from)}: sign in the client, or impersonate it first (hardhat_impersonateAccount)`,
      )
    }
    const nonce = request.nonce ?? (await this.#parts.pendingNonce(from))
    const unsigned = unsignedTransaction(request, { chainId, nonce, gas })
    if (unsigned.type === 3) {
      throw refused('a blob transaction cannot be sent without a signature: sign it in the client')
    }
    const sent =
      key === null ? impersonate(unsigned, from, chainId) : signTransaction(unsigned, key, chainId)
    return await this.#parts.send(encodeTransaction(sent))
  }

  #keyOf(address: Uint8Array): Uint8Array | null {
    return this.#parts.keys.get(toBareHex(address)) ?? null
  }

  #impersonates(address: Uint8Array): boolean {
    return this.#impersonatesAll || this.#impersonated.has(toBareHex(address))
  }

  #drop({ hash, sender }: Extract<DevOrder, { kind: 'drop' }>): number {
    const { pool } = this.#parts
    const single = hash === undefined ? null : pool.find(hash)
    const all = sender === undefined ? [...pool.inArrival()] : pool.ofSender(sender)
    const dropped = hash === undefined ? all : single === null ? [] : [single]
    for (const entry of dropped) pool.remove(entry)
    return dropped.length
  }

  #refTo({ number, hash }: BlockId): BlockRef {
    return { network: this.#parts.network, number, hash, anchor: 'embedded' }
  }
}

function refused(detail: string): Fault {
  return new Fault('execution_failed', { detail })
}

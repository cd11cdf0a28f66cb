// The EVM side of an embedded chain: calls, estimates, the pool and block making. Tasks run one after the
// other, so each sees a chain that stands still.
import { createTxFromRLP } from '@ethereumjs/tx'
import { equalBytes, toHex } from '../../../base/hex.ts'
import { Fault } from '../../../base/fault.ts'
import type { Log } from '../../../base/log.ts'
import { decodeTransaction } from '../../../codec/transaction.ts'
import type { Store } from '../../../content/store.ts'
import type { CallRequest } from '../../network.ts'
import type { BlockPlace, ChainIndex } from '../chain-index.ts'
import type { Genesis } from '../genesis.ts'
import { checkPrices, checkSender, readTransaction } from './admit.ts'
import type { Admitted } from './admit.ts'
import { call } from './call.ts'
import type { CallParts } from './call.ts'
import { createCrypto } from './chain-crypto.ts'
import { createRules } from './chain-rules.ts'
import { estimateGas } from './estimate-gas.ts'
import { importBlocks } from './import-blocks.ts'
import { Pool } from './pool.ts'
import { NotExecutable, ProducingChain } from './producing-chain.ts'
import { createTrieDatabase } from './trie-database.ts'

export type EngineOptions = {
  readonly network: string
  readonly genesis: Genesis
  readonly store: Store
  readonly index: ChainIndex
  readonly mining: 'auto' | 'off'
  readonly callGasMax: bigint
  readonly now: () => number
  /** Told of each block once it is durable. */
  readonly onBlock: (block: BlockPlace) => void
  readonly log: Log
}

/** Methods must not overlap: whoever owns it runs them in turn. Errors as in network.ts, Executor. */
export class Engine {
  readonly #options: EngineOptions
  readonly #chain: ProducingChain
  readonly #calls: CallParts
  readonly #pool = new Pool()

  private constructor(options: EngineOptions, chain: ProducingChain, calls: CallParts) {
    this.#options = options
    this.#chain = chain
    this.#calls = calls
  }

  static async open(options: EngineOptions): Promise<Engine> {
    const { network, genesis, store, index, now, callGasMax } = options
    const rules = createRules(genesis, createCrypto())
    const tries = createTrieDatabase(store)
    const chain = await ProducingChain.open({ network, rules, store, index, tries, now })
    return new Engine(options, chain, { rules, store, index, tries, callGasMax })
  }

  call(request: CallRequest, blockHash: Uint8Array): Promise<Uint8Array> {
    return call(this.#calls, request, blockHash)
  }

  estimateGas(request: CallRequest, blockHash: Uint8Array): Promise<bigint> {
    return estimateGas(this.#calls, request, blockHash)
  }

  async pendingNonce(address: Uint8Array): Promise<bigint> {
    const nonce = (await this.#chain.account(address))?.nonce ?? 0n
    return this.#pool.nextNonce(address, nonce)
  }

  pendingTransaction(hash: Uint8Array): Uint8Array | null {
    return this.#pool.find(hash)?.raw ?? null
  }

  async send(raw: Uint8Array): Promise<Uint8Array> {
    const next = this.#chain.next()
    const entry = readTransaction(raw, next)
    const waits = this.#pool.find(entry.hash) !== null
    const known = new Fault('pool_refused', { detail: 'already known' })
    if (waits && this.#options.mining === 'off') throw known
    const nonce = await this.#checkState(entry)
    const isNext = entry.nonce === nonce
    // One that waited, priced out or for lack of space, is tried again when it is sent again.
    if (waits && !isNext) throw known
    if (isNext) checkPrices(entry, next)
    const minesNow = isNext && this.#options.mining === 'auto'
    if (!waits) this.#pool.add(entry, minesNow)
    if (minesNow) {
      try {
        await this.#mine(entry)
      } catch (error) {
        // Its sender is told now; one that was acknowledged before waits on.
        if (!waits) this.#pool.remove(entry)
        throw error
      }
      await this.#mineFollowers(entry)
    }
    return entry.hash
  }

  importFile(path: string): Promise<number> {
    return importBlocks(path, this.#options.index, async (parts) => {
      this.#options.onBlock(await this.#chain.replay(parts))
    })
  }

  /** The sender's nonce at the head. */
  async #checkState(entry: Admitted): Promise<bigint> {
    const account = await this.#chain.account(entry.sender)
    const nonce = account?.nonce ?? 0n
    checkSender(entry, {
      nonce,
      balance: account?.balance ?? 0n,
      queuedCost: this.#pool.costBeside(entry.sender, entry.nonce),
      hasCode: account?.isContract() === true && !(await this.#isDelegated(entry.sender)),
    })
    return nonce
  }

  async #isDelegated(address: Uint8Array): Promise<boolean> {
    const code = await this.#chain.code(address)
    return equalBytes(code.subarray(0, 3), new Uint8Array([0xef, 0x01, 0x00]))
  }

  /** Throws `pool_refused` and forgets the entry when it cannot run; any other failure leaves it waiting. */
  async #mine(entry: Admitted): Promise<void> {
    const { common } = this.#chain.next()
    try {
      const block = await this.#chain.mine(createTxFromRLP(entry.raw, { common }))
      this.#pool.remove(entry)
      this.#options.onBlock(block)
    } catch (error) {
      if (!(error instanceof NotExecutable)) throw error
      this.#pool.remove(entry)
      throw new Fault('pool_refused', { detail: error.message, cause: error })
    }
  }

  /** Transactions that waited for the nonce that was just used. */
  async #mineFollowers({ sender, nonce }: Admitted): Promise<void> {
    for (let at = nonce + 1n; ; at += 1n) {
      const waiting = this.#pool.at(sender, at)
      if (waiting === null) return
      const next = this.#chain.next()
      const entry = { ...waiting, transaction: decodeTransaction(waiting.raw) }
      try {
        checkPrices(entry, next)
      } catch {
        // It waits on: prices change with the next blocks.
        return
      }
      try {
        await this.#mine(entry)
      } catch (error) {
        this.#options.log('warn', 'chain.waiting_not_mined', { hash: toHex(entry.hash), error })
        return
      }
    }
  }
}

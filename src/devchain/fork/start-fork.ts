// Finds the block from which an embedded chain is forked: the recorded one, or at the first start the one named in the settings,
// which is read from the forked network and recorded in one commit with the head of the new chain.
// Tested by test/fork/fork.test.ts
import type { Clock } from '../../base/clock.ts'
import { withDeadline } from '../../base/deadline.ts'
import { Fault, hasCode } from '../../base/fault.ts'
import { fromHex } from '../../base/hex.ts'
import { getHeader, type ProvedHeader } from '../../chain/blocks.ts'
import type { Head } from '../../chain/head.ts'
import type { Network } from '../../chain/network.ts'
import { completeRead } from '../../chain/read.ts'
import type { BlockStore } from '../../content/block-store.ts'
import type { Database } from '../../db/sqlite.ts'
import { forkedPlan } from '../block-plan.ts'
import { firstBlockRows, openChainIndex, planRows } from '../chain-index.ts'
import type { Genesis, GenesisConfig } from '../../evm/genesis.ts'
import { createForkLoader } from './fork-loader.ts'
import {
  forkMismatch,
  type ForkPoint,
  forkRow,
  readFork,
  type RequestedFork,
} from './fork-point.ts'

/** Timeout of resolving the block and the first read, at the first start. */
const resolveMs = 60_000

export type StartForkParts = {
  /** The embedded chain. */
  readonly network: string
  readonly requested: RequestedFork
  /** The forked network; null: the settings do not name it. */
  readonly source: () => Network | null
  readonly database: Database
  readonly store: BlockStore
  readonly clock: Clock
}

/**
 * Throws an Error with a message for the operator if the folder holds another chain, or if no upstream returns and proves the
 * block and its state.
 */
export async function startFork(parts: StartForkParts): Promise<ForkPoint> {
  const { network, requested, database, store, clock } = parts
  const recorded = readFork(database, network)
  if (recorded !== null) {
    const mismatch = forkMismatch(network, recorded, requested)
    if (mismatch !== null) throw new Error(mismatch)
    return recorded
  }
  const named = `${requested.source}@${requested.block}`
  if (openChainIndex(database, network).head() !== null) {
    throw new Error(
      `the data folder holds a chain for network "${network}" that is not a fork, and the settings name fork ${named}: ` +
        'remove the setting, or choose another folder with --data-dir',
    )
  }
  using deadline = withDeadline(null, resolveMs, clock)
  try {
    const source = parts.source()
    if (source === null) throw new Error(`the settings name no network ${requested.source}`)
    const block = await resolve(source, requested.block, deadline.signal)
    const { number, stateRoot, difficulty, timestamp } = block.header
    if (difficulty > 0n) throw new Error(`block ${number} is from before the merge`)
    const point: ForkPoint = { ...requested, number, hash: block.hash, stateRoot }
    const loader = createForkLoader({ point, source: parts.source, store, clock })
    // Loads the state root, and confirms that an upstream still proves state at this block.
    await loader.load({ kind: 'account', block: null, address: new Uint8Array(20) })
    const now = BigInt(Math.floor(clock.now() / 1000))
    await store.put(
      [{ ref: { kind: 'header', hash: block.hash }, bytes: block.bytes }],
      [
        forkRow(network, point),
        ...firstBlockRows(network, point),
        ...planRows(network, forkedPlan({ head: timestamp, now })),
      ],
    )
    return point
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`network "${network}" cannot be forked from ${named}: ${why}`, { cause })
  }
}

async function resolve(source: Network, block: string, signal: AbortSignal): Promise<ProvedHeader> {
  const hash = block.startsWith('0x') ? fromHex(block) : await numbered(source.head, block, signal)
  try {
    return await completeRead(getHeader(source, hash), signal)
  } catch (thrown) {
    if (!hasCode(thrown, 'unknown_block')) throw thrown
    throw new Error(`no upstream of ${source.name} has block ${block}`, { cause: thrown })
  }
}

async function numbered(head: Head, block: string, signal: AbortSignal): Promise<Uint8Array> {
  const ref =
    block === 'latest'
      ? head.latest()
      : block === 'finalized'
        ? head.finalized()
        : await completeRead(head.byNumber(BigInt(block)), signal)
  if (ref !== null) return ref.hash
  throw new Fault('unknown_block', {
    detail: /^\d/.test(block)
      ? `block ${block} is above the head of the network`
      : `the network knows no ${block} block yet`,
  })
}

/** Genesis of a fork: chain ID and fork schedule of the forked network; it has no genesis block. */
export function forkedGenesis(chainId: bigint, config: GenesisConfig): Genesis {
  return {
    chainId,
    config,
    nonce: 0n,
    timestamp: 0n,
    extraData: new Uint8Array(0),
    gasLimit: 0n,
    difficulty: 0n,
    mixHash: new Uint8Array(32),
    coinbase: new Uint8Array(20),
    baseFeePerGas: null,
    blobGasUsed: null,
    excessBlobGas: null,
    accounts: [],
  }
}

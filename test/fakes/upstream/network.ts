// A Network over items in memory: `obtain` verifies as the real one does, the head is a list of blocks, and an Executor refuses
// calls without a given result.
import { Fault } from '../../../src/base/fault.ts'
import { equalBytes } from '../../../src/base/hex.ts'
import { verifyKeccakKinds } from '../../../src/codec/hash/verify-keccak.ts'
import {
  type ContentRef,
  type Obtain,
  type UnverifiedItem,
  refKey,
} from '../../../src/content/ref.ts'
import { createHeaderMemory } from '../../../src/chain/proved-memory.ts'
import {
  type TransactionPool,
  createReadyTransactions,
} from '../../../src/chain/transaction-pool.ts'
import type { EvmExecutor } from '../../../src/chain/evm-executor.ts'
import type { BlockRef, Head } from '../../../src/chain/head.ts'
import type { Network } from '../../../src/chain/network.ts'
import { resolvedRead } from '../../../src/chain/read.ts'

/** Finds by ref and verifies; otherwise `not_found`. `requested` collects the refs in order. */
export function createFakeObtain(
  items: readonly UnverifiedItem[],
  requested: ContentRef[] = [],
): Obtain {
  const byKey = new Map(items.map(({ ref, bytes }) => [refKey(ref), bytes]))
  return async (ref) => {
    requested.push(ref)
    const bytes = byKey.get(refKey(ref))
    if (bytes === undefined) throw new Fault('not_found')
    if (ref.kind === 'dag-block') throw new Fault('unverified')
    verifyKeccakKinds({ kind: ref.kind, hash: ref.hash }, bytes)
    return bytes
  }
}

/** `blocks` are canonical, in order of their number, starting with any number; the last is `latest`. */
export function createFakeHead(blocks: readonly BlockRef[], part: Partial<Head> = {}): Head {
  const anchored = blocks.map((block): BlockRef => ({ anchor: 'embedded', ...block }))
  const latest = anchored.at(-1)
  if (latest === undefined) throw new TypeError('a head needs a block')
  const byNumber = (number: bigint) => anchored.find((block) => block.number === number) ?? null
  return {
    latest: () => latest,
    safe: () => latest,
    finalized: () => latest,
    byNumber: (number) => resolvedRead(byNumber(number)),
    isCanonical: (hash, number) =>
      resolvedRead(equalBytes(byNumber(number)?.hash ?? new Uint8Array(0), hash)),
    locate: () => [],
    watch: () => () => {},
    ...part,
  }
}

const refuse = () => Promise.reject(new Fault('execution_failed'))

export function createFakeExecutor(part: Partial<EvmExecutor> = {}): EvmExecutor {
  return {
    call: refuse,
    estimateGas: refuse,
    createAccessList: refuse,
    simulate: refuse,
    traceCall: refuse,
    traceBlock: refuse,
    storageRange: refuse,
    poolContent: () => Promise.resolve({ pending: [], queued: [] }),
    poolCounts: () => Promise.resolve({ pending: 0, queued: 0 }),
    pendingBlock: refuse,
    mine: refuse,
    dev: { run: refuse },
    accounts: [],
    ...part,
  }
}

export function createFakePool(part: Partial<TransactionPool> = {}): TransactionPool {
  return {
    level: 'trusted',
    send: refuse,
    pendingNonce: refuse,
    pendingTransaction: () => Promise.resolve(null),
    arrivals: createReadyTransactions(),
    ...part,
  }
}

export function createFakeNetwork(
  part: Partial<Network> & Pick<Network, 'head' | 'obtain'>,
): Network {
  return {
    name: 'dev',
    chainId: 1337n,
    hint: { network: 'dev' },
    peek: () => null,
    peekNode: () => null,
    headers: createHeaderMemory(1_000),
    pool: createFakePool(),
    executor: createFakeExecutor(),
    relay: null,
    blobFeeFraction: () => null,
    feeRules: () => ({ blobs: null }),
    forkConfigs: () => null,
    ...part,
  }
}

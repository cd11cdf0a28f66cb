// Messages between the request thread and the chain thread. Everything is structured-clonable.
import type { MessagePort } from 'node:worker_threads'
import type { BlockParts } from '../codec/ethereum/block.ts'
import type { DevOrder, DevResults } from '../chain/dev-chain.ts'
import type { PoolContent, PoolCounts } from '../chain/evm-executor.ts'
import type { BlockId, SignedTransaction } from './chain-index.ts'
import type { ForkPoint } from './fork/fork-point.ts'
import type { ForkRead, ForkReadResult } from './fork/fork-reads.ts'
import type { Genesis } from '../evm/genesis.ts'
import type { PackedFailure } from '../evm/threads/packed-failure.ts'

export type ChainThreadData = {
  readonly network: string
  readonly genesis: Genesis
  readonly databasePath: string
  readonly writerPort: MessagePort
  readonly mining: 'auto' | 'off'
  /** The accounts of dev-accounts.ts may send without a signature of the client. */
  readonly isUnlocked: boolean
  /** Null: the chain has a genesis block of its own. */
  readonly fork: ForkPoint | null
}

export type ChainTask =
  | { readonly kind: 'send'; readonly raw: Uint8Array }
  | { readonly kind: 'nonce'; readonly address: Uint8Array }
  | { readonly kind: 'pending'; readonly hash: Uint8Array }
  | { readonly kind: 'pool'; readonly sender: Uint8Array | null }
  | { readonly kind: 'counts' }
  | { readonly kind: 'preview' }
  | { readonly kind: 'mine' }
  | { readonly kind: 'order'; readonly order: DevOrder }
  /** `signers`: receives the `Signer[]` of later blocks as soon as they are recovered. */
  | { readonly kind: 'import'; readonly path: string; readonly signers: MessagePort }

/** Result of each task, by its kind. */
export type ChainResults = {
  readonly send: Uint8Array
  readonly nonce: bigint
  readonly pending: Uint8Array | null
  readonly pool: PoolContent
  readonly counts: PoolCounts
  readonly preview: BlockParts
  readonly mine: BlockId
  readonly order: DevResults[DevOrder['kind']]
  readonly import: number
}

export type ChainResult = ChainResults[ChainTask['kind']]

/** To the thread. `open` is sent first, and once. `cancel` removes a task that has not begun. */
export type ChainThreadTask =
  | { readonly kind: 'open'; readonly data: ChainThreadData }
  | { readonly kind: 'run'; readonly id: number; readonly task: ChainTask }
  | { readonly kind: 'cancel'; readonly id: number }
  /** Reply to a `need`. */
  | { readonly kind: 'have'; readonly id: number; readonly result: ForkReadResult }
  | { readonly kind: 'close' }

/** From the thread. `ready`, `block` and `rewound` are sent before the result of the task that caused them. */
export type ChainThreadMessage =
  | { readonly kind: 'done'; readonly id: number; readonly result: ChainResult }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: PackedFailure }
  | {
      readonly kind: 'block'
      readonly block: BlockId
      readonly signed: readonly SignedTransaction[]
    }
  /** Blocks left the chain, newest first. `block` is the new head. */
  | {
      readonly kind: 'rewound'
      readonly block: BlockId
      readonly removed: readonly BlockId[]
    }
  | { readonly kind: 'ready'; readonly hash: Uint8Array }
  /** A task waits for content of the forked network. `id`: of the read, not of the task. */
  | { readonly kind: 'need'; readonly id: number; readonly read: ForkRead }

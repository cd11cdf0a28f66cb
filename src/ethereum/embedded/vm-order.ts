// What crosses between the request thread and the EVM thread. Everything is structured-clonable.
import type { MessagePort } from 'node:worker_threads'
import type { BlockParts } from '../../codec/block.ts'
import type { PoolContent, PoolCounts } from '../network.ts'
import type { BlockPlace } from './chain-index.ts'
import type { Genesis } from './genesis.ts'
import type { PackedFailure } from './packed-failure.ts'

export type VmThreadData = {
  readonly network: string
  readonly genesis: Genesis
  readonly databasePath: string
  readonly writerPort: MessagePort
  readonly mining: 'auto' | 'off'
}

export type VmTask =
  | { readonly kind: 'send'; readonly raw: Uint8Array }
  | { readonly kind: 'nonce'; readonly address: Uint8Array }
  | { readonly kind: 'pending'; readonly hash: Uint8Array }
  | { readonly kind: 'pool'; readonly sender: Uint8Array | null }
  | { readonly kind: 'counts' }
  | { readonly kind: 'preview' }
  | { readonly kind: 'mine' }
  | { readonly kind: 'import'; readonly path: string }

/** What the thread answers to a task, by its kind. */
export type VmResults = {
  readonly send: Uint8Array
  readonly nonce: bigint
  readonly pending: Uint8Array | null
  readonly pool: PoolContent
  readonly counts: PoolCounts
  readonly preview: BlockParts
  readonly mine: BlockPlace
  readonly import: number
}

export type VmResult = VmResults[VmTask['kind']]

/** To the thread. `cancel` drops a task that has not begun. */
export type VmOrder =
  | { readonly kind: 'run'; readonly id: number; readonly task: VmTask }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'close' }

/** From the thread. `ready` and `block` are said before the answer of the task that made them. */
export type VmNews =
  | { readonly kind: 'done'; readonly id: number; readonly result: VmResult }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: PackedFailure }
  | { readonly kind: 'block'; readonly number: bigint; readonly hash: Uint8Array }
  | { readonly kind: 'ready'; readonly hash: Uint8Array }

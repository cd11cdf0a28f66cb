// Messages between the request thread and the net thread, and the settings of the network as plain values.
import type { FailReason } from './net-frames.ts'
import type {
  NetCommand,
  NetCounts,
  NetHello,
  NetLive,
  NetReady,
  NetReply,
} from './net-messages.ts'

/** What the net thread starts with. */
export type NetThreadOptions = {
  /** Of `cairn.db`, and of the folder of the segments. */
  readonly databasePath: string
  readonly storePath: string
  /** Program of the network process. */
  readonly program: string
  /** PATH of the process, its only variable. */
  readonly path: string
  readonly heapMiB: number
  /** Pins of accounts without a card are not public. */
  readonly needsCard: boolean
  readonly hello: NetHello
}

export type ToThread =
  /** `root`: multihash. `cid`: bytes. `peers`: multiaddrs to ask besides those found. */
  | {
      readonly kind: 'want'
      readonly id: number
      readonly account: string
      readonly root: Uint8Array
      readonly cid: Uint8Array
      readonly origins: readonly string[]
    }
  | { readonly kind: 'drop'; readonly id: number }
  /** Found blocks of so many bytes were passed on. */
  | { readonly kind: 'credit'; readonly bytes: number }
  | { readonly kind: 'command'; readonly id: number; readonly message: NetCommand }
  | { readonly kind: 'cancel'; readonly id: number }
  | {
      readonly kind: 'provide'
      readonly id: number
      readonly regionBits: number
      readonly multihashes: readonly Uint8Array[]
    }
  | { readonly kind: 'live'; readonly message: NetLive; readonly needsCard: boolean }
  /** Of the last `check`, in its order: peers may have the block. */
  | { readonly kind: 'checked'; readonly allowed: readonly boolean[] }
  /** The process and the thread end. */
  | { readonly kind: 'stop' }

export type FromThread =
  | { readonly kind: 'started'; readonly pid: number }
  | { readonly kind: 'ready'; readonly message: NetReady }
  | { readonly kind: 'found'; readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'none'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: FailReason | 'overloaded' }
  /** As the frame. */
  | { readonly kind: 'reply'; readonly id: number; readonly message: NetReply | null }
  | { readonly kind: 'provided'; readonly id: number; readonly codes: Uint8Array }
  /** Every 5 s. */
  | { readonly kind: 'counts'; readonly message: NetCounts; readonly asks: AskCounts }
  /** Public blocks that peers requested: does a deny rule apply to one? One at a time. */
  | { readonly kind: 'check'; readonly multihashes: readonly Uint8Array[] }
  /** The last message. `reason`: one line for the log. */
  | { readonly kind: 'ended'; readonly reason: string }

/** Requests of peers for blocks, since the start of the thread. */
export type AskCounts = {
  readonly asked: number
  readonly served: number
  readonly servedBytes: number
  /** Over the limit of waiting requests. */
  readonly refused: number
}

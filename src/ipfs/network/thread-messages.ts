// Messages between the request thread and the net thread, and the network settings as plain values.
import type { FailReason } from './net-frames.ts'
import type {
  NetCommand,
  NetCounts,
  NetHello,
  NetLive,
  NetReady,
  NetReply,
} from './net-messages.ts'

/** Options of the net thread at its start. */
export type NetThreadOptions = {
  /** Paths of `cairn.db`, and of the folder of the segments. */
  readonly databasePath: string
  readonly storePath: string
  /** Program of the network process. */
  readonly program: string
  /** PATH of the process, its only environment variable. */
  readonly path: string
  readonly heapMiB: number
  /** Pins of accounts without a card are not public. */
  readonly needsCard: boolean
  readonly hello: NetHello
}

export type ToThread =
  /** `root`: multihash. `cid`: bytes. `peers`: multiaddrs to query besides the peers that are found. */
  | {
      readonly kind: 'want'
      readonly id: number
      readonly account: string
      readonly root: Uint8Array
      readonly cid: Uint8Array
      readonly origins: readonly string[]
    }
  | { readonly kind: 'drop'; readonly id: number }
  /** Found blocks of that many bytes were passed on. */
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
  /** Results of the last `check`, in its order: whether the block may be sent to peers. */
  | { readonly kind: 'checked'; readonly allowed: readonly boolean[] }
  /** Stops the process and the thread. */
  | { readonly kind: 'stop' }

export type FromThread =
  | { readonly kind: 'started'; readonly pid: number }
  | { readonly kind: 'ready'; readonly message: NetReady }
  | { readonly kind: 'found'; readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'none'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: FailReason | 'overloaded' }
  /** As the frame `reply`. */
  | { readonly kind: 'reply'; readonly id: number; readonly message: NetReply | null }
  | { readonly kind: 'provided'; readonly id: number; readonly codes: Uint8Array }
  /** Every 5 s. */
  | { readonly kind: 'counts'; readonly message: NetCounts; readonly peerRequests: RequestCounts }
  /** Asks whether deny rules apply to public blocks that peers requested. One check at a time. */
  | { readonly kind: 'check'; readonly multihashes: readonly Uint8Array[] }
  /** The last message. `reason`: one line for the log. */
  | { readonly kind: 'ended'; readonly reason: string }

/** Block requests of peers since the start of the thread. */
export type RequestCounts = {
  readonly received: number
  readonly served: number
  readonly servedBytes: number
  /** Refused because too many requests waited. */
  readonly refused: number
}

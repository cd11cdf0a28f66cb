// What a connection can subscribe to, and who is told.
// Tested by src/rpc/subscriptions/subscriptions.test.ts
import type { Fault } from '../../base/fault.ts'
import type { LogBounds, LogFilter } from '../../chain/logs.ts'

/** As eth_subscribe names them. `whole`: the transaction instead of its hash. */
export type SubscriptionKind =
  | { readonly kind: 'newHeads' }
  | { readonly kind: 'logs'; readonly filter: LogFilter; readonly bounds: LogBounds }
  | { readonly kind: 'newPendingTransactions'; readonly whole: boolean }
  | { readonly kind: 'syncing' }

/** One subscription, as its source of events sees it. */
export type Subscriber = {
  /** False: it has ended meanwhile, and is told nothing. */
  readonly open: boolean
  /** Takes the price of what follows. False when the day is used up: the connection ends, nothing more is told. */
  charge(units: number): boolean
  /** `result`: JSON text. In order. */
  tell(result: string): void
  /** Some events cannot be told: the connection ends, so that its client starts afresh. */
  end(fault: Fault): void
}

/** Told of one kind of event; each from the moment it joined. */
export interface Events<Kind extends SubscriptionKind> {
  /** Returns how to leave. Throws `no_upstream` when there is no head to start from. */
  join(kind: Kind, subscriber: Subscriber): () => void
}

/** What the calls of one frame may do. */
export interface FrameSubscriptions {
  /** Resolves with the id: `0x` and 32 hex digits. Throws `over_filters`, `overloaded`, `no_upstream`. */
  add(kind: SubscriptionKind): string
  /** False when there is none of that id. */
  drop(id: string): boolean
}

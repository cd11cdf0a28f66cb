// Subscription kinds and the interface of subscribers.
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
  /** False: it has ended and receives nothing. */
  readonly open: boolean
  /** Charges the next event. False at the daily limit: the connection ends and nothing more is sent. */
  charge(units: number): boolean
  /** `result`: JSON text. In order. */
  tell(result: string): void
  /** Some events cannot be sent: the connection ends, so that the client starts again. */
  end(fault: Fault): void
}

/** Receives one kind of event, from the moment it joined. */
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

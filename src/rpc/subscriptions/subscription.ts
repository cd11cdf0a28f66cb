// Subscription kinds and the interface of subscribers.
// Tested by src/rpc/subscriptions/subscriptions.test.ts
import type { Fault } from '../../base/fault.ts'
import type { LogBounds, LogFilter } from '../../chain/logs.ts'

/** Kinds of eth_subscribe. `full`: the full transaction instead of its hash. */
export type SubscriptionKind =
  | { readonly kind: 'newHeads' }
  | { readonly kind: 'logs'; readonly filter: LogFilter; readonly bounds: LogBounds }
  | { readonly kind: 'newPendingTransactions'; readonly full: boolean }
  | { readonly kind: 'syncing' }

/** One subscription, as its source of events sees it. */
export type Subscriber = {
  /** False: it has ended and receives nothing. */
  readonly open: boolean
  /** Charges the next event. False at the daily limit: the connection ends and no more events are sent. */
  charge(units: number): boolean
  /** Sends one event; `result`: JSON text. Events keep their order. */
  send(result: string): void
  /** Ends the connection because some events cannot be sent, so that the client subscribes again. */
  end(fault: Fault): void
}

/** Sends one kind of event to each subscriber from the time it joins. */
export interface Events<Kind extends SubscriptionKind> {
  /** Returns a function that leaves. Throws `no_upstream` if no head is known. */
  join(kind: Kind, subscriber: Subscriber): () => void
}

/** Subscriptions as the calls of one frame use them. */
export interface FrameSubscriptions {
  /** Returns the ID: `0x` and 32 hex digits. Throws `over_filters`, `overloaded`, `no_upstream`. */
  add(kind: SubscriptionKind): string
  /** False if no subscription has this ID. */
  drop(id: string): boolean
}

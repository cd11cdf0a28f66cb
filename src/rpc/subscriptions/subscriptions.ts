// The subscriptions of one connection. The events of a subscription wait until the reply with its ID is sent; later ones are sent
// immediately.
import { randomBytes } from 'node:crypto'
import { Fault } from '../../base/fault.ts'
import { toHex } from '../../base/hex.ts'
import type { NetworkEvents } from './network-events.ts'
import type { FrameSubscriptions, Subscriber } from './subscription.ts'

export type SubscriptionsFrame = FrameSubscriptions & {
  /** `sent`: the reply was sent, so events may follow. False: the client does not know the new IDs, so these subscriptions end. */
  settle(sent: boolean): void
}

export interface Subscriptions {
  openFrame(): SubscriptionsFrame
  /** Ends all subscriptions. */
  close(): void
}

export type SubscriptionsParts = {
  readonly events: NetworkEvents
  /** The key that the connection was opened with. */
  readonly keyId: string
  /** Throws `over_quota`. */
  readonly charge: (units: number) => void
  readonly send: (event: string) => void
  readonly end: (fault: Fault) => void
}

/** Limit per connection (as in reth). */
const subscriptionsMax = 1_024
/** Limit of events that wait for the reply with the subscription's ID. */
const queuedMax = 4_096

export function createSubscriptions(parts: SubscriptionsParts): Subscriptions {
  const open = new Map<string, Subscription>()

  function drop(id: string): boolean {
    const subscription = open.get(id)
    open.delete(id)
    subscription?.close()
    return subscription !== undefined
  }

  return {
    openFrame() {
      // Created on first use: most frames make no subscription.
      let fresh: string[] | null = null
      return {
        add(kind) {
          if (open.size >= subscriptionsMax) {
            const detail = `too many subscriptions, limit is ${subscriptionsMax}`
            throw new Fault('over_filters', { detail })
          }
          const subscription = new Subscription(parts)
          subscription.leave = parts.events.join(kind, subscription, parts.keyId)
          open.set(subscription.id, subscription)
          fresh ??= []
          fresh.push(subscription.id)
          return subscription.id
        },
        drop,
        settle(sent) {
          for (const id of fresh ?? []) {
            if (sent) open.get(id)?.release()
            else drop(id)
          }
        },
      }
    },
    close() {
      for (const id of open.keys()) drop(id)
    },
  }
}

class Subscription implements Subscriber {
  readonly id = toHex(randomBytes(16))
  readonly #parts: SubscriptionsParts
  readonly #head: string
  /** Null after the reply was sent. */
  #queued: string[] | null = []
  open = true
  leave: () => void = () => {}

  constructor(parts: SubscriptionsParts) {
    this.#parts = parts
    this.#head = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${this.id}","result":`
  }

  charge(units: number): boolean {
    try {
      this.#parts.charge(units)
      return true
    } catch (thrown) {
      this.end(Fault.from(thrown))
      return false
    }
  }

  send(result: string): void {
    if (!this.open) return
    const event = `${this.#head}${result}}}`
    if (this.#queued === null) this.#parts.send(event)
    else if (this.#queued.length < queuedMax) this.#queued.push(event)
    else this.end(new Fault('overloaded'))
  }

  end(fault: Fault): void {
    if (!this.open) return
    this.close()
    this.#parts.end(fault)
  }

  release(): void {
    const queued = this.#queued ?? []
    this.#queued = null
    for (const event of queued) if (this.open) this.#parts.send(event)
  }

  close(): void {
    if (!this.open) return
    this.open = false
    this.leave()
  }
}

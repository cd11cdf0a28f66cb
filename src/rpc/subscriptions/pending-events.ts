// newPendingTransactions: transactions that became ready for a block since the last interval, as hashes or in full.
// Tested by src/rpc/subscriptions/subscriptions.test.ts
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { equalBytes, toHex } from '../../base/hex.ts'
import { retryWithBackoff } from '../../base/retry-with-backoff.ts'
import { transactionHash } from '../../codec/ethereum/transaction.ts'
import { findLocated } from '../../chain/located.ts'
import type { Network } from '../../chain/network.ts'
import type { FindSender } from '../../chain/sender-cache.ts'
import { renderTransaction } from '../../chain/transaction-object.ts'
import { readTransaction } from '../../chain/transactions.ts'
import { notifyEach } from './chain-subscribers.ts'
import type { Events, Subscriber, SubscriptionKind } from './subscription.ts'

const bundleMs = 700
const unitsPerBundle = 200
const bundleMax = 10_000
/** Transactions that are read in parallel. */
const parallelReads = 32

/** `from`: the number of the first arrival to send. */
type Member = { readonly subscriber: Subscriber; readonly from: number; readonly full: boolean }

export function createPendingEvents(
  network: Network,
  { clock, findSender }: { readonly clock: Clock; readonly findSender: FindSender },
): Events<Extract<SubscriptionKind, { kind: 'newPendingTransactions' }>> {
  const { arrivals } = network.pool
  const members = new Set<Member>()
  let next = 0
  let stopTimer: (() => void) | null = null
  let bundling = false

  async function bundle(): Promise<void> {
    const start = next
    const hashes = arrivals.read(start, bundleMax)
    if (hashes === null) {
      next = arrivals.end
      for (const { subscriber } of members) subscriber.end(new Fault('overloaded'))
      return
    }
    next += hashes.length
    if (hashes.length === 0) return
    const names = hashes.map((hash) => JSON.stringify(toHex(hash)))
    const anyFull = [...members].some(({ full }) => full)
    const objects = anyFull ? await readFull(hashes) : []
    await notifyEach(members, ({ subscriber, from, full }) => {
      const unsent = (full ? objects : names).slice(Math.max(0, from - start))
      if (unsent.length === 0 || !subscriber.charge(unitsPerBundle)) return
      for (const text of unsent) if (text !== null) subscriber.send(text)
    })
  }

  /** Null: the transaction is no longer in the pool. */
  async function readFull(hashes: readonly Uint8Array[]): Promise<readonly (string | null)[]> {
    const texts: (string | null)[] = []
    let nextIndex = 0
    async function lane(): Promise<void> {
      for (let at = nextIndex++; at < hashes.length; at = nextIndex++) {
        texts[at] = await readOne(hashes[at] as Uint8Array)
      }
    }
    await Promise.all(Array.from({ length: Math.min(parallelReads, hashes.length) }, lane))
    return texts
  }

  async function readOne(hash: Uint8Array): Promise<string | null> {
    const insistence = {
      clock,
      tryMs: 2_000,
      waitMs: 100,
      waitMsMax: 100,
      patienceMs: 0,
      isFinal: () => true,
    }
    try {
      return await retryWithBackoff((signal) => renderPending(hash, signal), insistence, never)
    } catch {
      // Pending transactions have no proof, so a missing one does not end the subscription.
      return null
    }
  }

  /** Rendered as pending, even if a block contains it by now. */
  async function renderPending(hash: Uint8Array, signal: AbortSignal): Promise<string | null> {
    const pending = await network.pool.pendingTransaction(hash, signal)
    const raw = pending ?? (await findLocated(network, hash, signal))?.raw ?? null
    if (raw === null || !equalBytes(transactionHash(raw), hash)) return null
    return JSON.stringify(renderTransaction(readTransaction(raw, findSender), null))
  }

  function look(): void {
    if (bundling) return
    bundling = true
    void bundle().finally(() => (bundling = false))
  }

  return {
    join({ full }, subscriber) {
      const member = { subscriber, from: arrivals.end, full }
      members.add(member)
      if (stopTimer === null) {
        next = arrivals.end
        stopTimer = clock.every(bundleMs, look)
      }
      return () => {
        if (!members.delete(member) || members.size > 0) return
        stopTimer?.()
        stopTimer = null
      }
    },
  }
}

const { signal: never } = new AbortController()

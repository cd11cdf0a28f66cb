// A token bucket for bytes per second. It may go into debt by one message, so that messages larger than one second's rate can pass.
// Peers that share a bucket take turns.
// Tested by src/ipfs/network/child/token-bucket.test.ts
import type { Clock } from '../../../base/clock.ts'

export type TokenBucket = {
  /** Milliseconds until the next bytes may pass; 0: now. */
  waitMs(): number
  take(bytes: number): void
  /** 0: no limit. */
  setRate(bytesPerSecond: number): void
}

export function createTokenBucket(clock: Clock, bytesPerSecond: number): TokenBucket {
  let rate = bytesPerSecond
  let left = rate
  let at = clock.monotonic()

  function refill(): void {
    const now = clock.monotonic()
    left = Math.min(rate, left + ((now - at) / 1000) * rate)
    at = now
  }

  return {
    waitMs() {
      if (rate === 0) return 0
      refill()
      return left > 0 ? 0 : Math.ceil((-left / rate) * 1000) + 1
    },
    take(bytes) {
      if (rate === 0) return
      refill()
      left -= bytes
    },
    setRate(next) {
      refill()
      rate = next
      left = Math.min(left, rate)
    },
  }
}

/** A peer with nothing to send loses its turn after this time. */
const turnMsMax = 200

export type RateTurns = {
  /** True: the peer may send one message now. False: it is woken when its turn comes. */
  mayPass(peer: string): boolean
  take(bytes: number): void
  setRate(bytesPerSecond: number): void
  forget(peer: string): void
}

export function createRateTurns(
  clock: Clock,
  bytesPerSecond: number,
  wake: (peer: string) => void,
): RateTurns {
  const bucket = createTokenBucket(clock, bytesPerSecond)
  const waiting = new Set<string>()
  /** The peer that was woken and has not sent a message yet. */
  let turn: string | null = null
  let stop: (() => void) | null = null

  function schedule(): void {
    if (stop !== null || waiting.size === 0) return
    const delayMs = turn === null ? Math.max(1, bucket.waitMs()) : turnMsMax
    stop = clock.after(delayMs, () => {
      stop = null
      const [first = null] = waiting
      if (first !== null && bucket.waitMs() === 0) {
        waiting.delete(first)
        turn = first
        wake(first)
      }
      schedule()
    })
  }

  return {
    mayPass(peer) {
      const isNext = turn === peer || (turn === null && waiting.size === 0)
      if (isNext && bucket.waitMs() === 0) {
        turn = null
        stop?.()
        stop = null
        schedule()
        return true
      }
      waiting.add(peer)
      schedule()
      return false
    },
    take: (bytes) => bucket.take(bytes),
    setRate: (next) => bucket.setRate(next),
    forget: (peer) => void waiting.delete(peer),
  }
}

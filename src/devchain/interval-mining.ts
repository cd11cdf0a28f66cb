// Makes a block in every period, empty if no transaction waits, as a live chain does. A block that takes longer than the period
// delays the next one; blocks never queue.
// Tested by src/devchain/embedded-network.test.ts
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { MiningPlan } from '../chain/dev-chain.ts'
import type { EvmExecutor } from '../chain/evm-executor.ts'

/** Milliseconds, or two between which each period is chosen at random. 0: no blocks. */
export type Period = NonNullable<MiningPlan['intervalMs']>

export type IntervalMining = {
  readonly period: Period
  /** Takes effect now. Setting the same period again changes nothing. */
  set(period: Period): void
  /** A block in progress is still finished. */
  stop(): void
}

/** Logs a block that failed. */
export function createIntervalMining(
  first: Period,
  parts: {
    readonly clock: Clock
    readonly executor: Pick<EvmExecutor, 'mine'>
    readonly log: Log
  },
): IntervalMining {
  const { clock, executor, log } = parts
  const { signal } = new AbortController()
  let period: Period = 0
  let busy = false
  let ended = false
  let cancel = () => {}

  async function mineBlock(): Promise<void> {
    if (busy) return
    busy = true
    try {
      await executor.mine(signal)
    } catch (cause) {
      if (!ended) log('error', 'chain.block_not_made', { cause })
    } finally {
      busy = false
    }
  }

  function schedule(): void {
    const waitMs = typeof period === 'number' ? period : randomBetween(period)
    if (waitMs === 0) return
    cancel = clock.after(waitMs, () => {
      schedule()
      void mineBlock()
    })
  }

  function set(next: Period): void {
    if (ended || String(next) === String(period)) return
    cancel()
    period = next
    schedule()
  }

  set(first)
  return {
    get period() {
      return period
    },
    set,
    stop() {
      ended = true
      cancel()
    },
  }
}

function randomBetween([min, max]: readonly [number, number]): number {
  return min + Math.floor(Math.random() * (max - min + 1))
}

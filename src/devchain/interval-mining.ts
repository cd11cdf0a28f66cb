// Makes a block in every period, whether anything waits or not, as a live chain does. A block that takes
// longer than the period delays the next one; it never queues a second.
// Tested by src/devchain/embedded-network.test.ts
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { EvmExecutor } from '../chain/evm-executor.ts'

/** The returned function ends it; a block in the making is still finished. A block that failed is logged. */
export function mineEvery(
  seconds: number,
  parts: {
    readonly clock: Clock
    readonly executor: Pick<EvmExecutor, 'mine'>
    readonly log: Log
  },
): () => void {
  const { clock, executor, log } = parts
  const { signal } = new AbortController()
  let busy = false
  let ended = false

  async function mine(): Promise<void> {
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

  const stop = clock.every(seconds * 1000, () => void mine())
  return () => {
    ended = true
    stop()
  }
}

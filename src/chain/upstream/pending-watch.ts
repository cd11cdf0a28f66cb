// Pending transactions as one upstream reports them: polled only while there is a reader, and from another upstream if
// that one fails. Pending transactions cannot be proved, and no node knows all of them.
import type { Clock } from '../../base/clock.ts'
import { fromHex } from '../../base/hex.ts'
import type { Log } from '../../base/log.ts'
import { type ReadyTransactions, createReadyTransactions } from '../transaction-pool.ts'

/** The members of an upstream that this module uses. */
export type PendingSource = {
  readonly name: string
  readonly usable: boolean
  lacks(method: string): boolean
  call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
}

export type PendingWatch = { readonly arrivals: ReadyTransactions; stop(): void }

const pollMs = 700
/** After this time without a reader, polling stops. */
const idleMs = 60_000
/** Maximum hashes of one reply. */
const hashesMax = 10_000

const install = 'eth_newPendingTransactionFilter'

export function createPendingWatch(
  sources: readonly PendingSource[],
  { clock, log, network }: { readonly clock: Clock; readonly log: Log; readonly network: string },
): PendingWatch {
  const log16k = createReadyTransactions()
  const ending = new AbortController()
  let readAt = -Infinity
  let filter: { readonly source: PendingSource; readonly id: unknown } | null = null
  let nextSource = 0
  let busy = false

  async function poll(): Promise<void> {
    if (busy || clock.monotonic() - readAt > idleMs) return
    busy = true
    try {
      filter ??= await installFilter()
      if (filter === null) return
      const { source, id } = filter
      const hashes = await source.call('eth_getFilterChanges', [id], ending.signal)
      if (!Array.isArray(hashes)) throw new TypeError('a filter answered with no list')
      for (const hash of hashes.slice(0, hashesMax) as readonly unknown[]) {
        if (typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash)) log16k.add(fromHex(hash))
      }
    } catch (error) {
      if (!ending.signal.aborted) log('debug', 'pending_not_asked', { network, error })
      filter = null
      // Use the next upstream.
      nextSource += 1
    } finally {
      busy = false
    }
  }

  async function installFilter(): Promise<typeof filter> {
    const able = sources.filter((source) => source.usable && !source.lacks(install))
    const source = able[nextSource % Math.max(1, able.length)]
    if (source === undefined) return null
    return { source, id: await source.call(install, [], ending.signal) }
  }

  const stop = clock.every(pollMs, () => void poll())

  function read(): void {
    const rested = clock.monotonic() - readAt > idleMs
    readAt = clock.monotonic()
    if (rested) void poll()
  }

  return {
    arrivals: {
      id: log16k.id,
      get end() {
        read()
        return log16k.end
      },
      read(from, max) {
        read()
        return log16k.read(from, max)
      },
    },
    stop() {
      stop()
      ending.abort()
    },
  }
}

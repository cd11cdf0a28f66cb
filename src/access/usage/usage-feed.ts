// Live usage, one event per second, for a key, an account or all accounts. Fed by the usage flush, so it adds no work to requests
// and none at all without subscribers.
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { holderOf, isOf, type UsageScope } from './usage-collecting.ts'
import { type FlushedRow, type Part, type Sums, Tallies, Tally } from './usage-row.ts'
import type { Usage } from './usage.ts'

/** Usage of about one second. */
export type UsageSecond = {
  /** Time of the write, milliseconds since 1970. */
  readonly time: number
  readonly totals: Part
  /** Most requests first; rows beyond the limit are only in the totals. */
  readonly parts: readonly (Sums &
    Pick<FlushedRow, 'keyId' | 'face' | 'network' | 'method' | 'outcome' | 'reason' | 'status'>)[]
}

export type UsageFeed = {
  /**
   * Yields each second with usage, until `signal` aborts. A slow subscriber misses the oldest. Throws `overloaded` if there are too
   * many subscribers.
   */
  follow(scope: UsageScope, signal: AbortSignal): AsyncIterable<UsageSecond>
}

const readersMax = 100
const partsMax = 100
/** Maximum number of unread seconds per subscriber. */
const queuedMax = 10

export function createUsageFeed(parts: {
  readonly usage: Pick<Usage, 'onFlush'>
  readonly clock: Clock
  readonly readersMax?: number
}): UsageFeed {
  const { usage, clock } = parts
  const most = parts.readersMax ?? readersMax
  let readers = 0
  let written: readonly FlushedRow[] | null = null
  // Sums of `written` by holder: subscribers of the same holder share one.
  let seconds = new Map<string, UsageSecond | null>()

  function secondFor(rows: readonly FlushedRow[], scope: UsageScope): UsageSecond | null {
    if (rows !== written) seconds = new Map()
    written = rows
    const holder = holderOf(scope)
    const known = seconds.get(holder)
    if (known !== undefined) return known
    const second = secondOf(rows, scope, clock.now())
    seconds.set(holder, second)
    return second
  }

  return {
    follow(scope, signal) {
      if (readers >= most)
        throw new Fault('overloaded', { detail: `${most} clients already follow the usage` })
      readers++
      const queue: UsageSecond[] = []
      let wake = (): void => {}
      const unsubscribe = usage.onFlush((rows) => {
        const second = secondFor(rows, scope)
        if (second === null) return
        if (queue.length >= queuedMax) queue.shift()
        queue.push(second)
        wake()
      })
      let open = true
      const close = (): void => {
        if (!open) return
        open = false
        readers--
        unsubscribe()
        wake()
      }
      if (signal.aborted) close()
      else signal.addEventListener('abort', close, { once: true })

      async function* seconds(): AsyncGenerator<UsageSecond> {
        try {
          while (open) {
            const next = queue.shift()
            if (next !== undefined) yield next
            else await new Promise<void>((resolve) => (wake = resolve))
          }
        } finally {
          close()
        }
      }
      return seconds()
    },
  }
}

/** Null: no usage in this scope. */
function secondOf(
  rows: readonly FlushedRow[],
  scope: UsageScope,
  time: number,
): UsageSecond | null {
  const totals = new Tally()
  const named = new Tallies<Omit<UsageSecond['parts'][number], keyof Sums>>()
  for (const row of rows) {
    if (!isOf(scope, row)) continue
    const sums = { ...row, failed: row.outcome === 'ok' ? 0 : row.requests }
    totals.add(sums)
    if (row.latency !== null) totals.addLatency(row.latency)
    const { keyId, face, network, method, outcome, reason, status } = row
    const name = [keyId, face, network, method, outcome, reason, status].join('\n')
    named.of(name, { keyId, face, network, method, outcome, reason, status }).add(sums)
  }
  if (totals.requests === 0) return null
  const shown = named.sorted().slice(0, partsMax)
  return {
    time,
    totals: totals.part(),
    parts: shown.map((part) => ({ ...part.named, ...part.tally.sums() })),
  }
}

// Usage second by second, for who looks at it now: what each flush wrote, of one key, of an account or of all. It costs
// calls nothing, and nothing at all while nobody looks.
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { holderOf, isOf, type UsageScope } from './usage-collecting.ts'
import type { FlushedRow } from './usage-row.ts'
import { type Part, type Sums, Tallies, Tally } from './usage-sums.ts'
import type { Usage } from './usage.ts'

/** What was used in about a second. */
export type UsageSecond = {
  /** When it was written, milliseconds since 1970. */
  readonly time: number
  readonly totals: Part
  /** Most requests first; what does not fit is in the totals alone. */
  readonly parts: readonly (Sums &
    Pick<FlushedRow, 'keyId' | 'face' | 'network' | 'method' | 'outcome' | 'reason' | 'status'>)[]
}

export type UsageFeed = {
  /**
   * Seconds in which something was used, until `signal` aborts. A reader that is slow misses the oldest. Throws
   * `overloaded` when too many look already.
   */
  follow(scope: UsageScope, signal: AbortSignal): AsyncIterable<UsageSecond>
}

const readersMax = 100
const partsMax = 100
/** Seconds that wait for a slow reader. */
const waitingMax = 10

export function createUsageFeed(parts: {
  readonly usage: Pick<Usage, 'onFlush'>
  readonly clock: Clock
  readonly readersMax?: number
}): UsageFeed {
  const { usage, clock } = parts
  const most = parts.readersMax ?? readersMax
  let readers = 0
  let written: readonly FlushedRow[] | null = null
  // Of `written`, by holder: who looks at the same is told by one sum.
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
        throw new Fault('overloaded', { detail: `${most} look at usage already` })
      readers++
      const waiting: UsageSecond[] = []
      let wake = (): void => {}
      const endListening = usage.onFlush((rows) => {
        const second = secondFor(rows, scope)
        if (second === null) return
        if (waiting.length >= waitingMax) waiting.shift()
        waiting.push(second)
        wake()
      })
      let open = true
      const close = (): void => {
        if (!open) return
        open = false
        readers--
        endListening()
        wake()
      }
      if (signal.aborted) close()
      else signal.addEventListener('abort', close, { once: true })

      async function* seconds(): AsyncGenerator<UsageSecond> {
        try {
          while (open) {
            const next = waiting.shift()
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

/** Null: nothing of it is in the scope. */
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

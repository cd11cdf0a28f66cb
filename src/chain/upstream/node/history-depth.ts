// The history depth of an upstream per kind of data, as found by probes and corrected by live replies.
import type { Clock } from '../../../base/clock.ts'

/**
 * `age`: blocks behind the head, both ends counted (0: only the newest). `from`: the lowest block number. `all`: from
 * genesis on. `none`: not even at the head. `unknown`: not probed.
 */
export type HistoryDepth =
  | 'unknown'
  | 'none'
  | 'all'
  | { readonly age: bigint }
  | { readonly from: bigint }

/** The kinds of block data. `state`: values; `proof`: the same with their proofs. */
export type DataKind = 'header' | 'body' | 'receipts' | 'state' | 'proof' | 'code'

/** The kinds that a probe checks. Every node stores headers; code has the depth of state. */
export type HistoryKind = 'body' | 'receipts' | 'state' | 'proof'
export const historyKinds: readonly HistoryKind[] = ['state', 'proof', 'body', 'receipts']

export type HistoryDepths = Readonly<Record<HistoryKind, HistoryDepth>>

export type HistoryBook = {
  /** Sets the results of the last probe and removes the corrections. */
  set(reaches: Partial<HistoryDepths>): void
  /** A live reply showed that the upstream lacks this data of that block. Valid for ten minutes. */
  lower(need: DataKind, number: bigint, head: bigint | null): void
  /** Whether the upstream has this data of block `number` (null: unknown number). */
  can(need: DataKind, number: bigint | null, head: bigint | null): 'yes' | 'no' | 'unknown'
  now(): HistoryDepths
}

/** Expires, because only one of several nodes behind the URL may lack the data. */
const loweredMs = 10 * 60_000

export function createHistoryBook(clock: Clock): HistoryBook {
  const probed: Record<HistoryKind, HistoryDepth> = {
    body: 'unknown',
    receipts: 'unknown',
    state: 'unknown',
    proof: 'unknown',
  }
  const lowered = new Map<HistoryKind, { readonly reach: HistoryDepth; readonly until: number }>()

  function reachOf(kind: HistoryKind): HistoryDepth {
    const live = lowered.get(kind)
    if (live !== undefined && live.until > clock.monotonic()) return live.reach
    return probed[kind]
  }

  return {
    set(reaches) {
      for (const kind of historyKinds) {
        const reach = reaches[kind]
        if (reach === undefined) continue
        probed[kind] = reach
        lowered.delete(kind)
      }
    },
    lower(need, number, head) {
      const kind = kindOf(need)
      if (kind === null) return
      const reach = loweredReach(kind, number, head)
      if (covers(reachOf(kind), number, head) === 'no') return
      lowered.set(kind, { reach, until: clock.monotonic() + loweredMs })
    },
    can(need, number, head) {
      const kind = kindOf(need)
      if (kind === null) return 'yes'
      const reach = reachOf(kind)
      if (reach === 'none') return 'no'
      return number === null ? (reach === 'all' ? 'yes' : 'unknown') : covers(reach, number, head)
    },
    now: () => ({
      body: reachOf('body'),
      receipts: reachOf('receipts'),
      state: reachOf('state'),
      proof: reachOf('proof'),
    }),
  }
}

function kindOf(need: DataKind): HistoryKind | null {
  if (need === 'header') return null
  return need === 'code' ? 'state' : need
}

/** State is stored for a window that moves with the head; bodies and receipts from a block number on. */
function loweredReach(kind: HistoryKind, number: bigint, head: bigint | null): HistoryDepth {
  if (kind === 'body' || kind === 'receipts' || head === null) return { from: number + 1n }
  return head > number ? { age: head - number - 1n } : 'none'
}

function covers(
  reach: HistoryDepth,
  number: bigint,
  head: bigint | null,
): 'yes' | 'no' | 'unknown' {
  if (reach === 'unknown') return 'unknown'
  if (reach === 'none') return 'no'
  // Above its head: the upstream may receive the block soon.
  if (head !== null && number > head) return 'unknown'
  if (reach === 'all') return 'yes'
  if ('from' in reach) return number >= reach.from ? 'yes' : 'no'
  if (head === null) return 'unknown'
  return head - number <= reach.age ? 'yes' : 'no'
}

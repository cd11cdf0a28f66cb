// Orders the upstreams for a request: able ones first, then by cost. The upstream used last stays first until another
// is clearly cheaper, which keeps its caches warm and prevents answers from jumping between nodes. If the answer cannot
// be proved, a trusted upstream comes before a cheaper one.
import type { Clock } from '../../../base/clock.ts'
import type { MethodClass } from '../node/method-policy.ts'
import type { DataKind } from '../node/history-depth.ts'
import type { Upstream } from '../node/upstream.ts'

export type UpstreamChoice = {
  readonly methodClass: MethodClass
  /** The kind of block data that the request needs; absent: every upstream can answer. */
  readonly need?: DataKind
  /** The block's number, or null when it is not known. */
  readonly number?: bigint | null
}

export type Choose = (choice: UpstreamChoice) => readonly Upstream[]

/** Another upstream becomes first if it costs less than this share of the current first one's cost. */
const stickyShare = 0.8

/** Time between trial calls when every upstream rests after failures. */
const wakeMs = 1_000

type Candidate = {
  readonly upstream: Upstream
  /** 0 for a trusted upstream, if trust matters. */
  readonly rank: number
  readonly tier: number
  readonly cost: number
}

/** Sticks to one upstream for each class of methods. */
export function createChoose(upstreams: readonly Upstream[], clock: Clock): Choose {
  const firsts = new Map<MethodClass, Upstream>()
  /** Earliest time of the next trial calls. */
  const wakeAt = new Map<MethodClass, number>()

  function findUsable(methodClass: MethodClass): readonly Upstream[] {
    const usable = upstreams.filter((one) => one.mayCall(methodClass))
    if (usable.length > 0) return usable
    // If every breaker is open, allow one trial call per upstream per second instead of failing all requests.
    const now = clock.monotonic()
    if (now < (wakeAt.get(methodClass) ?? 0)) return usable
    wakeAt.set(methodClass, now + wakeMs)
    for (const upstream of upstreams) upstream.wake(methodClass)
    return upstreams.filter((one) => one.mayCall(methodClass))
  }

  function candidate(upstream: Upstream, { methodClass, need, number }: UpstreamChoice): Candidate {
    const can = need === undefined ? 'yes' : upstream.can(need, number ?? null)
    const cost = upstream.cost(methodClass)
    return {
      upstream,
      rank: rankOf(can, upstream, methodClass),
      tier: tierOf(can, upstream),
      cost: firsts.get(methodClass) === upstream ? cost * stickyShare : cost,
    }
  }

  return (choice) => {
    const usable = findUsable(choice.methodClass)
    if (usable.length < 2) return usable
    const line = usable
      .map((one) => candidate(one, choice))
      .toSorted((a, b) => a.rank - b.rank || a.tier - b.tier || a.cost - b.cost)
    const able = line.filter(({ tier }) => tier < cannotTier)
    // If no upstream is known to have it, query one anyway, because the results of its probe may be outdated.
    const chosen = able.length > 0 ? able : line.slice(0, 1)
    const [first] = chosen
    // An upstream that is first only because the others lack the data does not become the first choice of later requests.
    if (first !== undefined && line.every(({ tier }) => tier === first.tier)) {
      firsts.set(choice.methodClass, first.upstream)
    }
    return chosen.map(({ upstream }) => upstream)
  }
}

const cannotTier = 4

/** Upstreams that still need canaries come after all others that may have the data. */
function tierOf(can: 'yes' | 'no' | 'unknown', upstream: Upstream): number {
  if (can === 'no') return cannotTier
  const owes = upstream.isProving ? 2 : 0
  return owes + (can === 'yes' ? 0 : 1)
}

/** Content is proved, so trust does not matter. */
function rankOf(
  can: 'yes' | 'no' | 'unknown',
  upstream: Upstream,
  methodClass: MethodClass,
): number {
  if (can === 'no') return cannotTier
  const owes = upstream.isProving ? 2 : 0
  return owes + (methodClass === 'content' || upstream.trusted ? 0 : 1)
}

// Whom to ask, best first: who can, then who costs least; the one asked last stays first until another is clearly
// better, so that its caches stay warm and answers do not jump between nodes. Where nobody proves the answer, a
// trusted one's word comes before that of a cheaper one.
import type { Clock } from '../../../base/clock.ts'
import type { MethodClass } from '../node/method-class.ts'
import type { DataKind } from '../node/history-depth.ts'
import type { Upstream } from '../node/upstream.ts'

export type UpstreamChoice = {
  readonly methodClass: MethodClass
  /** What is needed of a block; without it, anybody can. */
  readonly need?: DataKind
  /** The block's number, or null when it is not known. */
  readonly number?: bigint | null
}

export type Choose = (wanted: UpstreamChoice) => readonly Upstream[]

/** Another must cost less than this share of what the present first one costs. */
const stickyShare = 0.8

/** How often all that rest after failures are tried when nobody else is left. */
const wakeMs = 1_000

type Candidate = {
  readonly upstream: Upstream
  /** Whose word it is to be. */
  readonly rank: number
  readonly tier: number
  readonly cost: number
}

/** Sticks to one upstream for each class of methods. */
export function createChoose(upstreams: readonly Upstream[], clock: Clock): Choose {
  const firsts = new Map<MethodClass, Upstream>()
  /** When all that rest may be woken again. */
  const wakeAt = new Map<MethodClass, number>()

  function findUsable(methodClass: MethodClass): readonly Upstream[] {
    const usable = upstreams.filter((one) => one.mayCall(methodClass))
    if (usable.length > 0) return usable
    // To fail everybody for half a minute because all failed a moment ago is no better than to try one call each.
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

  return (wanted) => {
    const usable = findUsable(wanted.methodClass)
    if (usable.length < 2) return usable
    const line = usable
      .map((one) => candidate(one, wanted))
      .toSorted((a, b) => a.rank - b.rank || a.tier - b.tier || a.cost - b.cost)
    const able = line.filter(({ tier }) => tier < cannotTier)
    // Nobody said it could: then one of them is asked all the same, for what was found out may be old.
    const chosen = able.length > 0 ? able : line.slice(0, 1)
    const [first] = chosen
    // One that is first only because the others cannot do this does not become everybody's first by it.
    if (first !== undefined && line.every(({ tier }) => tier === first.tier)) {
      firsts.set(wanted.methodClass, first.upstream)
    }
    return chosen.map(({ upstream }) => upstream)
  }
}

const cannotTier = 4

/** Who still owes canaries comes after all others that may have it. */
function tierOf(can: 'yes' | 'no' | 'unknown', upstream: Upstream): number {
  if (can === 'no') return cannotTier
  const owes = upstream.isProving ? 2 : 0
  return owes + (can === 'yes' ? 0 : 1)
}

/** Content is proved, so whose it is says nothing. */
function rankOf(
  can: 'yes' | 'no' | 'unknown',
  upstream: Upstream,
  methodClass: MethodClass,
): number {
  if (can === 'no') return cannotTier
  const owes = upstream.isProving ? 2 : 0
  return owes + (methodClass === 'content' || upstream.trusted ? 0 : 1)
}

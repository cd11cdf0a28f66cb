// Combines the upstream status of the keeper and its workers: adds up invalid replies and calls, and takes all other values from
// the worst process.
// Tested by src/server/workers/join-statuses.test.ts
import { addCallCounts } from '../../chain/upstream/node/call-history.ts'
import type { UpstreamStatus } from '../../chain/upstream/node/upstream.ts'
import type { OpenNetworks } from '../open-networks.ts'

export type Statuses = ReturnType<OpenNetworks['statuses']>

/** The report of a worker about one upstream. */
export type WorkerUpstream = { readonly network: string } & Pick<
  UpstreamStatus,
  'name' | 'state' | 'leftMs' | 'p50Ms' | 'p95Ms' | 'successRate' | 'history' | 'lies'
>

export function reportOf(statuses: Statuses): readonly WorkerUpstream[] {
  return statuses.flatMap(({ network, status }) =>
    status.upstreams.map(({ name, state, leftMs, p50Ms, p95Ms, successRate, history, lies }) => {
      return { network, name, state, leftMs, p50Ms, p95Ms, successRate, history, lies }
    }),
  )
}

/** Omits upstreams that the keeper does not know, as right after a change of settings. */
export function joinStatuses(local: Statuses, reported: readonly WorkerUpstream[]): Statuses {
  if (reported.length === 0) return local
  return local.map((one) => {
    const upstreams = one.status.upstreams.map((upstream) =>
      reported
        .filter(({ network, name }) => network === one.network && name === upstream.name)
        .reduce(join, upstream),
    )
    return { ...one, status: { ...one.status, upstreams } }
  })
}

function join(one: UpstreamStatus, other: WorkerUpstream): UpstreamStatus {
  const isOther = one.state === 'ok' || other.state === 'quarantined'
  const isBoth = one.state === other.state
  return {
    ...one,
    state: isOther ? other.state : one.state,
    leftMs: isBoth ? slower(one.leftMs, other.leftMs) : isOther ? other.leftMs : one.leftMs,
    p50Ms: slower(one.p50Ms, other.p50Ms),
    p95Ms: slower(one.p95Ms, other.p95Ms),
    successRate: Math.min(one.successRate, other.successRate),
    history: addCallCounts(one.history, other.history),
    lies: one.lies + other.lies,
  }
}

function slower(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other)
}

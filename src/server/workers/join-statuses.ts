// The status of upstreams over the keeper and its workers: invalid replies are added, and of the rest the worst process counts.
// Tested by src/server/workers/join-statuses.test.ts
import type { UpstreamStatus } from '../../chain/upstream/node/upstream.ts'
import type { OpenNetworks } from '../open-networks.ts'

export type Statuses = ReturnType<OpenNetworks['statuses']>

/** What a worker reports of one upstream. */
export type WorkerUpstream = { readonly network: string } & Pick<
  UpstreamStatus,
  'name' | 'state' | 'p50Ms' | 'p95Ms' | 'successRate' | 'lies'
>

export function reportOf(statuses: Statuses): readonly WorkerUpstream[] {
  return statuses.flatMap(({ network, status }) =>
    status.upstreams.map(({ name, state, p50Ms, p95Ms, successRate, lies }) => {
      return { network, name, state, p50Ms, p95Ms, successRate, lies }
    }),
  )
}

/** Upstreams that the keeper does not know, of settings that just changed, are left out. */
export function joinStatuses(own: Statuses, reported: readonly WorkerUpstream[]): Statuses {
  if (reported.length === 0) return own
  return own.map((one) => {
    const upstreams = one.status.upstreams.map((upstream) =>
      reported
        .filter(({ network, name }) => network === one.network && name === upstream.name)
        .reduce(join, upstream),
    )
    return { ...one, status: { ...one.status, upstreams } }
  })
}

function join(one: UpstreamStatus, other: WorkerUpstream): UpstreamStatus {
  return {
    ...one,
    state: one.state === 'ok' || other.state === 'quarantined' ? other.state : one.state,
    p50Ms: slower(one.p50Ms, other.p50Ms),
    p95Ms: slower(one.p95Ms, other.p95Ms),
    successRate: Math.min(one.successRate, other.successRate),
    lies: one.lies + other.lies,
  }
}

function slower(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other)
}

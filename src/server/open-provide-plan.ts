// Opens the announcement plan. If several machines share a database, one of them announces for all, under a lease.
// Tested by src/server/open-provide-plan.test.ts
import { holdWhile, type Leases } from '../base/leases.ts'
import type { Rows } from '../db/rows.ts'
import type { ProvideParts, ProvidePlan, ProvideStat } from '../ipfs/network/provide-plan.ts'

export type OpenProvidePlan = {
  /** State of this machine and the rows: `done` and `failed` are 0 while another machine announces. */
  stat(): Promise<ProvideStat>
  /** False: another machine of a shared database announces, under its own peer ID. */
  readonly isRunning: boolean
  /** Resolves when no announcement is running. Call before the network stops. */
  stop(): Promise<void>
}

export type ProvidePlanParts = ProvideParts & {
  readonly leases: Leases
  /** `rows` that only the holder of the lease can write. */
  readonly fenced: (lease: string, token: bigint) => Rows
}

const lease = 'provide'

/** Loads the plan, for a server that announces. */
export async function openProvidePlan(parts: ProvidePlanParts): Promise<OpenProvidePlan> {
  const { leases, fenced, rows, settings, clock } = parts
  const [{ createProvidePlan }, { ProvideQueue }] = await Promise.all([
    import('../ipfs/network/provide-plan.ts'),
    import('../ipfs/network/provide-queue.ts'),
  ])
  const queue = new ProvideQueue(rows, settings, clock)
  let own: ProvidePlan | null = null
  const stop = holdWhile(leases, lease, (token) => {
    const plan = createProvidePlan({ ...parts, rows: fenced(lease, token) })
    own = plan
    return async () => {
      own = null
      await plan.stop()
    }
  })
  return {
    get isRunning() {
      return own !== null
    },
    stat: async () => (await own?.stat()) ?? { ...(await queue.counts()), done: 0, failed: 0 },
    stop,
  }
}

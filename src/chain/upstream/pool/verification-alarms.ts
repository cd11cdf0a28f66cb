// Checks that every upstream of a network failed. No upstream is blamed then: the chain uses other rules than the
// network's policy assumes.
// Tested by src/chain/upstream/pool/upstream-pool.test.ts
import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/log.ts'
import type { DataKind } from '../node/history-depth.ts'

export type VerificationAlarm = {
  readonly need: DataKind
  /** When it was first raised, milliseconds since 1970 UTC. */
  readonly since: number
}

export type VerificationAlarms = {
  raise(need: DataKind): void
  /** One upstream has passed the check. */
  clear(need: DataKind): void
  list(): readonly VerificationAlarm[]
}

/** Each is logged when it begins and when it ends. */
export function createVerificationAlarms(parts: {
  readonly network: string
  readonly clock: Clock
  readonly log: Log
}): VerificationAlarms {
  const { network, clock, log } = parts
  const raised = new Map<DataKind, number>()
  return {
    raise(need) {
      if (raised.has(need)) return
      raised.set(need, clock.now())
      log('error', 'network_not_provable', {
        network,
        need,
        fix: 'all upstreams fail: check the policy',
      })
    },
    clear(need) {
      if (raised.delete(need)) log('info', 'network_provable_again', { network, need })
    },
    list: () => [...raised].map(([need, since]) => ({ need, since })),
  }
}

// Counts a request that is refused before its body is read in the key's usage, and records it in the inspector.
// Tested by src/server/create-pipeline.test.ts
import type { Caller } from '../access/accounts/caller.ts'
import { filesOutcome, rpcOutcome } from '../access/usage/usage-row.ts'
import type { Clock } from '../base/clock.ts'
import type { Fault } from '../base/fault.ts'
import type { Network } from '../chain/network.ts'
import type { AuthenticateDeps, Credential } from './authenticate-request.ts'
import type { Inspector } from './inspector/inspector.ts'

export type RefusalDeps = {
  readonly authenticate: AuthenticateDeps['authenticate']
  /** Records requests of keys with `inspect`. */
  readonly inspector: Pick<Inspector, 'begin'>
  readonly clock: Pick<Clock, 'monotonic'>
}

/** Dependencies of authentication; refusals are recorded by the inspector and counted by `countRefused`. */
export function reportRefusals(
  { authenticate, inspector, clock }: RefusalDeps,
  countRefused: AuthenticateDeps['refused'],
): AuthenticateDeps {
  function inspectRefusal(
    caller: Caller,
    { network, credential }: { readonly network: Network | null; readonly credential: Credential },
    fault: Fault,
  ): void {
    const face = network === null ? 'files' : 'rpc'
    const { status } = network === null ? filesOutcome(fault) : rpcOutcome(fault)
    const where = { face, transport: 'http', network: network?.name ?? null } as const
    const inspection = inspector.begin(caller, { ...where, arrived: clock.monotonic(), credential })
    inspection.timeline.reached('auth', fault.code)
    inspection.end({ fault, status, bytesIn: 0, bytesOut: 0 })
  }

  return {
    authenticate,
    refused(caller, target, fault) {
      if (caller.settings.inspect) inspectRefusal(caller, target, fault)
      countRefused(caller, target, fault)
    },
  }
}

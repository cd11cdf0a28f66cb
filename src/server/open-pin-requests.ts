// Opens requests to pin content and their queue, which runs on one machine at a time of those that share the rows of pins. Also the
// other pinning services for `pin/remote`.
// Tested by test/files/psa.test.ts, test/files/remote-pins.test.ts
import type { Clock } from '../base/clock.ts'
import { createLocalLeases, holdWhile, type Leases } from '../base/leases.ts'
import type { Log } from '../base/log.ts'
import { createOutbound } from '../base/outbound.ts'
import type { Config } from '../config/settings.ts'
import type { Rows } from '../db/rows.ts'
import type { Files } from '../ipfs/files.ts'
import { createPinQueue, defaultPinQueueLimits } from '../ipfs/pins/pin-queue.ts'
import { createPinRequests, type PinRequests } from '../ipfs/pins/pin-requests.ts'
import { createPinRemotes } from '../kubo/remote-pins/pin-remotes.ts'
import { createPsaClient } from '../kubo/remote-pins/psa-client.ts'
import type { RemotePinDeps } from '../kubo/remote-pins/remote-command.ts'

export type OpenPinRequests = {
  readonly requests: PinRequests
  stop(): Promise<void>
}

/** Interval at which the queue checks for requests added by another machine. */
const sharedPollMs = 1000

/** `rows`: of pins. `leases`: of the machines that share them; null: only this machine uses them. */
export function openPinRequests(parts: {
  readonly rows: Rows
  readonly leases: Leases | null
  readonly filesOf: (accountId: string) => Pick<Files, 'pin'>
  readonly clock: Clock
  readonly log: Log
}): OpenPinRequests {
  const { rows, clock, log } = parts
  const limits =
    parts.leases === null
      ? defaultPinQueueLimits
      : { ...defaultPinQueueLimits, pollMs: sharedPollMs }
  const leases =
    parts.leases ??
    createLocalLeases((lease, error) => log('error', 'lease_failed', { lease, error }))
  const queue = createPinQueue({ rows, filesOf: parts.filesOf, clock, log, limits })
  return {
    requests: createPinRequests({ rows, clock, queued: queue.wake, removed: queue.abort }),
    stop: holdWhile(leases, 'pin-requests', queue.begin),
  }
}

/** `rows`: of accounts. `sealSecret`: unchanged for the life of the data folder; it encrypts tokens. */
export function openRemotePins(parts: {
  readonly rows: Rows
  readonly sealSecret: () => Uint8Array
  readonly settings: { readonly now: Pick<Config, 'files'> }
  readonly clock: Clock
}): Pick<RemotePinDeps, 'remotes' | 'client'> {
  const { settings, clock } = parts
  const anywhere = () => settings.now.files.remotePinsAnywhere
  return {
    remotes: createPinRemotes({ ...parts, anywhere }),
    client: createPsaClient(createOutbound({ clock, anywhere })),
  }
}

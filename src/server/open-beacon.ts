// Opens the light client of a network with `heads.trust: consensus`: its thread, its state in `cairn.db`, evidence in the log of
// invalid replies, and the source of its heads for the head follower. Loaded only for such networks.
// Tested by test/upstream/consensus-started.test.ts
import { fromHex } from '../base/hex.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Evidence } from '../beacon/light-client.ts'
import { startBeaconThread } from '../beacon/start-beacon-thread.ts'
import type { ConsensusWitness } from '../chain/upstream/head/consensus-source.ts'
import { createRedact } from '../chain/upstream/node/redact.ts'
import type { InvalidReplyLog } from '../chain/upstream/pool/invalid-reply-log.ts'
import type { UpstreamNetworkConfig } from '../config/network-config.ts'
import type { Rows } from '../db/rows.ts'
import { beaconSpecOf } from './beacon-spec-of.ts'
import { findLightClient, putLightClient } from '../tables/upstream/light-clients.ts'

export type OpenBeacon = {
  readonly witness: ConsensusWitness
  /** Signed headers since the start that contradict another signed header of their slot, or the finalized one. */
  readonly equivocations: number
  close(): Promise<void>
}

/** Blocks that a trusted upstream's head may be ahead of the signed one with `consensus+trusted`. */
const aheadMax = 3

/** Resolves before the first head is known. `rows`: the rows of this server. */
export async function openBeacon(
  { name: network, chainId, heads }: UpstreamNetworkConfig,
  parts: {
    readonly rows: Rows
    readonly ledger: InvalidReplyLog
    readonly clock: Clock
    readonly log: Log
  },
): Promise<OpenBeacon> {
  const { rows, ledger, clock, log } = parts
  const spec = beaconSpecOf({ chainId, heads })
  if (spec === null) throw new TypeError(`network ${network} has no beacon chain`)
  const redact = createRedact(
    heads.beacon.map((url) => new URL(url)),
    {},
  )

  let equivocations = 0

  function note({ endpoint, request, rule, data }: Evidence): void {
    if (rule === 'equivocation' || rule === 'finality') {
      equivocations += 1
      log('error', 'sync_committee_equivocation', { network, endpoint, rule })
    }
    const evidence = {
      method: `light_client/${request}`,
      params: [],
      response: data,
      expected: `the rule ${rule}`,
      computed: 'broken',
      blockHash: null,
    }
    ledger.add(`beacon ${endpoint}`, evidence, redact)
  }

  const { checkpoint, beacon: endpoints } = heads
  const thread = startBeaconThread(
    {
      spec,
      checkpoint: checkpoint === null ? null : fromHex(checkpoint),
      saved: await rows.first(findLightClient(network)),
      endpoints,
    },
    {
      network,
      onStore: (saved) =>
        void rows
          .write([putLightClient({ network, ...saved, saved: clock.now() })])
          .catch((error: unknown) => log('error', 'light_client_not_saved', { network, error })),
      onEvidence: note,
      clock,
      log,
    },
  )
  const witness: ConsensusWitness = {
    members: spec.committeeSize,
    aheadMax: heads.trust === 'consensus+trusted' ? aheadMax : 0,
    head() {
      const { state, latest, finalized } = thread.status
      if (state === 'stopped' || state === 'stale' || latest === null || finalized === null)
        return null
      // A checkpoint has no signers. It is not served until a committee has signed a block above it.
      if (latest.signers === 0 || finalized.signers === 0) return null
      if (thread.ageMs() > heads.maxAgeMs) return null
      const block = ({ blockHash, signers }: typeof latest) => ({ hash: blockHash, signers })
      return { latest: block(latest), finalized: block(finalized) }
    },
    ageMs: () => thread.ageMs(),
    refusal: () => (thread.status.state === 'stopped' ? thread.status.reason : null),
    reason: () => thread.status.reason ?? 'the newest signed block is older than heads.maxAgeMs',
    watch: (listener) => thread.watch(listener),
  }
  return {
    witness,
    get equivocations() {
      return equivocations
    },
    close: () => thread.close(),
  }
}

// Heads by consensus: do the beacon nodes send light client data, is the checkpoint recent enough, and does this machine's clock
// agree with the chain?
// Tested by src/cli/doctor/beacon-checks.test.ts
import { problem, warning, type Problem } from '../../server/network-checks/problem.ts'
import { showAge } from '../../server/network-checks/upstream-checks.ts'
import type { QueriedBeacon } from '../query-beacon.ts'

const dayMs = 86_400_000
/** Same limit as in src/beacon/light-client.ts. */
const ageDaysMax = 14
const staleMs = 300_000
/** A header is signed one slot after its own: a newer header means that the local clock is behind. */
const aheadMs = 2_000

export function* checkBeacon(queried: readonly QueriedBeacon[]): Generator<Problem> {
  for (const one of queried) {
    yield* checkCheckpoint(one)
    for (const { name, failure, ageMs } of one.endpoints) {
      const endpoint = `${one.network}: beacon node ${name}`
      if (failure !== null) {
        yield problem(
          'beacon_no_data',
          `${endpoint} sends no light client data: ${failure}`,
          `curl -s <URL of ${name}>/eth/v1/beacon/light_client/finality_update`,
        )
      } else if (ageMs !== null && ageMs < -aheadMs) {
        const seconds = Math.round(-ageMs / 1000)
        yield problem(
          'beacon_clock',
          `${endpoint} has a header ${seconds} s in the future: the clock of this machine is wrong, or the node is false`,
          'timedatectl set-ntp true',
        )
      } else if (ageMs !== null && ageMs > staleMs) {
        const age = showAge(Math.round(ageMs / 1000))
        yield warning(
          'beacon_stale',
          `${endpoint}: its newest header is ${age} old`,
          'check that the beacon node is synchronized, or add another one to heads.beacon',
        )
      }
    }
  }
}

function* checkCheckpoint(queried: QueriedBeacon): Generator<Problem> {
  const { network, hasCheckpoint, checkpointAgeMs, saved, endpoints } = queried
  // A stored state replaces the checkpoint; the server checks its age.
  if (saved !== null) return
  const fix = 'take a block root from a source you trust, compare two, and set heads.checkpoint'
  if (!hasCheckpoint) {
    yield problem('beacon_no_checkpoint', `${network}: the light client has no checkpoint`, fix)
  } else if (checkpointAgeMs === null) {
    if (endpoints.every(({ failure }) => failure !== null)) return
    yield problem(
      'beacon_checkpoint_unknown',
      `${network}: no beacon node has heads.checkpoint`,
      fix,
    )
  } else if (checkpointAgeMs > ageDaysMax * dayMs) {
    const days = Math.floor(checkpointAgeMs / dayMs)
    yield problem(
      'beacon_checkpoint_old',
      `${network}: the checkpoint is ${days} days old, and the limit is ${ageDaysMax} days`,
      fix,
    )
  }
}

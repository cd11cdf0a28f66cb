// Why a network has no head, as a fault for clients.
// Tested by src/chain/upstream/head/head-follower.test.ts
import { Fault } from '../../../base/fault.ts'
import type { ConsensusWitness } from './consensus-source.ts'
import type { HeadSettings } from './head-settings.ts'

export function missingHead({
  network,
  settings,
  consensus,
  hasVotes,
}: {
  readonly network: string
  readonly settings: HeadSettings
  readonly consensus?: ConsensusWitness | undefined
  /** True if an upstream currently reports a head. */
  readonly hasVotes: boolean
}): Fault {
  if (consensus !== undefined && settings.consensusRequired === true) {
    const detail = `no head of ${network} by consensus, and heads.require requires it: ${consensus.reason()}`
    return new Fault('unverified', { detail })
  }
  if (!hasVotes) return new Fault('no_upstream', { detail: `no source reachable for ${network}` })
  const detail =
    `fewer than ${settings.quorum} sources agree on the head of ${network}: ` +
    `${settings.quorumRequired ? 'heads.require requires it; ' : ''}` +
    'mark a source trusted: true or add more upstreams'
  return new Fault('unverified', { detail })
}

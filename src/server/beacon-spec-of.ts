// The beacon chain of a network: constants of the settings, otherwise of the known networks.
// Tested by test/upstream/consensus-started.test.ts
import { fromHex } from '../base/hex.ts'
import { type BeaconSpec, findBeaconSpec } from '../beacon/spec.ts'
import type { UpstreamNetworkConfig } from '../config/network-config.ts'

/** Null: unknown. */
export function beaconSpecOf({
  chainId,
  heads: { beaconSpec },
}: Pick<UpstreamNetworkConfig, 'chainId' | 'heads'>): BeaconSpec | null {
  if (beaconSpec === null) return findBeaconSpec(chainId)
  return {
    ...beaconSpec,
    genesisValidatorsRoot: fromHex(beaconSpec.genesisValidatorsRoot),
    forks: beaconSpec.forks.map((fork) => ({ ...fork, version: fromHex(fork.version) })),
  }
}

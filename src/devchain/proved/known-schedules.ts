// The fork schedules of Ethereum's public networks, in the form of a geth genesis file.
// Tested by src/devchain/proved/fork-schedule.test.ts
import { findKnownNetwork, genesisConfigOf } from '../../base/known-networks.ts'
import type { GenesisConfig } from '../genesis.ts'

/** By fork (EIP-7840). Source: go-ethereum params/config.go. */
const blobSchedule = {
  cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
  prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
  osaka: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
  bpo1: { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193 },
  bpo2: { target: 14, max: 21, baseFeeUpdateFraction: 11_684_671 },
}

/** Null for a chain ID that Cairn does not know, and for chains whose EVM has rules of its own. */
export function findKnownSchedule(chainId: bigint): GenesisConfig | null {
  const network = findKnownNetwork(chainId)
  if (network?.rules !== 'ethereum') return null
  return { chainId: Number(chainId), ...genesisConfigOf(network), blobSchedule }
}

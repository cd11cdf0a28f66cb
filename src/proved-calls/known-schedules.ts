// Fork schedules of public networks, in the format of geth's genesis file, or op-geth's for the OP Stack.
// Tested by src/proved-calls/fork-schedule.test.ts
import type { KnownNetwork } from '../base/known-network.ts'
import { findKnownNetwork, genesisConfigOf } from '../base/known-networks.ts'
import type { GenesisConfig } from '../evm/genesis.ts'
import { isOpConfig, opSupportedUntil } from '../evm/op-config.ts'

/** By fork (EIP-7840). Source: go-ethereum params/config.go. */
const blobSchedule = {
  cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
  prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
  osaka: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
  bpo1: { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193 },
  bpo2: { target: 14, max: 21, baseFeeUpdateFraction: 11_684_671 },
}

/** Forks of the OP Stack that are not part of fork IDs, because they do not change the EVM. */
const withoutForkId: ReadonlySet<string> = new Set(['delta', 'pectraBlobSchedule'])

/** Null for an unknown chain ID, and for chains with their own EVM rules. */
export function findKnownSchedule(chainId: bigint): GenesisConfig | null {
  const network = findKnownNetwork(chainId)
  if (network === null || network.rules === 'none') return null
  const config = { chainId: Number(chainId), ...genesisConfigOf(network), blobSchedule }
  return network.rules === 'op' ? { ...config, ...opMembersOf(network) } : config
}

/** True if Cairn supports the EVM rules of blocks with this timestamp (seconds). */
export function hasCallRules(chainId: bigint, timestamp: bigint): boolean {
  const config = findKnownSchedule(chainId)
  if (config === null) return false
  const supportedUntil = isOpConfig(config) ? opSupportedUntil(config) : null
  return supportedUntil === null || timestamp < supportedUntil
}

function opMembersOf({
  forks,
  listsFrom,
  chainId,
}: KnownNetwork): Readonly<Record<string, unknown>> {
  const times = forks.flatMap((fork) =>
    'time' in fork && !withoutForkId.has(fork.name)
      ? [[`${fork.name}Time`, Number(fork.time)] as const]
      : [],
  )
  return {
    optimism: {},
    ...Object.fromEntries(times),
    ...(chainId === opMainnet && bedrockOf(Number(listsFrom))),
  }
}

const opMainnet = 10n

/** Fork blocks of OP Mainnet, which started before Bedrock. Source: op-geth params/superchain.go. */
function bedrockOf(block: number): Readonly<Record<string, number>> {
  const names = ['london', 'arrowGlacier', 'grayGlacier', 'mergeNetsplit', 'bedrock']
  return {
    berlinBlock: 3_950_000,
    ...Object.fromEntries(names.map((name) => [`${name}Block`, block])),
  }
}

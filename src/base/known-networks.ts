// Lookups in the table of known networks. Its facts cannot be proved: no block commits to them.
// Tested by src/base/known-networks.test.ts
import type { BlobFractions, ForkSchedule, KnownNetwork } from './known-network.ts'
import { networkTable } from './network-table.ts'

const byChainId: ReadonlyMap<bigint, KnownNetwork> = new Map(
  networkTable.map((network) => [network.chainId, network]),
)

/** Null for an unknown chain ID. */
export function findKnownNetwork(chainId: bigint): KnownNetwork | null {
  return byChainId.get(chainId) ?? null
}

/** By its name or an alias. Null for any other name. */
export function findNetworkNamed(name: string): KnownNetwork | null {
  return (
    networkTable.find((network) => network.name === name || network.aliases.includes(name)) ?? null
  )
}

/** The fraction at a block time (seconds); null if it is unknown, or before blobs existed. */
export function blobFractionAt(fractions: BlobFractions, timestamp: bigint): bigint | null {
  return fractions.find(({ from }) => timestamp >= from)?.fraction ?? null
}

/** True if the schedule contains the fork and its time (seconds) has come. Forks by block number count as active. */
export function isForkActive(forks: ForkSchedule, name: string, timestamp: bigint): boolean {
  return forks.some((fork) => fork.name === name && (!('time' in fork) || fork.time <= timestamp))
}

/** Forks of the OP Stack and of Base that activate a fork of Ethereum in the EVM (specs.optimism.io). */
const evmForks: Readonly<Record<string, string | undefined>> = {
  canyon: 'shanghai',
  ecotone: 'cancun',
  isthmus: 'prague',
  karst: 'osaka',
}

/**
 * `config` of a geth genesis file, from which `@ethereumjs/common` creates its rules (createCommonFromGethGenesis): chain ID and
 * forks, without `blobSchedule` and without rules that Ethereum does not have. Null if the rules are unknown.
 */
export function genesisConfigOf(network: KnownNetwork): Readonly<Record<string, unknown>> | null {
  if (network.rules === 'none') return null
  const isOp = network.rules === 'op'
  const forks: ForkSchedule = isOp
    ? [
        ...blockForks.map((name) => ({ name, block: 0n })),
        ...network.forks.flatMap((fork) => {
          const name = evmForks[fork.name]
          return name === undefined ? [] : [{ ...fork, name }]
        }),
      ]
    : network.forks
  const members = forks.map((fork) =>
    'time' in fork
      ? [`${fork.name}Time`, Number(fork.time)]
      : [gethNames[fork.name] ?? `${fork.name}Block`, Number(fork.block)],
  )
  return {
    chainId: Number(network.chainId),
    ...Object.fromEntries(members),
    ...(network.chainId === 1n && { daoForkSupport: true }),
    terminalTotalDifficulty: 0,
    terminalTotalDifficultyPassed: true,
  }
}

/** Names in geth that are not `<fork>Block`. For the merge, geth has only a netsplit block. */
const gethNames: Readonly<Record<string, string | undefined>> = {
  dao: 'daoForkBlock',
  tangerineWhistle: 'eip150Block',
  spuriousDragon: 'eip158Block',
  paris: 'mergeNetsplitBlock',
}

/** Forks of Ethereum by block number. */
const blockForks: readonly string[] = [
  'homestead',
  'tangerineWhistle',
  'eip155',
  'spuriousDragon',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'muirGlacier',
  'berlin',
  'london',
  'arrowGlacier',
  'grayGlacier',
]

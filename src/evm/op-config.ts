// Reads the `config` of an op-geth genesis file: forks of the OP Stack that change the EVM.
// Tested by src/proved-calls/fork-schedule.test.ts
import type { GenesisConfig } from './genesis.ts'

const forks = ['fjord', 'granite', 'isthmus', 'jovian'] as const
export type OpFork = (typeof forks)[number]

/** Oldest first; `forks` are those that change precompiles. */
const forkNames = [
  'regolith',
  'canyon',
  'ecotone',
  'fjord',
  'granite',
  'holocene',
  'isthmus',
  'jovian',
]
/** Forks of Ethereum that are activated together with forks of the OP Stack. */
const ethereumForks = ['shanghai', 'cancun', 'prague']
const supported: ReadonlySet<string> = new Set(
  [...forkNames, ...ethereumForks].map((fork) => `${fork}Time`),
)

/** True for the `config` of an op-geth genesis file. */
export function isOpConfig(config: GenesisConfig): boolean {
  return typeof config['optimism'] === 'object' && config['optimism'] !== null
}

/** Start (seconds) of the first fork whose EVM Cairn does not support; null: there is none. */
export function opSupportedUntil(config: GenesisConfig): bigint | null {
  const times = Object.entries(config).flatMap(([name, time]) =>
    name.endsWith('Time') && typeof time === 'number' && !supported.has(name) ? [time] : [],
  )
  return times.length === 0 ? null : BigInt(Math.min(...times))
}

/** The last fork of `forks` that is active at a block time (seconds); null: none. */
export function opForkAt(config: GenesisConfig, timestamp: bigint): OpFork | null {
  return forks.findLast((fork) => isActive(config, fork, timestamp)) ?? null
}

/** The last fork of the OP Stack that is active at a block time (seconds); null: none. */
export function nameOpFork(config: GenesisConfig, timestamp: bigint): string | null {
  return forkNames.findLast((fork) => isActive(config, fork, timestamp)) ?? null
}

function isActive(config: GenesisConfig, fork: string, timestamp: bigint): boolean {
  const from = config[`${fork}Time`]
  return typeof from === 'number' && BigInt(from) <= timestamp
}

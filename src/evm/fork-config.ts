// Configuration of each fork of a genesis for eth_config (EIP-7910): blob limits, precompiles, system contracts and fork ID
// (EIP-2124, EIP-6122).
import { crc32 } from 'node:zlib'
import type { ForkConfig, ForkConfigs } from '../chain/fork-configs.ts'
import { blobScheduleAt } from './blob-schedule.ts'
import type { Genesis, GenesisConfig } from './genesis.ts'
import { mainnetDepositContract, systemContracts } from './system-contracts.ts'

/** By the fork that added them; names from EIP-7910. */
const precompiles: readonly (readonly [fork: string | null, name: string, address: number])[] = [
  [null, 'ECREC', 0x01],
  [null, 'SHA256', 0x02],
  [null, 'RIPEMD160', 0x03],
  [null, 'ID', 0x04],
  [null, 'MODEXP', 0x05],
  [null, 'BN254_ADD', 0x06],
  [null, 'BN254_MUL', 0x07],
  [null, 'BN254_PAIRING', 0x08],
  [null, 'BLAKE2F', 0x09],
  ['cancun', 'KZG_POINT_EVALUATION', 0x0a],
  ['prague', 'BLS12_G1ADD', 0x0b],
  ['prague', 'BLS12_G1MSM', 0x0c],
  ['prague', 'BLS12_G2ADD', 0x0d],
  ['prague', 'BLS12_G2MSM', 0x0e],
  ['prague', 'BLS12_PAIRING_CHECK', 0x0f],
  ['prague', 'BLS12_MAP_FP_TO_G1', 0x10],
  ['prague', 'BLS12_MAP_FP2_TO_G2', 0x11],
  ['osaka', 'P256VERIFY', 0x100],
]

const contractNames: readonly (readonly [eip: number, fork: string, name: string])[] = [
  [4788, 'cancun', 'BEACON_ROOTS_ADDRESS'],
  [7251, 'prague', 'CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS'],
  [2935, 'prague', 'HISTORY_STORAGE_ADDRESS'],
  [7002, 'prague', 'WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS'],
]

/** `genesisHash`: of block 0. `timestamp`: of the newest block, seconds. Forks by block number count as active. */
export function forkConfigs(
  genesis: Genesis,
  genesisHash: Uint8Array,
  timestamp: bigint,
): ForkConfigs {
  const times = numbersOf(genesis.config, 'Time')
  const started = times.filter((time) => BigInt(time) <= timestamp)
  const upcoming = times.filter((time) => BigInt(time) > timestamp)
  const at = (time: number) => configAt(genesis, genesisHash, time)
  const [next] = upcoming
  const last = upcoming.at(-1)
  return {
    current: at(started.at(-1) ?? 0),
    next: next === undefined ? null : at(next),
    last: last === undefined ? null : at(last),
  }
}

function configAt(genesis: Genesis, genesisHash: Uint8Array, time: number): ForkConfig {
  const { config } = genesis
  const isActive = (fork: string) => {
    const from = config[`${fork}Time`]
    return typeof from === 'number' && from <= time
  }
  return {
    activationTime: time,
    blobSchedule: blobScheduleAt(config, BigInt(time)),
    forkId: forkIdAt(config, genesis.timestamp, genesisHash, time),
    precompiles: Object.fromEntries(
      precompiles
        .filter(([fork]) => fork === null || isActive(fork))
        .map(([, name, address]) => [name, `0x${address.toString(16).padStart(40, '0')}`]),
    ),
    systemContracts: Object.fromEntries(contractsAt(config, isActive)),
  }
}

function contractsAt(
  config: GenesisConfig,
  isActive: (fork: string) => boolean,
): readonly (readonly [string, string])[] {
  const fixed = contractNames.flatMap(([eip, fork, name]) => {
    const contract = systemContracts.find((it) => it.eip === eip)
    return contract === undefined || !isActive(fork) ? [] : [[name, contract.address] as const]
  })
  if (!isActive('prague')) return fixed
  const configured = config['depositContractAddress']
  const deposit = typeof configured === 'string' ? configured.toLowerCase() : mainnetDepositContract
  return [...fixed, ['DEPOSIT_CONTRACT_ADDRESS', deposit]]
}

/**
 * CRC-32 over the genesis hash and each fork active at `time`, except those active at genesis (EIP-2124, EIP-6122).
 * `genesisTime`: of block 0, seconds.
 */
export function forkIdAt(
  config: GenesisConfig,
  genesisTime: bigint,
  genesisHash: Uint8Array,
  time: number,
): Uint8Array {
  const blocks = numbersOf(config, 'Block').filter((block) => block > 0)
  const times = numbersOf(config, 'Time').filter(
    (fork) => BigInt(fork) > genesisTime && fork <= time,
  )
  const bytes = Buffer.alloc(8)
  let sum = crc32(genesisHash)
  for (const fork of [...blocks, ...times]) {
    bytes.writeBigUInt64BE(BigInt(fork))
    sum = crc32(bytes, sum)
  }
  const id = Buffer.alloc(4)
  id.writeUInt32BE(sum)
  return new Uint8Array(id)
}

/** Distinct blocks or times at which forks start, ascending. */
function numbersOf(config: GenesisConfig, ending: 'Block' | 'Time'): readonly number[] {
  const starts = Object.entries(config).flatMap(([name, start]) =>
    name.endsWith(ending) && typeof start === 'number' ? [start] : [],
  )
  return [...new Set(starts)].toSorted((a, b) => a - b)
}

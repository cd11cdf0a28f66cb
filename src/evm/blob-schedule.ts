// Blob parameters that apply at a block time (EIP-7840, EIP-7892), read from a geth fork schedule.
import type { FeeRules } from '../chain/fee-rules.ts'
import type { GenesisConfig } from './genesis.ts'

/** In blobs, except the fraction. A member is NaN if the schedule lacks it. */
export type BlobSchedule = {
  readonly target: number
  readonly max: number
  readonly baseFeeUpdateFraction: number
}

/** Null before Cancun. `timestamp`: a block's time, seconds. */
export function blobScheduleAt(config: GenesisConfig, timestamp: bigint): BlobSchedule | null {
  const schedule = config['blobSchedule']
  if (typeof schedule !== 'object' || schedule === null) return null
  let from = -1n
  let found: BlobSchedule | null = null
  for (const [fork, entry] of Object.entries(schedule)) {
    const time = config[`${fork}Time`]
    // Forks with the same time are listed in order: the later one applies.
    if (typeof time !== 'number' || BigInt(time) > timestamp || BigInt(time) < from) continue
    const limits = entry as Readonly<Record<string, unknown>> | null
    if (typeof limits?.['baseFeeUpdateFraction'] !== 'number') continue
    from = BigInt(time)
    found = {
      target: Number(limits['target']),
      max: Number(limits['max']),
      baseFeeUpdateFraction: limits['baseFeeUpdateFraction'],
    }
  }
  return found
}

/** Null before Cancun. `timestamp`: a block's time, seconds. */
export function blobFeeFraction(config: GenesisConfig, timestamp: bigint): bigint | null {
  const found = blobScheduleAt(config, timestamp)
  return found === null ? null : BigInt(found.baseFeeUpdateFraction)
}

/** `timestamp`: a block's time, seconds. */
export function feeRulesAt(config: GenesisConfig, timestamp: bigint): FeeRules {
  const found = blobScheduleAt(config, timestamp)
  if (found === null || !Number.isSafeInteger(found.target + found.max)) return { blobs: null }
  const osaka = config['osakaTime']
  return {
    blobs: {
      fraction: BigInt(found.baseFeeUpdateFraction),
      target: BigInt(found.target),
      max: BigInt(found.max),
      reserve: typeof osaka === 'number' && BigInt(osaka) <= timestamp,
    },
  }
}

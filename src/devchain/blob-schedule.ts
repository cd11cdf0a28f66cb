// Which blob base fee update fraction is in force when (EIP-7840, EIP-7892), out of a geth fork schedule.
import type { GenesisConfig } from './genesis.ts'

/** Null before Cancun. `timestamp`: a block's time, seconds. */
export function blobFeeFraction(config: GenesisConfig, timestamp: bigint): bigint | null {
  const schedule = config['blobSchedule']
  if (typeof schedule !== 'object' || schedule === null) return null
  let from = -1n
  let fraction: bigint | null = null
  for (const [fork, entry] of Object.entries(schedule)) {
    const time = config[`${fork}Time`]
    const value = fractionOf(entry)
    // Forks of one time are listed in order; the later one counts.
    if (typeof time !== 'number' || value === null) continue
    if (BigInt(time) > timestamp || BigInt(time) < from) continue
    from = BigInt(time)
    fraction = value
  }
  return fraction
}

function fractionOf(entry: unknown): bigint | null {
  if (typeof entry !== 'object' || entry === null) return null
  const value = 'baseFeeUpdateFraction' in entry ? entry.baseFeeUpdateFraction : undefined
  return typeof value === 'number' ? BigInt(value) : null
}

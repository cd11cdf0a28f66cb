// The fork schedule for calls. No header commits to it, so it cannot be proved. It comes from the built-in table or from the
// genesis file in the settings, and must match the fork IDs that the upstreams report (EIP-7910). If this release lacks a fork,
// calls from that fork on are not proved.
// Tested by src/proved-calls/fork-schedule.test.ts
import type { Clock } from '../base/clock.ts'
import { Fault, hasCode } from '../base/fault.ts'
import { toHex } from '../base/hex.ts'
import type { Log } from '../base/log.ts'
import type { Relay } from '../chain/relay.ts'
import { forkIdAt } from '../evm/fork-config.ts'
import type { GenesisConfig } from '../evm/genesis.ts'

/** What Cairn knows of the forks of a network. */
export type Schedule = {
  readonly config: GenesisConfig
  /** Time of block 0, seconds. Forks up to this time are not part of fork IDs. */
  readonly genesisTime: bigint
  /** 32 bytes; null: fork IDs cannot be compared. */
  readonly genesisHash: Uint8Array | null
}

type ForkScheduleParts = Schedule & {
  readonly network: string
  readonly relay: Relay
  readonly clock: Clock
  readonly log: Log
}

export type ForkSchedule = {
  /** The `config` as JSON text, for a block with this timestamp (seconds). Throws `unprovable`. */
  configAt(timestamp: bigint): string | Promise<string>
}

/** Interval of the check. Forks are announced months ahead. */
const checkMs = 3_600_000
/** Interval after a failed check. */
const retryMs = 60_000
/** Calls share one check, so no single call aborts it; the time limits of upstreams end it. */
const unaborted = new AbortController().signal

export function createForkSchedule(parts: ForkScheduleParts): ForkSchedule {
  const { network, genesisHash, relay, clock, log } = parts
  const text = JSON.stringify(parts.config)
  /** Block time from which the upstreams report a fork that the schedule lacks; null: none reported. */
  let unsupportedFrom: bigint | null = null
  let checkedUntil = -1
  let pendingCheck: Promise<void> | null = null

  async function check(): Promise<void> {
    try {
      const { result } = await relay.call(
        { method: 'eth_config', params: [], class: 'read' },
        unaborted,
      )
      const previous = unsupportedFrom
      unsupportedFrom = findUnsupportedFork(parts, result)
      checkedUntil = clock.monotonic() + checkMs
      if (unsupportedFrom !== null && previous !== unsupportedFrom) {
        log('warn', 'chain.fork_unknown', { network, from: Number(unsupportedFrom) })
      }
    } catch (error) {
      // If the node lacks the method, the schedule applies unchecked.
      const isUnsupported = hasCode(error, 'no_method') || hasCode(error, 'upstream_said')
      checkedUntil = clock.monotonic() + (isUnsupported ? checkMs : retryMs)
    }
  }

  function configFor(timestamp: bigint): string {
    if (unsupportedFrom === null || timestamp < unsupportedFrom) return text
    const detail = `the upstreams of ${network} have a fork from ${unsupportedFrom} on that Cairn does not know`
    throw new Fault('unprovable', { detail })
  }

  return {
    configAt(timestamp) {
      if (genesisHash === null || clock.monotonic() < checkedUntil) return configFor(timestamp)
      pendingCheck ??= check().finally(() => (pendingCheck = null))
      return pendingCheck.then(() => configFor(timestamp))
    },
  }
}

/**
 * The total difficulty activated the merge, not a block, so fork IDs have no block for it. Sepolia is an exception: geth's
 * configuration has a later block, at which nodes without the merge left the network.
 */
function toForkIdConfig({ mergeNetsplitBlock, ...config }: GenesisConfig): GenesisConfig {
  if (config.chainId === 1) return config
  const block = config.chainId === 11_155_111 ? 1_735_371 : mergeNetsplitBlock
  return { ...config, mergeNetsplitBlock: block }
}

/**
 * The block time from which the result of eth_config names a fork that the schedule lacks; null if it names none. Members of another
 * shape name none.
 */
export function findUnsupportedFork(
  { config, genesisTime, genesisHash }: Schedule,
  result: unknown,
): bigint | null {
  if (genesisHash === null) return null
  const forkIdConfig = toForkIdConfig(config)
  const { current, next, last } = result as Record<string, unknown>
  for (const fork of [current, next, last]) {
    const { activationTime, forkId } = (fork ?? {}) as Record<string, unknown>
    if (typeof activationTime !== 'number' || typeof forkId !== 'string') continue
    if (!Number.isSafeInteger(activationTime)) continue
    const expectedId = forkIdAt(forkIdConfig, genesisTime, genesisHash, activationTime)
    if (toHex(expectedId) !== forkId.toLowerCase()) return BigInt(activationTime)
  }
  return null
}

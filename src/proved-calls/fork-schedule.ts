// Which fork schedule a call may rely on: nothing in a header commits to it. It comes from the table or the genesis file of
// the settings, and it must agree with the fork IDs that the upstreams report (EIP-7910). A release that lacks a fork
// degrades to unproved calls.
// Tested by src/proved-calls/fork-schedule.test.ts
import type { Clock } from '../base/clock.ts'
import { Fault, hasCode } from '../base/fault.ts'
import { toHex } from '../base/hex.ts'
import type { Log } from '../base/log.ts'
import type { Relay } from '../chain/relay.ts'
import { forkIdAt } from '../evm/fork-config.ts'
import type { GenesisConfig } from '../evm/genesis.ts'

export type ForkScheduleParts = {
  readonly network: string
  readonly config: GenesisConfig
  /** Of block 0, seconds; forks up to it do not count in fork IDs. */
  readonly genesisTime: bigint
  /** 32 bytes; null: fork IDs cannot be compared. */
  readonly genesisHash: Uint8Array | null
  readonly relay: Relay
  readonly clock: Clock
  readonly log: Log
}

export type ForkSchedule = {
  /** The `config` as JSON text, for a block of that time (seconds). Throws `unprovable`. */
  configAt(timestamp: bigint): string | Promise<string>
}

/** A fork is announced months before. */
const checkMs = 3_600_000
/** After a check without an answer. */
const retryMs = 60_000
/** Calls that wait for the check share it; the upstreams' time limits end it. */
const unaborted = new AbortController().signal

export function createForkSchedule(parts: ForkScheduleParts): ForkSchedule {
  const { network, genesisHash, relay, clock, log } = parts
  const text = JSON.stringify(parts.config)
  const forkIdConfig = toForkIdConfig(parts.config)
  /** From this block time on the upstreams have other rules; null: not as far as they report. */
  let unsupportedFrom: bigint | null = null
  let checkedUntil = -1
  let pendingCheck: Promise<void> | null = null

  /** The time from which an upstream reports a fork that the schedule lacks, or null. */
  function firstUnsupported(reply: unknown, hash: Uint8Array): bigint | null {
    const { current, next, last } = reply as Record<string, unknown>
    for (const fork of [current, next, last]) {
      const { activationTime, forkId } = (fork ?? {}) as Record<string, unknown>
      if (typeof activationTime !== 'number' || typeof forkId !== 'string') continue
      const expectedId = forkIdAt(forkIdConfig, parts.genesisTime, hash, activationTime)
      if (toHex(expectedId) !== forkId.toLowerCase()) return BigInt(activationTime)
    }
    return null
  }

  async function check(hash: Uint8Array): Promise<void> {
    try {
      const { result } = await relay.call(
        { method: 'eth_config', params: [], class: 'read' },
        unaborted,
      )
      const previous = unsupportedFrom
      unsupportedFrom = firstUnsupported(result, hash)
      checkedUntil = clock.monotonic() + checkMs
      if (unsupportedFrom !== null && previous !== unsupportedFrom) {
        log('warn', 'chain.fork_unknown', { network, from: Number(unsupportedFrom) })
      }
    } catch (error) {
      // A node without the method says nothing about forks; then the schedule counts.
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
      pendingCheck ??= check(genesisHash).finally(() => (pendingCheck = null))
      return pendingCheck.then(() => configFor(timestamp))
    },
  }
}

/**
 * Nodes need no block for the merge, so fork IDs have none; geth's configuration of Sepolia names a later block, at which
 * nodes of before left the network.
 */
function toForkIdConfig({ mergeNetsplitBlock, ...config }: GenesisConfig): GenesisConfig {
  if (config.chainId === 1) return config
  const block = config.chainId === 11_155_111 ? 1_735_371 : mergeNetsplitBlock
  return { ...config, mergeNetsplitBlock: block }
}

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
  const numbered = forkIdForm(parts.config)
  /** From this block time on the upstreams have other rules; null: not as far as they report. */
  let unknownFrom: bigint | null = null
  let checkedUntil = -1
  let checking: Promise<void> | null = null

  /** The time from which an upstream reports a fork that the schedule lacks, or null. */
  function firstUnknown(reply: unknown, hash: Uint8Array): bigint | null {
    const { current, next, last } = reply as Record<string, unknown>
    for (const fork of [current, next, last]) {
      const { activationTime, forkId } = (fork ?? {}) as Record<string, unknown>
      if (typeof activationTime !== 'number' || typeof forkId !== 'string') continue
      const known = forkIdAt(numbered, parts.genesisTime, hash, activationTime)
      if (toHex(known) !== forkId.toLowerCase()) return BigInt(activationTime)
    }
    return null
  }

  async function check(hash: Uint8Array): Promise<void> {
    try {
      const { result } = await relay.call(
        { method: 'eth_config', params: [], class: 'read' },
        unaborted,
      )
      const before = unknownFrom
      unknownFrom = firstUnknown(result, hash)
      checkedUntil = clock.monotonic() + checkMs
      if (unknownFrom !== null && before !== unknownFrom) {
        log('warn', 'chain.fork_unknown', { network, from: Number(unknownFrom) })
      }
    } catch (error) {
      // A node without the method says nothing about forks; then the schedule counts.
      const isSilent = hasCode(error, 'no_method') || hasCode(error, 'upstream_said')
      checkedUntil = clock.monotonic() + (isSilent ? checkMs : retryMs)
    }
  }

  function checked(timestamp: bigint): string {
    if (unknownFrom === null || timestamp < unknownFrom) return text
    const detail = `the upstreams of ${network} have a fork from ${unknownFrom} on that Cairn does not know`
    throw new Fault('unprovable', { detail })
  }

  return {
    configAt(timestamp) {
      if (genesisHash === null || clock.monotonic() < checkedUntil) return checked(timestamp)
      checking ??= check(genesisHash).finally(() => (checking = null))
      return checking.then(() => checked(timestamp))
    },
  }
}

/**
 * Nodes need no block for the merge, so fork IDs have none; geth's configuration of Sepolia names a later block, at which
 * nodes of before left the network.
 */
function forkIdForm({ mergeNetsplitBlock, ...config }: GenesisConfig): GenesisConfig {
  if (config.chainId === 1) return config
  const block = config.chainId === 11_155_111 ? 1_735_371 : mergeNetsplitBlock
  return { ...config, mergeNetsplitBlock: block }
}

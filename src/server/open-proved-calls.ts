// Opens the fork schedule with which a network behind upstreams runs calls on proved state: from its genesis file, or by its chain
// ID.
// Tested by test/calls/proved-calls.test.ts
import { readFileSync } from 'node:fs'
import type { Clock } from '../base/clock.ts'
import { equalBytes, fromHex, toHex } from '../base/hex.ts'
import type { Log } from '../base/log.ts'
import { findKnownNetwork } from '../base/known-networks.ts'
import type { ScheduledRules } from '../chain/network.ts'
import type { Relay } from '../chain/relay.ts'
import type { UpstreamNetworkConfig } from '../config/network-config.ts'
import { buildFirstBlock } from '../devchain/first-block.ts'
import { type GenesisConfig, parseGenesis } from '../evm/genesis.ts'
import { callGasMax } from '../proved-calls/inline-calls.ts'
import { isOpConfig } from '../evm/op-config.ts'
import { createForkSchedule, type Schedule } from '../proved-calls/fork-schedule.ts'
import { findKnownSchedule } from '../proved-calls/known-schedules.ts'
import type { ProofRate } from '../proved-calls/proof-rate.ts'
import type { ProvedCallThread } from '../proved-calls/proved-call-thread.ts'
import { createProvedCalls } from '../proved-calls/proved-calls.ts'

/**
 * Null if the fork schedule is unknown. Throws an Error with a sentence for the operator if the genesis file cannot be read or is
 * of another chain.
 */
export function openProvedCalls(
  listed: UpstreamNetworkConfig,
  parts: {
    readonly thread: ProvedCallThread
    readonly proofRate: ProofRate
    readonly clock: Clock
    readonly log: Log
  },
): ((relay: Relay) => ScheduledRules) | null {
  const { thread, proofRate, clock, log } = parts
  const schedule = scheduleOf(listed)
  if (schedule === null) return null
  return (relay) => {
    const forks = createForkSchedule({ network: listed.name, ...schedule, relay, clock, log })
    return createProvedCalls({
      network: listed.name,
      thread,
      proofRate,
      relay,
      configAt: (timestamp) => forks.configAt(timestamp),
      isEthereum: hasFeesOfEthereum(listed.chainId, schedule.config),
      callGasMax,
      clock,
      log,
    })
  }
}

/** Null if unknown. Throws an Error as `openProvedCalls`. */
export function scheduleOf(listed: UpstreamNetworkConfig): Schedule | null {
  return listed.genesisFile === null ? knownSchedule(listed) : fromFile(listed, listed.genesisFile)
}

/** Other network families have other EIP-1559 constants. */
function hasFeesOfEthereum(chainId: bigint, config: GenesisConfig): boolean {
  return !isOpConfig(config) && (findKnownNetwork(chainId)?.family ?? 'ethereum') === 'ethereum'
}

function knownSchedule({ chainId, genesisHash }: UpstreamNetworkConfig): Schedule | null {
  const config = findKnownSchedule(chainId)
  const hash = findKnownNetwork(chainId)?.genesisHash ?? null
  // A private chain may have the chain ID of a public one, so the genesis hash must match too.
  if (config === null || hash === null || (genesisHash ?? hash) !== hash) return null
  return { config, genesisTime: 0n, genesisHash: fromHex(hash) }
}

function fromFile({ name, chainId, genesisHash }: UpstreamNetworkConfig, path: string): Schedule {
  const wrong = (problem: string) => new Error(`${name}: genesisFile ${path} ${problem}`)
  let genesis
  try {
    genesis = parseGenesis(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    throw Object.assign(wrong(`cannot be read: ${(cause as Error).message}`), { cause })
  }
  if (genesis.chainId !== chainId) {
    throw wrong(`is of chain ${genesis.chainId}, expected chain ${chainId}`)
  }
  const { hash } = buildFirstBlock(genesis)
  if (genesisHash !== null && !equalBytes(hash, fromHex(genesisHash))) {
    throw wrong(`is of the chain with block 0 ${toHex(hash)}, expected ${genesisHash}`)
  }
  return { config: genesis.config, genesisTime: genesis.timestamp, genesisHash: hash }
}

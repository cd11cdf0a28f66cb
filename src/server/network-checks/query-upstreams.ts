// Queries upstreams without a running network: client, head, history, latency and pushed heads of each, or its chain
// alone. Every query has a deadline, and at most 16 upstreams are queried at a time.
// Tested by src/cli/doctor/upstream-checks.test.ts
import { systemClock } from '../../base/clock.ts'
import { withDeadline } from '../../base/deadline.ts'
import { silentLog } from '../../base/log.ts'
import {
  type UpstreamConfig,
  type UpstreamNetworkConfig,
  activeUpstreams,
} from '../../config/network-config.ts'
import type { Config } from '../../config/settings.ts'
import { servingPolicies } from '../../rpc/relay/relayed-methods.ts'
import { createUpstream } from '../../chain/upstream/node/create-upstream.ts'
import { acceptsHeadFeed } from '../../chain/upstream/node/head-feed.ts'
import { type ProbeReport, probeUpstream } from '../../chain/upstream/node/probe.ts'
import { quantityOf } from '../../chain/upstream/node/probe-questions.ts'
import type { HistoryDepth } from '../../chain/upstream/node/history-depth.ts'
import type { Upstream } from '../../chain/upstream/node/upstream.ts'
import { UpstreamError } from '../../chain/upstream/node/upstream-error.ts'

export type QueriedUpstream = {
  readonly network: UpstreamNetworkConfig
  readonly upstream: UpstreamConfig
  readonly report: ProbeReport
  /** Of block 0, `0x` hex as the upstream writes it; null: unknown. */
  readonly genesisHash: string | null
  /** Result of eth_config (EIP-7910); null: none. */
  readonly forkConfigs: unknown
  /** Median of some calls, milliseconds; null: unknown. */
  readonly latencyMs: number | null
  /** It accepts a WebSocket subscription to new heads. */
  readonly pushesHeads: boolean
}

/** The reply of one upstream about its chain. */
export type QueriedChain = {
  readonly upstream: string
  /** Null: see `failure`. */
  readonly chainId: bigint | null
  /** Reason, without secrets; null if it answered. */
  readonly failure: string | null
}

/** Limit for all calls to one upstream together. */
const askMs = 25_000
const chainMs = 10_000
const atOnceMax = 16
const latencyCalls = 5

/** Those that are not paused, in the order of the settings. Failures are in `report.failure`. Throws only `signal.reason`. */
export async function queryUpstreams(
  { networks }: Pick<Config, 'networks'>,
  signal: AbortSignal | null = null,
): Promise<readonly QueriedUpstream[]> {
  const all = (networks ?? []).flatMap((network) =>
    network.embedded ? [] : activeUpstreams(network).map((upstream) => ({ network, upstream })),
  )
  return await inLanes(all, ({ network, upstream }) => queryUpstream(network, upstream, signal))
}

/** The chain ID of each upstream that is not paused, in their order. Throws only `signal.reason`. */
export async function queryChains(
  network: UpstreamNetworkConfig,
  signal: AbortSignal,
): Promise<readonly QueriedChain[]> {
  return await inLanes(activeUpstreams(network), async (config) => {
    const upstream = open(network, config)
    using deadline = withDeadline(signal, chainMs, systemClock)
    const fail = (failure: string) => ({ upstream: upstream.name, chainId: null, failure })
    try {
      const reply = await upstream.call('eth_chainId', [], deadline.signal, { isProbe: true })
      const chainId = quantityOf(reply)
      if (chainId === null) return fail('eth_chainId returned no chain ID')
      return { upstream: upstream.name, chainId, failure: null }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof UpstreamError) return fail(error.message)
      if (deadline.signal.aborted) return fail(`no reply in ${chainMs / 1000} s`)
      throw error
    } finally {
      await upstream.close()
    }
  })
}

async function inLanes<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  let next = 0
  async function lane(): Promise<void> {
    while (next < items.length) {
      const at = next++
      results[at] = await run(items[at] as Item)
    }
  }
  await Promise.all(Array.from({ length: atOnceMax }, lane))
  return results
}

function open(network: UpstreamNetworkConfig, config: UpstreamConfig): Upstream {
  return createUpstream(config, {
    chainId: network.chainId,
    methods: servingPolicies,
    clock: systemClock,
    log: silentLog,
  })
}

async function queryUpstream(
  network: UpstreamNetworkConfig,
  config: UpstreamConfig,
  signal: AbortSignal | null,
): Promise<QueriedUpstream> {
  const upstream = open(network, config)
  using deadline = withDeadline(signal, askMs, systemClock)
  const none = { genesisHash: null, forkConfigs: null, latencyMs: null, pushesHeads: false }
  try {
    const report = await probe(upstream, deadline.signal)
    if (report.failure !== null) return { network, upstream: config, report, ...none }
    const [pushesHeads, found, forkConfigs] = await Promise.all([
      acceptsHeadFeed(config, systemClock, deadline.signal),
      measure(upstream, deadline.signal),
      findForkConfigs(upstream, deadline.signal),
    ])
    return { network, upstream: config, report, ...found, forkConfigs, pushesHeads }
  } finally {
    await upstream.close()
    signal?.throwIfAborted()
  }
}

async function probe(upstream: Upstream, signal: AbortSignal): Promise<ProbeReport> {
  try {
    return await probeUpstream(upstream, { clock: systemClock }, signal)
  } catch (error) {
    if (!signal.aborted) throw error
    return {
      upstream: upstream.name,
      failure: `the checks did not finish in ${askMs / 1000} s`,
      chainId: null,
      client: null,
      head: null,
      acceptsBlockHash: null,
      reach: upstream.status().reach,
      lacks: [],
    }
  }
}

async function measure(
  upstream: Upstream,
  signal: AbortSignal,
): Promise<Pick<QueriedUpstream, 'genesisHash' | 'latencyMs'>> {
  const times: number[] = []
  const options = { methodClass: 'read', isProbe: true } as const
  try {
    for (let call = 0; call < latencyCalls; call++) {
      const start = systemClock.monotonic()
      await upstream.call('eth_blockNumber', [], signal, options)
      times.push(systemClock.monotonic() - start)
    }
    const first = await upstream.call('eth_getBlockByNumber', ['0x0', false], signal, options)
    return { genesisHash: hashOf(first), latencyMs: medianOf(times) }
  } catch (error) {
    if (!(error instanceof UpstreamError) && !signal.aborted) throw error
    return { genesisHash: null, latencyMs: medianOf(times) }
  }
}

/** Null also for a node without the method. */
async function findForkConfigs(upstream: Upstream, signal: AbortSignal): Promise<unknown> {
  const options = { methodClass: 'read', isProbe: true } as const
  try {
    return await upstream.call('eth_config', [], signal, options)
  } catch (error) {
    if (!(error instanceof UpstreamError) && !signal.aborted) throw error
    return null
  }
}

function hashOf(block: unknown): string | null {
  if (typeof block !== 'object' || block === null || !('hash' in block)) return null
  const { hash } = block
  return typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash) ? hash.toLowerCase() : null
}

function medianOf(times: readonly number[]): number | null {
  const sorted = times.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? null
}

/** A lower bound from the probe: `the last 128 blocks`, `every block`, `blocks from 100 on`, `no block`, `unknown`. */
export function describeReach(reach: HistoryDepth): string {
  if (reach === 'unknown') return 'unknown'
  if (reach === 'all') return 'every block'
  if (reach === 'none') return 'no block'
  if ('from' in reach) return `blocks from ${reach.from} on`
  return reach.age === 0n ? 'the newest block' : `the last ${reach.age + 1n} blocks`
}

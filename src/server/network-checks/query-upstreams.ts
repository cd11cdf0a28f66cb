// Asks each upstream of the settings what it is and what it has, as the server does at its start, without a server.
// Tested by src/cli/doctor/upstream-checks.test.ts
import { systemClock } from '../../base/clock.ts'
import { withDeadline } from '../../base/deadline.ts'
import { silentLog } from '../../base/log.ts'
import type { UpstreamConfig, UpstreamNetworkConfig } from '../../config/network-config.ts'
import type { Config } from '../../config/settings.ts'
import { servingPolicies } from '../../rpc/relay/relayed-methods.ts'
import { createUpstream } from '../../chain/upstream/node/create-upstream.ts'
import { type ProbeReport, probeUpstream } from '../../chain/upstream/node/probe.ts'
import type { HistoryDepth } from '../../chain/upstream/node/history-depth.ts'

export type QueriedUpstream = {
  readonly network: UpstreamNetworkConfig
  readonly upstream: UpstreamConfig
  readonly report: ProbeReport
}

/** For all calls to one upstream together. */
const askMs = 30_000
const atOnceMax = 4

/** In the order of the settings. Never throws what an upstream brings about: `report.failure` says it. */
export async function queryUpstreams({
  networks,
}: Pick<Config, 'networks'>): Promise<readonly QueriedUpstream[]> {
  const all = (networks ?? []).flatMap((network) =>
    network.embedded ? [] : network.upstreams.map((upstream) => ({ network, upstream })),
  )
  const asked: QueriedUpstream[] = []
  let next = 0
  async function lane(): Promise<void> {
    while (next < all.length) {
      const at = next++
      const { network, upstream } = all[at] as (typeof all)[number]
      asked[at] = { network, upstream, report: await ask(network, upstream) }
    }
  }
  await Promise.all(Array.from({ length: atOnceMax }, lane))
  return asked
}

async function ask(network: UpstreamNetworkConfig, config: UpstreamConfig): Promise<ProbeReport> {
  const upstream = createUpstream(config, {
    chainId: network.chainId,
    methods: servingPolicies,
    clock: systemClock,
    log: silentLog,
  })
  using deadline = withDeadline(null, askMs, systemClock)
  try {
    return await probeUpstream(upstream, { clock: systemClock }, deadline.signal)
  } catch (error) {
    if (!deadline.signal.aborted) throw error
    return {
      upstream: upstream.name,
      failure: `the checks did not finish in ${askMs / 1000} s`,
      chainId: null,
      client: null,
      head: null,
      takesBlockHash: null,
      reach: upstream.status().reach,
      lacks: [],
    }
  } finally {
    await upstream.close()
  }
}

/** At least, as far as was looked: `the last 128 blocks`, `every block`, `blocks from 100 on`, `no block`, `unknown`. */
export function describeReach(reach: HistoryDepth): string {
  if (reach === 'unknown') return 'unknown'
  if (reach === 'all') return 'every block'
  if (reach === 'none') return 'no block'
  if ('from' in reach) return `blocks from ${reach.from} on`
  return reach.age === 0n ? 'the newest block' : `the last ${reach.age + 1n} blocks`
}

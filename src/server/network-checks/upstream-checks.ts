// Networks behind upstreams: what each probed node supports, and the effect with the current settings.
// Tested by src/cli/doctor/upstream-checks.test.ts
import type { UpstreamNetworkConfig } from '../../config/network-config.ts'
import type { Config } from '../../config/settings.ts'
import { showUrl } from '../../config/show.ts'
import { findKnownNetwork } from '../../base/known-networks.ts'
import type { ProbeReport } from '../../chain/upstream/node/probe.ts'
import { type QueriedUpstream, describeReach } from './query-upstreams.ts'
import { fixOf } from './client-fixes.ts'
import { findUnsupportedFork } from '../../proved-calls/fork-schedule.ts'
import { checkNetwork, readSchedule } from './network-checks.ts'
import { warning, problem, type CommandLine, type Problem } from './problem.ts'

/** A head older than this counts as stalled. */
const staleSeconds = 300
/** Maximum of blocks behind the best upstream of the network. */
const lagMax = 10n
/** If a block is further in the future, the clock may be wrong. */
const aheadSeconds = 15
/** History that a full node proves by default. With less, most consecutive reads fail. */
const proofAgeMin = 127n

/** Probe results of an upstream, for people and programs. */
export type UpstreamFacts = {
  readonly network: string
  readonly upstream: string
  readonly reachable: boolean
  readonly client: string | null
  readonly chainId: string | null
  readonly head: { readonly number: string; readonly ageSeconds: number } | null
  /** Depth of the state that it can prove. */
  readonly proofs: string
  /** Depth of its state. */
  readonly state: string
  readonly bodies: string
  readonly receipts: string
  /** It has the state of every block. */
  readonly archive: boolean
  readonly lacks: readonly string[]
  /** Median of some calls, milliseconds. */
  readonly latencyMs: number | null
  /** It accepts a WebSocket subscription to new heads. */
  readonly pushesHeads: boolean
}

export function factsOf(queried: QueriedUpstream): UpstreamFacts {
  const { network, upstream, report, latencyMs, pushesHeads } = queried
  const { failure, client, chainId, head, reach, lacks } = report
  return {
    network: network.name,
    upstream: upstream.name,
    reachable: failure === null,
    client,
    chainId: chainId === null ? null : String(chainId),
    head: head === null ? null : { number: String(head.number), ageSeconds: head.ageSeconds },
    proofs: describeReach(reach.proof),
    state: describeReach(reach.state),
    bodies: describeReach(reach.body),
    receipts: describeReach(reach.receipts),
    archive: reach.state === 'all',
    lacks,
    latencyMs: latencyMs === null ? null : Math.round(latencyMs * 10) / 10,
    pushesHeads,
  }
}

export function* checkUpstreams(
  { networks }: Pick<Config, 'networks'>,
  asked: readonly QueriedUpstream[],
  command: CommandLine,
): Generator<Problem> {
  for (const network of networks ?? []) {
    if (network.embedded) continue
    yield* checkNetwork(network)
    const own = asked.filter((one) => one.network.name === network.name)
    for (const one of own) yield* checkUpstream(one, command)
    yield* checkTogether(network, own)
  }
}

function* checkUpstream(asked: QueriedUpstream, command: CommandLine): Generator<Problem> {
  const { network, upstream, report } = asked
  const { chainId, failure, client, head } = report
  const name = `${network.name}/${upstream.name}`
  if (chainId !== null && chainId !== network.chainId) {
    yield problem(
      'upstream_wrong_chain',
      `${name} serves ${describeChain(chainId)}, but the network is ${describeChain(network.chainId)}: Cairn does not use it`,
      `set chainId: ${chainId}, or another url`,
    )
    return
  }
  if (failure !== null) {
    const refusesUs = /unauthorized|forbidden|api key|40[123]\b/i.test(failure)
    yield problem(
      refusesUs ? 'upstream_refuses' : 'upstream_unreachable',
      `${name} does not reply: ${failure}`,
      refusesUs
        ? 'headers: {authorization: "${env:NODE_TOKEN}"}, or a key in its url'
        : `curl -s ${showUrl(upstream.url)} -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'; then: ${command('doctor')}`,
    )
    return
  }
  if (head === null) {
    yield problem('upstream_no_head', `${name} reports no head`, fixOf(client, 'sync'))
  } else if (head.ageSeconds > staleSeconds) {
    yield warning(
      'upstream_stale',
      `${name}: head is ${showAge(head.ageSeconds)} old`,
      fixOf(client, 'sync'),
    )
  } else if (head.ageSeconds < -aheadSeconds) {
    const text = `${name}: head is ${-head.ageSeconds} s in the future: a clock is wrong`
    yield warning('upstream_future', text, 'timedatectl set-ntp true; date -u shows the time')
  }
  yield* checkReach(name, report)
}

/** Includes the name of a known network. */
function describeChain(chainId: bigint): string {
  const known = findKnownNetwork(chainId)
  return known === null ? `chain ${chainId}` : `chain ${chainId} (${known.name})`
}

function* checkReach(name: string, report: ProbeReport): Generator<Problem> {
  const { client, reach, lacks, acceptsBlockHash } = report
  if (reach.proof === 'none') {
    const text = `${name} supplies no state proofs (eth_getProof), not even for its head`
    yield warning('upstream_no_proof', text, fixOf(client, 'proof'))
  } else if (typeof reach.proof === 'object' && 'age' in reach.proof) {
    const { age } = reach.proof
    if (age < proofAgeMin) {
      const text = `${name} proves state of the last ${age + 1n} blocks, less than ${proofAgeMin + 1n}`
      yield warning('upstream_shallow_proof', text, fixOf(client, 'proof'))
    }
  }
  if (reach.receipts === 'none') {
    const text = `${name} does not supply all receipts of a block, so Cairn cannot prove receipts and logs with it`
    yield warning('upstream_no_receipts', text, fixOf(client, 'receipts'))
  }
  if (acceptsBlockHash === false) {
    yield warning(
      'upstream_no_block_hash',
      `${name} does not support block hashes as parameters (EIP-1898): Cairn sends block numbers instead`,
      fixOf(client, 'update'),
    )
  }
  const raw = lacks.filter((method) => method.startsWith('debug_'))
  if (raw.length > 0) {
    const text = `${name} lacks ${raw.join(', ')}: Cairn requests blocks and receipts as JSON, which is slower`
    yield warning('upstream_lacks_raw', text, fixOf(client, 'raw'))
  }
}

/** Reports genesis blocks that differ between upstreams, or from those of a known network. */
function* checkGenesis(
  network: UpstreamNetworkConfig,
  usable: readonly QueriedUpstream[],
): Generator<Problem> {
  const expected = network.genesisHash ?? findKnownNetwork(network.chainId)?.genesisHash ?? null
  const named = usable.filter(({ genesisHash }) => genesisHash !== null)
  const right = expected ?? named[0]?.genesisHash
  for (const { upstream, genesisHash } of named) {
    if (genesisHash === right) continue
    const than = expected === null ? `that of ${named[0]?.upstream.name}` : `${expected}`
    yield problem(
      'upstream_other_genesis',
      `${network.name}/${upstream.name} has block 0 ${genesisHash}, not ${than}: it serves another chain with the same chain ID`,
      'remove one of the upstreams, or set genesisHash',
    )
  }
}

/** Reports upstreams with a fork that calls on proved state do not know. */
function* checkForks(
  network: UpstreamNetworkConfig,
  usable: readonly QueriedUpstream[],
): Generator<Problem> {
  const schedule = readSchedule(network)
  if (schedule === null || schedule instanceof Error) return
  for (const { upstream, forkConfigs } of usable) {
    if (typeof forkConfigs !== 'object' || forkConfigs === null) continue
    const from = findUnsupportedFork(schedule, forkConfigs)
    if (from === null) continue
    const isRequired = (network.verify.methods['eth_call'] ?? network.verify.default) === 'require'
    const what = isRequired ? 'refuses' : 'forwards'
    yield warning(
      'upstream_unknown_fork',
      `${network.name}/${upstream.name} has a fork from ${from} on that Cairn does not know: it ${what} calls of later blocks`,
      network.genesisFile === null
        ? 'update Cairn, or set genesisFile to the genesis.json of the network'
        : 'use the genesis.json that the node has now, with the times of its forks',
    )
  }
}

/** Problems that only a comparison of the upstreams shows. */
function* checkTogether(
  network: UpstreamNetworkConfig,
  asked: readonly QueriedUpstream[],
): Generator<Problem> {
  const usable = asked.filter(
    ({ report }) => report.failure === null && report.chainId === network.chainId,
  )
  if (asked.length > 0 && usable.length === 0) {
    yield problem(
      'network_down',
      `${network.name}: no usable upstream, only stored data is served`,
      'repair one of the upstreams listed above',
    )
    return
  }
  yield* checkGenesis(network, usable)
  yield* checkForks(network, usable)
  const heads = usable.flatMap(({ report }) => (report.head === null ? [] : [report.head.number]))
  const best = heads.reduce((most, number) => (number > most ? number : most), 0n)
  for (const { upstream, report } of usable) {
    const behind = report.head === null ? 0n : best - report.head.number
    if (behind <= lagMax) continue
    const text = `${network.name}/${upstream.name} is ${behind} blocks behind the best upstream`
    yield warning('upstream_lags', text, fixOf(report.client, 'sync'))
  }
  const { verify } = network
  const isRequired =
    (verify.methods['eth_getStorageAt'] ?? verify.default) === 'require' &&
    usable.every(({ report }) => report.reach.proof === 'none')
  if (isRequired) {
    yield problem(
      'network_unprovable',
      `${network.name}: verify requires state proofs, but no upstream supplies them: state reads fail`,
      'set verify: {default: require, eth_getStorageAt: prefer, …}, or add a node with state proofs',
    )
  }
}

export function showAge(seconds: number): string {
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800
    ? `${Math.round(seconds / 3600)} h`
    : `${Math.round(seconds / 86_400)} days`
}

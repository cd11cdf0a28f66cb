// Checks of a network behind upstreams that need only the settings: its name, its proofs, the source of its head.
// Tested by src/cli/doctor/upstream-checks.test.ts
import { isLoopback } from '../../base/addresses.ts'
import { systemClock } from '../../base/clock.ts'
import { type UpstreamNetworkConfig, activeUpstreams } from '../../config/network-config.ts'
import { findChainId } from '../../config/network-variable.ts'
import { showUrl } from '../../config/show.ts'
import { findKnownNetwork } from '../../base/known-networks.ts'
import { hasCallRules } from '../../proved-calls/known-schedules.ts'
import type { Schedule } from '../../proved-calls/fork-schedule.ts'
import { findSimilarMethod } from '../../rpc/similar-method.ts'
import { scheduleOf } from '../open-proved-calls.ts'
import { warning, problem, type Problem } from './problem.ts'

/** Need the fork rules of the network. */
const callMethods = [
  'eth_call',
  'eth_estimateGas',
  'eth_createAccessList',
  'debug_traceCall',
  'eth_simulateV1',
] as const

/** Sends no requests. */
export function* checkNetwork(network: UpstreamNetworkConfig): Generator<Problem> {
  const now = BigInt(Math.floor(systemClock.now() / 1000))
  const { name, chainId, heads, policy, verify } = network
  const upstreams = activeUpstreams(network)
  const usual = findChainId(name)
  if (usual !== null && BigInt(usual) !== chainId) {
    yield warning(
      'network_misnamed',
      `network ${name} has chain ID ${chainId}, but clients expect ${usual}`,
      `set chainId: ${usual}, or choose another name`,
    )
  }
  const known = findKnownNetwork(chainId)
  if (known?.family !== 'ethereum' && policy === null && verify.default === null) {
    const what = known === null ? `chain ID ${chainId} is unknown` : `it is ${known.title}`
    yield warning(
      'network_unknown',
      `${name}: ${what}, so Cairn requires no proofs`,
      'verify: require',
    )
  }
  for (const [method, mode] of Object.entries(verify.methods)) {
    const meant = findSimilarMethod(method)
    if (meant === null) continue
    yield warning(
      'verify_misspelt',
      `${name}: verify names ${method}, which is no method that Cairn knows`,
      `verify: {${meant}: ${mode}}`,
    )
  }
  const isRequired = (verify.methods['eth_call'] ?? verify.default) === 'require'
  if (isRequired && network.genesisFile === null && !hasCallRules(chainId, now)) {
    yield warning(
      'calls_refused',
      `${name}: Cairn does not know the fork rules of chain ${chainId}, so it refuses calls, as verify requires`,
      `set genesisFile, or verify: {default: require, ${callMethods.map((method) => `${method}: prefer`).join(', ')}}`,
    )
  }
  const schedule = readSchedule(network)
  if (schedule instanceof Error) {
    yield problem(
      'network_genesis',
      `${schedule.message}: the server does not start`,
      'set genesisFile to the genesis.json of the network, as its nodes use it, or remove the setting',
    )
  }
  const isTrusted = upstreams.some(({ trusted }) => trusted)
  if (upstreams.length === 1 && !isTrusted) {
    const text = `${name}: the head depends on one untrusted upstream, ${upstreams[0]?.name}`
    const fix = 'set trusted: true if you run the node, or add a second upstream'
    yield heads.require === 'quorum'
      ? problem('heads_never', `${text}, and heads.require is quorum: reads by tag fail`, fix)
      : warning('heads_single', text, fix)
  }
  for (const { name: node, trusted, url } of upstreams) {
    const { protocol, hostname } = new URL(url)
    if (!trusted || protocol === 'https:' || isPrivate(hostname)) continue
    yield warning(
      'trusted_in_clear',
      `${name}/${node} is trusted and uses plain HTTP: an attacker on the network can name any block`,
      `url: ${showUrl(url).replace('http:', 'https:')}`,
    )
  }
}

/** Null if Cairn does not know the forks of the network; an Error with a sentence if its genesis file cannot be used. */
export function readSchedule(network: UpstreamNetworkConfig): Schedule | Error | null {
  try {
    return scheduleOf(network)
  } catch (error) {
    return error as Error
  }
}

function isPrivate(host: string): boolean {
  if (isLoopback(host) || host === '[::1]') return true
  // Private addresses (RFC 1918), and names without a dot.
  return /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(host) || !host.includes('.')
}

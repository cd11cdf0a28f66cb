// What the settings alone tell of a network behind upstreams: its name, its proofs, whose word its head is.
// Tested by src/cli/doctor/upstream-checks.test.ts
import { isLoopback } from '../../base/loopback.ts'
import type { UpstreamNetworkConfig } from '../../config/network-config.ts'
import { findChainId } from '../../config/network-variable.ts'
import { showUrl } from '../../config/show.ts'
import { findKnownNetwork } from '../../ethereum/known-networks.ts'
import { advice, problem, type Problem } from './problem.ts'

/** Asks nobody. */
export function* checkNetwork(network: UpstreamNetworkConfig): Generator<Problem> {
  const { name, chainId, heads, upstreams, policy, verify } = network
  const usual = findChainId(name)
  if (usual !== null && BigInt(usual) !== chainId) {
    yield advice(
      'network_misnamed',
      `the network ${name} has the chain id ${chainId}, and clients expect ${usual} of that name`,
      `chainId: ${usual}, or another name`,
    )
  }
  if (findKnownNetwork(chainId) === null && policy === null && verify.default === null) {
    yield advice(
      'network_unknown',
      `nothing is known of chain id ${chainId} (${name}), so no proof is required of its upstreams`,
      'verify: require',
    )
  }
  const isTrusted = upstreams.some(({ trusted }) => trusted)
  if (upstreams.length === 1 && !isTrusted) {
    const text = `the newest block of ${name} is the word of ${upstreams[0]?.name} alone`
    const fix = 'trusted: true, if the node is your own; or a second upstream'
    yield heads.require === 'quorum'
      ? problem('heads_never', `${text}, and heads.require is quorum: reads by tag fail`, fix)
      : advice('heads_single', text, fix)
  }
  for (const { name: node, trusted, url } of upstreams) {
    const { protocol, hostname } = new URL(url)
    if (!trusted || protocol === 'https:' || isPrivate(hostname)) continue
    yield advice(
      'trusted_in_clear',
      `${name}/${node} is trusted and reached over plain HTTP: whoever is on the way may name any block`,
      `url: ${showUrl(url).replace('http:', 'https:')}`,
    )
  }
}

function isPrivate(host: string): boolean {
  if (isLoopback(host) || host === '[::1]') return true
  // RFC 1918, and names without a dot: those of one's own network.
  return /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(host) || !host.includes('.')
}

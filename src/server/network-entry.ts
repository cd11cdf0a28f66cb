// Networks and probes in the form of the admin API. They contain no secrets: a URL is reduced to scheme, host and port, a header to
// its name.
// Tested by test/admin/admin-networks.test.ts
import type { NetworkEntry, NetworkProbe } from '../admin/resources/networks/networks-view.ts'
import type { NetworkConfig, UpstreamNetworkConfig } from '../config/network-config.ts'
import { showUrl } from '../config/show.ts'
import type { QueriedUpstream } from './network-checks/query-upstreams.ts'
import { factsOf } from './network-checks/upstream-checks.ts'
import type { SavedNetwork } from './saved-networks.ts'

export function probedUpstream(queried: QueriedUpstream): NetworkProbe['upstreams'][number] {
  const { upstream, report, genesisHash } = queried
  const { failure, head } = report
  const { network: _network, reachable: _reachable, archive: _archive, ...facts } = factsOf(queried)
  return {
    ...facts,
    name: upstream.name,
    url: showUrl(upstream.url),
    trusted: upstream.trusted,
    failure,
    head:
      head === null
        ? null
        : { number: String(head.number), hash: head.hash, ageSeconds: head.ageSeconds },
    genesisHash,
    lacks: [...facts.lacks],
  }
}

export function entryOf(
  network: NetworkConfig,
  saved: SavedNetwork | null,
  more: Pick<NetworkEntry, 'isDefault' | 'live'>,
): NetworkEntry {
  return {
    name: network.name,
    chainId: network.embedded ? null : network.chainId.toString(),
    origin: saved === null ? 'settings' : 'saved',
    embedded: network.embedded,
    fork: network.embedded ? network.fork : null,
    problem: null,
    created: saved?.created ?? null,
    changed: saved?.changed ?? null,
    ...more,
    ...(network.embedded ? noMembers : shownMembers(network)),
  }
}

type Members = Pick<NetworkEntry, 'verify' | 'heads' | 'allow' | 'deny' | 'upstreams'>

const noMembers: Members = { verify: {}, heads: null, allow: null, deny: [], upstreams: [] }

function shownMembers({ verify, heads, allow, deny, upstreams }: UpstreamNetworkConfig): Members {
  const { quorum, trust, require, checkpoint, beacon, pollMs, maxAgeMs } = heads
  return {
    heads: { quorum, trust, require, checkpoint, beacon: beacon.map(showUrl), pollMs, maxAgeMs },
    allow: allow === null ? null : [...allow],
    deny: [...deny],
    verify: { ...(verify.default === null ? {} : { default: verify.default }), ...verify.methods },
    upstreams: upstreams.map(
      ({ name, url, wsUrl, trusted, paused, headers, requestsPerSecond }) => ({
        name,
        url: showUrl(url),
        wsUrl: typeof wsUrl === 'string' ? showUrl(wsUrl) : null,
        trusted,
        paused,
        headers: Object.keys(headers),
        requestsPerSecond,
      }),
    ),
  }
}

/** A saved network that is not served. */
export function hiddenEntry(one: SavedNetwork, isTaken: boolean): NetworkEntry {
  const { name, created, changed, found } = one
  const members = 'config' in found ? shownMembers(found.config) : noMembers
  return {
    name,
    chainId: 'config' in found ? found.config.chainId.toString() : null,
    origin: 'saved',
    embedded: false,
    fork: null,
    isDefault: false,
    problem:
      'problem' in found
        ? found.problem
        : isTaken
          ? 'the settings name another network of this name, which takes precedence'
          : null,
    created,
    changed,
    ...members,
    live: null,
  }
}

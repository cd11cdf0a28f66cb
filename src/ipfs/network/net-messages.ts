// JSON bodies of frames between the server and its network process: settings, commands named as in the IPFS API with replies in
// Kubo's shapes, and counts for /metrics. Multiaddrs, peer IDs and CIDs are strings; bytes are base64.

type NetLimits = {
  readonly connectionsMax: number
  /** Limit of Bitswap traffic in each direction. 0: no limit. */
  readonly bytesPerSecondMax: number
}

/** Settings that apply without a restart of the process. */
export type NetLive = {
  /** Base URLs of Delegated Routing V1 servers. */
  readonly routers: readonly string[]
  /** Multiaddrs with `/p2p/<peer>`: always connected, queried in every session. */
  readonly peers: readonly string[]
  readonly limits: NetLimits
}

export type NetHello = NetLive & {
  readonly v: 1
  /** `fetch`: does not listen and serves no blocks. */
  readonly mode: 'fetch' | 'provide'
  /** Seed of the Ed25519 peer key, 32 bytes in base64url: `d` of its JWK (RFC 8037). */
  readonly key: string
  /** Multiaddrs to listen on; used only with `provide`. */
  readonly listen: readonly string[]
  /** Multiaddrs for provider records, in both modes; empty: the addresses it listens on. */
  readonly announce: readonly string[]
  /** Multiaddrs with `/p2p/<peer>`. */
  readonly bootstrap: readonly string[]
  readonly dht: 'client' | 'off'
  /** Allows non-public addresses and uses the LAN DHT. For tests and local networks. */
  readonly private: boolean
  /** `agentVersion` of the identify protocol. */
  readonly agent: string
}

export type NetReady = {
  readonly v: 1
  readonly peer: string
  /** Announced addresses with `/p2p/<peer>`; if the settings contain none, those it listens on. */
  readonly addrs: readonly string[]
  /** Why it does not listen in mode `provide`; fetching still works. Null: no problem. */
  readonly listenProblem: string | null
}

/**
 * `arg`: as in the command of the IPFS API; for `id`, a known peer. `routing/get` and `routing/put`: `/ipns/<name>`, the record in
 * base64.
 */
export type NetCommand =
  | { readonly name: 'id'; readonly arg?: string }
  | {
      readonly name:
        | 'swarm/peers'
        | 'swarm/addrs'
        | 'swarm/addrs/local'
        | 'swarm/peering/ls'
        | 'bitswap/stat'
        | 'stats/bw'
    }
  | {
      readonly name:
        | 'swarm/connect'
        | 'swarm/disconnect'
        | 'swarm/peering/add'
        | 'swarm/peering/rm'
        | 'bitswap/wantlist'
        | 'bitswap/ledger'
        | 'routing/findpeer'
        | 'routing/get'
        | 'routing/provide'
      readonly arg: string
    }
  | { readonly name: 'routing/findprovs'; readonly arg: string; readonly max: number }
  /** Not a command of the IPFS API. Its values are `ProviderCheck`. */
  | { readonly name: 'provider-check'; readonly arg: string }
  | { readonly name: 'routing/put'; readonly arg: string; readonly record: string }

/** Whether a router, or the peers of the DHT, list this node as a provider of a CID at the moment. */
export type ProviderCheck = {
  /** Host of the router, or `DHT`. */
  readonly by: string
  /** Numbers of peers that answered and that listed this node; a router counts as one. */
  readonly answered: number
  readonly listed: number
}

/** `value`: one JSON value of Kubo's reply. `error`: its `Message`; only the end of the command follows. */
export type NetReply = { readonly value: unknown } | { readonly error: string }

/** Totals since the start unless noted. */
export type NetCounts = {
  readonly peers: { readonly in: number; readonly out: number }
  readonly sessions: number
  readonly wants: number
  readonly blocksReceived: number
  readonly bytesReceived: number
  readonly duplicatesReceived: number
  readonly duplicateBytesReceived: number
  /** Blocks that no want requested, and malformed or endless messages: the peers that sent them are excluded. */
  readonly lies: number
  readonly excludedPeers: number
  readonly blocksSent: number
  readonly bytesSent: number
  readonly messagesReceived: number
  /** Blocks from gateways found as providers; also counted in `blocksReceived`. */
  readonly httpBlocksReceived: number
  readonly routerRequests: number
  readonly routerFailures: number
  readonly dhtLookups: number
  readonly dhtPeers: number
  readonly provided: number
  readonly provideFailures: number
  /** All bytes of libp2p connections. */
  readonly connectionBytesIn: number
  readonly connectionBytesOut: number
  readonly heapBytes: number
  readonly rssBytes: number
}

// JSON bodies of frames between the server and its network process: settings, commands in the words of the IPFS API with
// replies in the shapes of Kubo, and counts for /metrics. Multiaddrs, peer IDs and CIDs are texts; bytes are base64.

type NetLimits = {
  readonly connectionsMax: number
  /** Each way, of Bitswap. 0: no limit. */
  readonly bytesPerSecondMax: number
}

/** Settings that apply without a restart of the process. */
export type NetLive = {
  /** Base URLs of Delegated Routing V1 servers. */
  readonly routers: readonly string[]
  /** Multiaddrs with `/p2p/<peer>`: always connected, asked in every session. */
  readonly peers: readonly string[]
  readonly limits: NetLimits
}

export type NetHello = NetLive & {
  readonly v: 1
  /** `fetch`: listens nowhere, has no block for peers. */
  readonly mode: 'fetch' | 'provide'
  /** Seed of the Ed25519 peer key, 32 bytes in base64url: `d` of its JWK (RFC 8037). */
  readonly key: string
  /** Multiaddrs; used with `provide` only. */
  readonly listen: readonly string[]
  /** Multiaddrs of provider records, in both modes; empty: those it listens on. */
  readonly announce: readonly string[]
  /** Multiaddrs with `/p2p/<peer>`. */
  readonly bootstrap: readonly string[]
  readonly dht: 'client' | 'off'
  /** Non-public addresses may be dialled, and the DHT is that of a LAN. For tests and local networks. */
  readonly private: boolean
  /** `agentVersion` of the identify protocol. */
  readonly agent: string
}

export type NetReady = {
  readonly v: 1
  readonly peer: string
  /** Announced addresses with `/p2p/<peer>`; without such in the settings, those it listens on. */
  readonly addrs: readonly string[]
  /** Why it does not listen although `mode` is `provide`; it fetches all the same. Null: it listens, or need not. */
  readonly listenProblem: string | null
}

/**
 * `arg` as the command of the IPFS API takes it; of `id`, a peer that is known. `routing/get` and `routing/put`:
 * `/ipns/<name>`, record in base64.
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
  | { readonly name: 'routing/put'; readonly arg: string; readonly record: string }

/** `value`: one JSON value of Kubo's reply. `error`: its `Message`; nothing follows but the end. */
export type NetReply = { readonly value: unknown } | { readonly error: string }

/** Sums since the start unless noted. */
export type NetCounts = {
  readonly peers: { readonly in: number; readonly out: number }
  readonly sessions: number
  readonly wants: number
  readonly blocksReceived: number
  readonly bytesReceived: number
  readonly duplicatesReceived: number
  readonly duplicateBytesReceived: number
  /** Blocks that no want named, and wrong or endless bytes: their peers are excluded. */
  readonly lies: number
  readonly excludedPeers: number
  readonly blocksSent: number
  readonly bytesSent: number
  readonly messagesReceived: number
  /** Blocks from gateways that were found as providers; also in `blocksReceived`. */
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

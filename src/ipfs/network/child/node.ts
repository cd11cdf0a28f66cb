// The libp2p node of the network process: TCP with Noise or TLS, Yamux, identify, ping, the DHT as a client. Limits connections and
// dials; peers that sent invalid data are excluded for ten minutes.
// Tested by src/ipfs/network/child/node.test.ts, test/network/child.test.ts, test/network/connection-limits.test.ts
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys'
import { identify } from '@libp2p/identify'
import type { MultiaddrConnection } from '@libp2p/interface'
import {
  kadDHT,
  passthroughMapper,
  removePrivateAddressesMapper,
  type KadDHT,
} from '@libp2p/kad-dht'
import { noise } from '@libp2p/noise'
import { ping } from '@libp2p/ping'
import { tcp } from '@libp2p/tcp'
import { tls } from '@libp2p/tls'
import { yamux } from '@libp2p/yamux'
import { createLibp2p, type Libp2p } from 'libp2p'
import { networkOf } from '../../../base/addresses.ts'
import type { Clock } from '../../../base/clock.ts'
import { setNewest } from '../../../base/lru-cache.ts'
import type { NetHello } from '../net-messages.ts'
import { mayDial, publicLookup } from './dial-rules.ts'
import { limitedDnsaddr } from './dnsaddr.ts'

type ConnectionManager = { setMaxConnections(count: number): void }

type Services = { readonly dht?: KadDHT; readonly limit: ConnectionManager }

export type NetNode = {
  readonly libp2p: Libp2p<Record<string, unknown>>
  /** Null: the DHT is disabled. */
  readonly dht: KadDHT | null
  /** Why the node does not listen although configured to; null otherwise. */
  readonly listenProblem: string | null
  /** Closes connections to the peer, and refuses new ones for ten minutes. */
  exclude(peer: string): void
  isExcluded(peer: string): boolean
  readonly excludedPeers: number
  /** Refuses new connections over this limit, and closes idle ones. */
  setConnectionsMax(count: number): void
}

const connectionsPerAddressMax = 4
export const dialsMax = 32
const dialMs = 10_000
const addressDialMs = 5_000
export const pendingMax = 64
/** Limit per remote address. */
const newConnectionsPerSecondMax = 50
export const excludedMs = 10 * 60_000
export const excludedMax = 10_000
/** A paused stream receives up to one more window; Yamux of js-libp2p resets a stream that exceeds its buffer. */
const streamWindowBytesMax = 2 * 1024 * 1024
const readBufferBytesMax = 8 * 1024 * 1024
const streamIdleMs = 30 * 60_000
const streamsMax = 1024

type Exclusions = Pick<NetNode, 'isExcluded' | 'excludedPeers'> & { add(peer: string): void }

/** Of more than `excludedMax` peers, the newest are excluded. */
export function createExclusions(clock: Clock): Exclusions {
  const until = new Map<string, number>()
  return {
    add: (peer) => setNewest(until, peer, clock.monotonic() + excludedMs, excludedMax),
    isExcluded(peer) {
      const end = until.get(peer)
      if (end === undefined) return false
      if (clock.monotonic() < end) return true
      until.delete(peer)
      return false
    },
    get excludedPeers() {
      return until.size
    },
  }
}

/** Listens in mode `provide`; if that fails, runs without listening and reports the reason. */
export async function startNode(hello: NetHello, clock: Clock): Promise<NetNode> {
  const exclusions = createExclusions(clock)
  let libp2p: Libp2p<Record<string, unknown>> | null = null
  // A peer may connect before the node has started.
  const outbound = (): number =>
    libp2p?.getConnections().filter((one) => one.direction === 'outbound').length ?? 0
  let { connectionsMax } = hello.limits
  const admit = createAdmission((inbound) => inbound + outbound() < connectionsMax)
  const listen = hello.mode === 'provide' ? hello.listen : []
  let listenProblem: string | null = null
  try {
    libp2p = await create(hello, listen, exclusions, admit)
  } catch (error) {
    if (listen.length === 0) throw error
    listenProblem = error instanceof Error ? error.message : String(error)
    libp2p = await create(hello, [], exclusions, admit)
  }
  const node = libp2p
  const { dht, limit } = node.services as Services

  return {
    libp2p: node,
    dht: dht ?? null,
    listenProblem,
    exclude(peer) {
      exclusions.add(peer)
      for (const connection of node.getConnections()) {
        if (connection.remotePeer.toString() === peer) connection.abort(new Error('excluded'))
      }
    },
    isExcluded: exclusions.isExcluded,
    get excludedPeers() {
      return exclusions.excludedPeers
    },
    setConnectionsMax(count) {
      connectionsMax = count
      limit.setMaxConnections(count)
    },
  }
}

async function create(
  hello: NetHello,
  listen: readonly string[],
  exclusions: Exclusions,
  admit: Admission,
): Promise<Libp2p<Record<string, unknown>>> {
  const isPrivate = hello.private
  // A node that should listen and cannot announces no address.
  const announce = hello.mode === 'provide' && listen.length === 0 ? [] : hello.announce
  return await createLibp2p({
    privateKey: await generateKeyPairFromSeed('Ed25519', Buffer.from(hello.key, 'base64url')),
    nodeInfo: { name: 'cairn', userAgent: hello.agent },
    addresses: { listen: [...listen], announce: [...announce] },
    transports: [tcp({ dialOpts: dialOptions(isPrivate) })],
    connectionEncrypters: [noise(), tls()],
    streamMuxers: [
      yamux({
        maxInboundStreams: streamsMax,
        maxOutboundStreams: streamsMax,
        streamOptions: {
          maxStreamWindowSize: streamWindowBytesMax,
          maxReadBufferLength: readBufferBytesMax,
          inactivityTimeout: streamIdleMs,
        },
      }),
    ],
    connectionManager: {
      maxConnections: hello.limits.connectionsMax,
      maxParallelDials: dialsMax,
      dialTimeout: dialMs,
      addressDialTimeout: addressDialMs,
      maxIncomingPendingConnections: pendingMax,
      inboundConnectionThreshold: newConnectionsPerSecondMax,
      resolvers: { dnsaddr: limitedDnsaddr },
    },
    // It closes connections whose ping takes two seconds; on a busy machine these are connections in use.
    connectionMonitor: { enabled: false },
    connectionGater: {
      denyDialPeer: (peer) => exclusions.isExcluded(peer.toString()),
      denyDialMultiaddr: (address) => !mayDial(address, isPrivate),
      denyInboundConnection: (connection) => !admit(connection),
      denyInboundEncryptedConnection: (peer) => exclusions.isExcluded(peer.toString()),
    },
    services: {
      identify: identify(),
      ping: ping(),
      limit: ({ connectionManager }: { connectionManager: ConnectionManager }) => ({
        setMaxConnections: (count: number) => connectionManager.setMaxConnections(count),
      }),
      ...(hello.dht === 'client' ? { dht: dhtOf(isPrivate) } : {}),
    },
  })
}

/** Host names from peers are resolved by a lookup that accepts only public addresses. */
function dialOptions(isPrivate: boolean): { readonly noDelay: boolean } {
  // js-libp2p passes all options on to `net.connect`.
  const checked = { noDelay: true, lookup: publicLookup }
  return isPrivate ? { noDelay: true } : checked
}

type Admission = (connection: MultiaddrConnection) => boolean

/**
 * Counts inbound connections from their first byte on; js-libp2p counts only those whose handshake has completed, so many
 * simultaneous ones would exceed its limit. Returns false if the limit of the address, or `hasRoom` for the total, refuses one
 * more.
 */
function createAdmission(hasRoom: (inbound: number) => boolean): Admission {
  const counts = new Map<string, number>()
  let inbound = 0
  return (connection) => {
    const network = networkOf(connection.remoteAddr.getComponents()[0]?.value ?? '')
    const count = counts.get(network) ?? 0
    if (count >= connectionsPerAddressMax || !hasRoom(inbound)) return false
    counts.set(network, count + 1)
    inbound += 1
    connection.addEventListener('close', () => {
      inbound -= 1
      const left = (counts.get(network) ?? 1) - 1
      if (left === 0) counts.delete(network)
      else counts.set(network, left)
    })
    return true
  }
}

const neverMs = 2 ** 31 - 1

/** As in Kubo, the DHT for non-public addresses has a separate protocol ID. */
export function dhtProtocol(isPrivate: boolean): string {
  return isPrivate ? '/ipfs/lan/kad/1.0.0' : '/ipfs/kad/1.0.0'
}

/** Without its own reproviding: the server schedules announcements. */
function dhtOf(isPrivate: boolean): ReturnType<typeof kadDHT> {
  return kadDHT({
    clientMode: true,
    protocol: dhtProtocol(isPrivate),
    peerInfoMapper: isPrivate ? passthroughMapper : removePrivateAddressesMapper,
    allowQueryWithZeroPeers: true,
    reprovide: { interval: neverMs },
    validators: { ipns: async () => {} },
    selectors: { ipns: () => 0 },
  })
}

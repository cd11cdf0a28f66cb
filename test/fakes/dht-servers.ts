// DHT servers of js-libp2p in the test process, on loopback. The routing table of each contains all others.
import type { TestContext } from 'node:test'
import { identify } from '@libp2p/identify'
import type { PeerId } from '@libp2p/interface'
import { kadDHT, passthroughMapper } from '@libp2p/kad-dht'
import { noise } from '@libp2p/noise'
import { peerIdFromString } from '@libp2p/peer-id'
import { ping } from '@libp2p/ping'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { createLibp2p } from 'libp2p'
import type { CID } from 'multiformats/cid'
import { cidOf, rawCodec } from '../../src/codec/ipld/cid.ts'
import type { DhtPeer } from '../../src/ipfs/network/child/dht-zone.ts'
import { dhtProtocol } from '../../src/ipfs/network/child/node.ts'
import { kadOf } from '../../src/ipfs/network/provide-times.ts'

export type DhtServer = DhtPeer & {
  readonly address: string
  /** IDs of the stored providers. */
  providersOf(multihash: Uint8Array): Promise<readonly string[]>
  /** Addresses of a known peer. */
  addressesOf(id: string): Promise<readonly string[]>
}

type Contact = { readonly peerId: PeerId; readonly kadId: Uint8Array; readonly lastPing: number }

/** Members that js-libp2p does not declare. */
type Inside = {
  readonly providers: { getProviders(cid: CID): Promise<readonly PeerId[]> }
  readonly routingTable: { readonly kb: { _add(contact: Contact): Promise<void> } }
}

const neverMs = 2 ** 31 - 1

export async function startDhtServers(
  t: Pick<TestContext, 'after'>,
  count: number,
): Promise<readonly DhtServer[]> {
  const nodes = await Promise.all(Array.from({ length: count }, startNode))
  t.after(() => Promise.all(nodes.map(async (node) => await node.stop())))
  const servers = nodes.map((node): DhtServer & { readonly peerId: PeerId } => {
    const { peerId } = node
    const inside = node.services.dht as unknown as Inside
    return {
      id: peerId.toString(),
      peerId,
      kad: kadOf(peerId.toMultihash().bytes),
      addresses: node.getMultiaddrs().map(String),
      address: node.getMultiaddrs().map(String)[0] ?? '',
      async providersOf(multihash) {
        const found = await inside.providers.getProviders(cidOf(1, rawCodec, multihash))
        return found.map(String)
      },
      async addressesOf(id) {
        const { addresses } = await node.peerStore.get(peerIdFromString(id))
        return addresses.map(({ multiaddr }) => String(multiaddr))
      },
    }
  })
  for (const node of nodes) {
    const { kb } = (node.services.dht as unknown as Inside).routingTable
    for (const [at, { peerId, kad }] of servers.entries()) {
      if (peerId.equals(node.peerId)) continue
      await node.peerStore.merge(peerId, { multiaddrs: nodes[at]?.getMultiaddrs() ?? [] })
      await kb._add({ peerId, kadId: kad, lastPing: performance.timeOrigin + performance.now() })
    }
  }
  return servers
}

function startNode() {
  return createLibp2p({
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionMonitor: { enabled: false },
    services: {
      identify: identify(),
      ping: ping(),
      dht: kadDHT({
        clientMode: false,
        protocol: dhtProtocol(true),
        peerInfoMapper: passthroughMapper,
        allowQueryWithZeroPeers: true,
        initialQuerySelfInterval: neverMs,
      }),
    },
  })
}

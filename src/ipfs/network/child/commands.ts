// Commands of the IPFS API that need the network: peers, Bitswap, routing. Replies have Kubo's shapes.
// Tested by src/ipfs/network/child/commands.test.ts, test/network/child.test.ts
import { publicKeyToProtobuf } from '@libp2p/crypto/keys'
import type { Connection, Peer } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import type { CID } from 'multiformats/cid'
import { decodeCid, parseCid } from '../../../codec/ipld/cid.ts'
import { parseIpnsName } from '../../../codec/ipld/ipns-name.ts'
import type { NetCommand, ProviderCheck } from '../net-messages.ts'
import type { BitswapClient } from './bitswap-client.ts'
import type { BitswapServer } from './bitswap-server.ts'
import type { Provider } from './block-peer.ts'
import type { Dht } from './dht.ts'
import type { Dialler } from './dialler.ts'
import type { NetNode } from './node.ts'
import { parseMultiaddr, peerOf } from './peer-addresses.ts'
import type { Routers } from './routers.ts'
import type { Traffic } from './traffic.ts'

export type CommandParts = {
  readonly node: NetNode
  readonly agent: string
  readonly client: BitswapClient
  readonly server: BitswapServer
  readonly routers: Routers
  readonly dht: Dht | null
  readonly dialler: Dialler
  readonly traffic: Traffic
  readonly messagesReceived: () => number
  readonly provide: (cid: CID, signal: AbortSignal) => Promise<number>
}

/** Ends the command; the client receives the message. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

export const addressesOfPeersMax = 1000
const encoder = new TextEncoder()

/** Calls `reply` for each value. Throws CommandError. */
export async function runCommand(
  command: NetCommand,
  parts: CommandParts,
  reply: (value: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  switch (command.name) {
    case 'id':
      return reply(await identityOf(command.arg ?? '', parts))
    case 'swarm/peers':
      return await describePeers(parts, reply)
    case 'swarm/addrs':
      return await knownAddresses(parts, reply)
    case 'swarm/addrs/local':
      return reply({ Strings: parts.node.libp2p.getMultiaddrs().map(withoutPeer) })
    case 'swarm/connect':
      return reply(await connect(command.arg, parts))
    case 'swarm/disconnect':
      return reply(await disconnect(command.arg, parts))
    case 'swarm/peering/add':
      return reply(addPeer(command.arg, parts.dialler))
    case 'swarm/peering/rm':
      return reply(removePeer(command.arg, parts.dialler))
    case 'swarm/peering/ls':
      return reply(listPeers(parts.dialler))
    case 'bitswap/stat':
      return reply(bitswapStat(parts))
    case 'bitswap/wantlist':
      return reply(wantlist(command.arg, parts))
    case 'bitswap/ledger':
      return reply(ledger(command.arg, parts))
    case 'stats/bw':
      return reply(bandwidth(parts.traffic))
    case 'routing/findprovs':
      return await findProviders(command.arg, command.max, parts, reply, signal)
    case 'provider-check':
      return await checkProvider(command.arg, parts, reply, signal)
    case 'routing/findpeer':
      return reply(await findPeer(command.arg, parts, signal))
    case 'routing/get':
      return await getRecords(command.arg, parts, reply, signal)
    case 'routing/put':
      return reply(await putRecord(command.arg, command.record, parts, signal))
    case 'routing/provide':
      return await provide(command.arg, parts, signal)
  }
}

const withoutPeer = (address: { toString(): string }): string =>
  String(address).replace(/\/p2p\/[^/]+$/, '')

/** `peer` empty: this node. Throws CommandError for a peer that has not identified itself. */
async function identityOf(peer: string, { node, agent }: CommandParts): Promise<unknown> {
  const { libp2p } = node
  const id = peer === '' ? libp2p.peerId : peerIdFromString(peerOfText(peer))
  const { publicKey } = id
  const isSelf = id.equals(libp2p.peerId)
  const known = isSelf ? null : await libp2p.peerStore.get(id).catch(() => null)
  if (!isSelf && (known === null || known.protocols.length === 0)) {
    throw new CommandError('routing: not found')
  }
  const addresses = known?.addresses.map(({ multiaddr }) => multiaddr) ?? libp2p.getMultiaddrs()
  return {
    ID: id.toString(),
    PublicKey:
      publicKey === undefined ? '' : Buffer.from(publicKeyToProtobuf(publicKey)).toString('base64'),
    Addresses: addresses.map((one) => `${withoutPeer(one)}/p2p/${id.toString()}`),
    AgentVersion: known === null ? agent : agentOf(known),
    Protocols: (known?.protocols ?? libp2p.getProtocols()).toSorted(),
  }
}

/** The agent version that the peer reports, shortened. */
function agentOf({ metadata }: Pick<Peer, 'metadata'>): string {
  const bytes = metadata.get('AgentVersion')
  return bytes === undefined ? '' : Buffer.from(bytes).toString().slice(0, 256)
}

/** One value for each connection: peers choose the size of their description, so all together may be too large for a frame. */
async function describePeers(
  { node }: CommandParts,
  reply: (value: unknown) => void,
): Promise<void> {
  for (const one of node.libp2p.getConnections()) reply(await describePeer(one, node))
}

async function describePeer(connection: Connection, { libp2p }: NetNode): Promise<unknown> {
  const known = await libp2p.peerStore.get(connection.remotePeer).catch(() => null)
  const protocols = known?.protocols ?? []
  return {
    Addr: withoutPeer(connection.remoteAddr),
    Peer: connection.remotePeer.toString(),
    Latency: connection.rtt === undefined ? 'n/a' : `${connection.rtt}ms`,
    Direction: connection.direction === 'inbound' ? 1 : 2,
    Streams: connection.streams.map(({ protocol }) => ({ Protocol: protocol })),
    Identify: {
      ID: connection.remotePeer.toString(),
      PublicKey: '',
      Addresses: known?.addresses.map(({ multiaddr }) => String(multiaddr)) ?? null,
      AgentVersion: known === null ? '' : agentOf(known),
      Protocols: protocols.length === 0 ? null : protocols,
    },
  }
}

/** One value for each peer, as for connections. */
async function knownAddresses(
  { node }: CommandParts,
  reply: (value: unknown) => void,
): Promise<void> {
  for (const { id, addresses } of await node.libp2p.peerStore.all({ limit: addressesOfPeersMax })) {
    reply({
      ID: id.toString(),
      Addrs: addresses.map(({ multiaddr }) => withoutPeer(multiaddr)),
    })
  }
}

async function connect(text: string, { dialler }: CommandParts): Promise<unknown> {
  const peer = peerOfText(text)
  try {
    const address = text.slice(0, text.lastIndexOf('/p2p/'))
    await dialler.dial(peer, address === '' ? [] : [address])
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`connect ${peer} failure: failed to dial: ${reason}`)
  }
  return { Strings: [`connect ${peer} success`] }
}

async function disconnect(text: string, { node }: CommandParts): Promise<unknown> {
  const peer = peerOfText(text)
  const connections = node.libp2p.getConnections(peerIdFromString(peer))
  if (connections.length === 0) {
    throw new CommandError(`disconnect ${peer} failure: not connected`)
  }
  await Promise.all(connections.map((one) => one.close()))
  return { Strings: [`disconnect ${peer} success`] }
}

/** A multiaddr that ends with a peer, or a peer ID. */
function peerOfText(text: string): string {
  const address = parseMultiaddr(text.startsWith('/') ? text : `/p2p/${text}`)
  const peer = address === null ? null : peerOf(address)
  try {
    if (peer !== null) return peerIdFromString(peer).toString()
  } catch {
    // Reported below.
  }
  throw new CommandError(`invalid peer address: ${text.slice(0, 200)}`)
}

function addPeer(text: string, dialler: Dialler): unknown {
  const peer = peerOfText(text)
  if (!dialler.addPeer(text)) throw new CommandError(`cannot add ${peer}`)
  return { Strings: [`add ${peer} success`] }
}

function removePeer(text: string, dialler: Dialler): unknown {
  const peer = peerOfText(text)
  dialler.removePeer(peer)
  return { Strings: [`remove ${peer} success`] }
}

function listPeers(dialler: Dialler): unknown {
  const peers = dialler.operatorPeers().filter((one) => one.kind === 'peer')
  return { Peers: peers.map(({ peer, addresses }) => ({ ID: peer, Addrs: addresses })) }
}

const linkOf = (bytes: Uint8Array): unknown => ({ '/': decodeCid(bytes)?.toString() ?? '' })

function bitswapStat({ client, server, node, messagesReceived }: CommandParts): unknown {
  const { counts } = client
  return {
    Wantlist: client.wantlist().map(linkOf),
    Peers: node.libp2p.getPeers().map(String),
    BlocksReceived: counts.blocksReceived + counts.duplicatesReceived,
    DataReceived: counts.bytesReceived + counts.duplicateBytesReceived,
    DupBlksReceived: counts.duplicatesReceived,
    DupDataReceived: counts.duplicateBytesReceived,
    MessagesReceived: messagesReceived(),
    BlocksSent: server.blocksSent,
    DataSent: server.bytesSent,
  }
}

/** `peer` empty: the wants of this node. */
/** Null for the own ID: this process does not know which wants a caller may see. */
function wantlist(text: string, { server, node }: CommandParts): unknown {
  const peer = peerOfText(text)
  if (peer === node.libp2p.peerId.toString()) return null
  return { Keys: server.wantlist(peer).map(linkOf) }
}

function ledger(text: string, { client, server }: CommandParts): unknown {
  const peer = peerOfText(text)
  const sent = server.sent(peer)
  const received = client.received(peer)
  return {
    Peer: peer,
    Value: sent.bytes / (received.bytes + 1),
    Sent: sent.bytes,
    Recv: received.bytes,
    Exchanged: sent.blocks + received.blocks,
  }
}

function bandwidth(traffic: Traffic): unknown {
  const total = traffic.total()
  const rates = traffic.rates()
  return { TotalIn: total.in, TotalOut: total.out, RateIn: rates.in, RateOut: rates.out }
}

const routingLine = (type: number, responses: unknown, extra = ''): unknown => ({
  Extra: extra,
  ID: '',
  Responses: responses,
  Type: type,
})

function cidOfText(text: string): CID {
  const cid = parseCid(text)
  if (cid === null) throw new CommandError(`invalid CID: ${text.slice(0, 200)}`)
  return cid
}

async function findProviders(
  text: string,
  max: number,
  { routers, dht }: CommandParts,
  reply: (value: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const cid = cidOfText(text)
  const seen = new Set<string>()
  const enough = new AbortController()
  const take = (provider: Provider): void => {
    if (provider.kind !== 'peer' || seen.has(provider.peer) || seen.size >= max) return
    seen.add(provider.peer)
    reply(routingLine(4, [{ ID: provider.peer, Addrs: provider.addresses }]))
    if (seen.size >= max) enough.abort()
  }
  const either = AbortSignal.any([signal, enough.signal])
  await Promise.all([
    routers.findProviders(cid, take, either),
    dht?.findProviders(cid, take, either),
  ])
}

/** Replies with a ProviderCheck for each router, and one for the DHT. */
async function checkProvider(
  text: string,
  { node, routers, dht }: CommandParts,
  reply: (value: ProviderCheck) => void,
  signal: AbortSignal,
): Promise<void> {
  const cid = cidOfText(text)
  // Routers write a peer ID in base58btc or as a CID.
  const own = parseIpnsName(node.libp2p.peerId.toString())?.text
  const isOwn = (id: string): boolean => parseIpnsName(id)?.text === own
  const [listings, counts] = await Promise.all([
    routers.checkProvider(cid, isOwn, signal),
    dht?.checkProvider(cid, signal),
  ])
  for (const { host, isListed } of listings) {
    reply({ by: host, answered: isListed === null ? 0 : 1, listed: isListed === true ? 1 : 0 })
  }
  if (counts !== undefined) reply({ by: 'DHT', ...counts })
}

async function findPeer(text: string, parts: CommandParts, signal: AbortSignal): Promise<unknown> {
  const peer = peerOfText(text)
  const connected = parts.node.libp2p.getConnections(peerIdFromString(peer))
  const addresses =
    connected.length > 0
      ? connected.map(({ remoteAddr }) => withoutPeer(remoteAddr))
      : await findAddresses(peer, parts, signal)
  if (addresses.length === 0) throw new CommandError('routing: not found')
  return routingLine(2, [{ ID: peer, Addrs: addresses }])
}

/** From routers, otherwise from the DHT. */
export async function findAddresses(
  peer: string,
  { routers, dht }: Pick<CommandParts, 'routers' | 'dht'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found = await routers.findPeer(peer, signal)
  return found.length > 0 || dht === null ? found : await dht.findPeer(peer, signal)
}

/** Parses `/ipns/<name>`, where the name is a CID or a peer ID. */
function ipnsOf(text: string): { readonly name: string; readonly key: Uint8Array } {
  const name = /^\/ipns\/([A-Za-z0-9]{20,128})$/.exec(text)?.[1]
  try {
    if (name === undefined) throw new TypeError('no name')
    const id = peerIdFromString(name.startsWith('k') ? peerIdOfCid(name) : name)
    const key = Buffer.concat([encoder.encode('/ipns/'), id.toMultihash().bytes])
    return { name: id.toCID().toString(), key }
  } catch {
    throw new CommandError(`invalid key: ${text.slice(0, 200)}`)
  }
}

function peerIdOfCid(name: string): string {
  const cid = parseCid(name)
  if (cid === null) throw new TypeError('no CID')
  const parsed = parseMultiaddr(`/p2p/${cid.toString()}`)
  const peer = parsed === null ? null : peerOf(parsed)
  if (peer === null) throw new TypeError('no peer')
  return peer
}

async function getRecords(
  text: string,
  { routers, dht }: CommandParts,
  reply: (value: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const { name, key } = ipnsOf(text)
  const lists = await Promise.all([routers.getIpns(name, signal), dht?.getRecords(key, signal)])
  const records = new Set(lists.flatMap((list) => list ?? []).map(toBase64))
  if (records.size === 0) throw new CommandError('routing: not found')
  for (const record of records) reply(routingLine(5, null, record))
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

async function putRecord(
  text: string,
  record: string,
  { routers, dht }: CommandParts,
  signal: AbortSignal,
): Promise<unknown> {
  const { name, key } = ipnsOf(text)
  const bytes = Buffer.from(record, 'base64')
  const [byRouter, peers] = await Promise.all([
    routers.putIpns(name, bytes, signal),
    dht?.putRecord(key, bytes, signal),
  ])
  if (!byRouter && (peers ?? 0) === 0) throw new CommandError('no peer stored the record')
  return routingLine(5, null)
}

async function provide(text: string, parts: CommandParts, signal: AbortSignal): Promise<void> {
  const stored = await parts.provide(cidOfText(text), signal)
  if (stored === 0) throw new CommandError('cannot provide, no peer of the DHT stored the record')
}

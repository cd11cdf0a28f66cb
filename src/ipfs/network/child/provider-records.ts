// Sends provider records to one DHT peer: all of them on one stream, then a PING, whose reply shows that the peer has read them.
// ADD_PROVIDER itself has no reply. Source: https://github.com/libp2p/specs/tree/master/kad-dht#rpc-messages.
// Tested by src/ipfs/network/child/provider-records.test.ts, test/network/sweep.test.ts
import type { Stream } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { Clock } from '../../../base/clock.ts'
import { withDeadline } from '../../../base/deadline.ts'
import { bytesField, encodeVarint, joinBytes, varintField } from '../../../codec/ipld/protobuf.ts'
import type { DhtPeer } from './dht-zone.ts'
import { type NetNode, dhtProtocol } from './node.ts'
import { dialTargets } from './peer-addresses.ts'
import { hasRoom } from './peer-streams.ts'

const addProvider = 2
const ping = 5
/** Time limit for the connection and all records of a peer. */
export const peerMs = 60_000
/** Maximum number of this node's addresses in a record. */
export const addressesMax = 16

/** Framed ADD_PROVIDER for a multihash. `provider`: from `encodeProvider`. */
function encodeRecord(multihash: Uint8Array, provider: Uint8Array): Uint8Array {
  return frame([
    ...varintField(1, addProvider),
    ...bytesField(2, multihash),
    ...bytesField(9, provider),
  ])
}

/** This node as the provider of a record. */
function encodeProvider(peer: Uint8Array, addresses: readonly Multiaddr[]): Uint8Array {
  return joinBytes([
    ...bytesField(1, peer),
    ...addresses.slice(0, addressesMax).flatMap(({ bytes }) => bytesField(2, bytes)),
  ])
}

function frame(parts: readonly Uint8Array[]): Uint8Array {
  const body = joinBytes(parts)
  return joinBytes([encodeVarint(body.length), body])
}

/** Resolves to whether the peer has read all records. */
export async function sendRecords(
  peer: DhtPeer,
  multihashes: readonly Uint8Array[],
  parts: { readonly node: NetNode; readonly isPrivate: boolean; readonly clock: Clock },
  signal: AbortSignal,
): Promise<boolean> {
  const { node, clock, isPrivate } = parts
  const { libp2p } = node
  const provider = encodeProvider(libp2p.peerId.toMultihash().bytes, libp2p.getMultiaddrs())
  using deadline = withDeadline(signal, peerMs, clock)
  let stream: Stream | null = null
  try {
    stream = await openStream(peer, node, dhtProtocol(isPrivate), deadline.signal)
    const replied = reply(stream, deadline.signal)
    for (const multihash of multihashes) {
      stream.send(encodeRecord(multihash, provider))
      await hasRoom(stream, clock)
    }
    stream.send(frame(varintField(1, ping)))
    const isTaken = await replied
    void stream.close().catch(() => {})
    return isTaken
  } catch (error) {
    stream?.abort(error as Error)
    return false
  }
}

async function openStream(
  { id, addresses }: DhtPeer,
  { libp2p }: NetNode,
  protocol: string,
  signal: AbortSignal,
): Promise<Stream> {
  const peer = peerIdFromString(id)
  const isConnected = libp2p.getConnections(peer).length > 0
  const targets = isConnected ? [] : [...dialTargets(id, addresses)]
  return await libp2p.dialProtocol(targets.length === 0 ? peer : targets, protocol, { signal })
}

/** Resolves to true when the first bytes arrive, to false at the end of the stream. Never rejects. */
function reply(stream: Stream, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    stream.addEventListener('message', () => resolve(true), { once: true })
    stream.addEventListener('close', () => resolve(false), { once: true })
    signal.addEventListener('abort', () => resolve(false), { once: true })
  })
}

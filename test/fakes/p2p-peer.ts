// A Bitswap peer in the test process, over real libp2p connections on loopback, honest or not.
import type { TestContext } from 'node:test'
import { identify } from '@libp2p/identify'
import type { Stream } from '@libp2p/interface'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import { cidOf, decodeCid, rawCodec } from '../../src/codec/ipld/cid.ts'
import { encodeVarint, joinBytes } from '../../src/codec/ipld/protobuf.ts'
import { sha256Name } from '../../src/codec/ipld/multihash.ts'
import {
  type BitswapMessage,
  type BitswapWant,
  bitswapProtocol,
  createMessageReader,
  decodeMessage,
  encodeMessage,
  type MessageToSend,
} from '../../src/ipfs/network/child/bitswap-message.ts'
import { hexOf } from './net-child.ts'

/**
 * `honest`: sends blocks and presences. `wrong`: other bytes for each block. `hanging`: no reply. `endless`: a message that does
 * not end. `huge`: declares a message over the limit. `leaving`: disconnects at the first want. `boasting`: claims to have
 * everything, sends nothing. `unwanted`: a block that was not requested.
 */
export type Manner =
  | 'honest'
  | 'wrong'
  | 'hanging'
  | 'endless'
  | 'huge'
  | 'leaving'
  | 'boasting'
  | 'unwanted'

export type P2pPeer = {
  readonly id: string
  readonly address: string
  readonly blocks: Map<string, Uint8Array>
  /** All received messages, except the bytes of blocks. */
  readonly messages: BitswapMessage[]
  manner: Manner
  /** Received wants, without cancels. */
  readonly wants: () => readonly BitswapWant[]
  readonly connections: () => number
  connect(address: string): Promise<void>
  send(to: string, message: MessageToSend): Promise<void>
  /** Sends bytes on the stream unchanged. */
  sendBytes(to: string, bytes: Uint8Array): Promise<Stream>
  openStreams(to: string, count: number): Promise<readonly Stream[]>
}

export async function startP2pPeer(
  t: Pick<TestContext, 'after'>,
  manner: Manner = 'honest',
  blocks: ReadonlyMap<string, Uint8Array> = new Map(),
): Promise<P2pPeer> {
  const node = await createLibp2p({
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionMonitor: { enabled: false },
    services: { identify: identify() },
  })
  t.after(() => node.stop())
  const messages: BitswapMessage[] = []
  const streams = new Map<string, Stream>()

  async function streamTo(peer: string): Promise<Stream> {
    const open = streams.get(peer)
    if (open !== undefined && open.writeStatus === 'writable') return open
    const stream = await openStream(peer)
    streams.set(peer, stream)
    return stream
  }

  async function openStream(peer: string): Promise<Stream> {
    const connection = node
      .getConnections()
      .find((one) => one.status === 'open' && one.remotePeer.toString() === peer)
    if (connection === undefined) throw new Error('not connected')
    return await connection.newStream(bitswapProtocol, { maxOutboundStreams: 1024 })
  }

  async function sendBytes(to: string, bytes: Uint8Array): Promise<Stream> {
    const stream = await streamTo(to)
    stream.send(bytes)
    return stream
  }

  /** As Kubo does: one stream per message. */
  const send = async (to: string, message: MessageToSend): Promise<void> => {
    const stream = await openStream(to)
    stream.send(encodeMessage(message))
    await stream.close()
  }

  async function answer(from: string, wants: readonly BitswapWant[]): Promise<void> {
    if (wants.length === 0) return
    if (peer.manner === 'hanging') return
    if (peer.manner === 'leaving') {
      for (const connection of node.getConnections()) connection.abort(new Error('leaving'))
      return
    }
    if (peer.manner === 'huge') return void (await sendBytes(from, encodeVarint(2 ** 25)))
    if (peer.manner === 'endless') {
      await sendBytes(from, joinBytes([encodeVarint(4_000_000), Buffer.alloc(100_000, 1)]))
      return
    }
    if (peer.manner === 'unwanted') {
      const bytes = Buffer.from(`unwanted ${Math.random()}`)
      return await send(from, {
        blocks: [{ cid: cidOf(1, rawCodec, sha256Name(bytes)).bytes, bytes }],
      })
    }
    for (const { cid, haveOnly } of wants) await answerOne(from, cid, haveOnly)
  }

  async function answerOne(from: string, cid: Uint8Array, haveOnly: boolean): Promise<void> {
    const key = hexOf(decodeCid(cid)?.multihash.bytes ?? cid)
    const bytes = peer.blocks.get(key)
    if (peer.manner === 'boasting') {
      if (haveOnly) await send(from, { presences: [{ cid, have: true }] })
    } else if (peer.manner === 'wrong') {
      await send(from, { blocks: [{ cid, bytes: Buffer.from(`wrong ${key}`) }] })
    } else if (bytes === undefined || haveOnly) {
      await send(from, { presences: [{ cid, have: bytes !== undefined }] })
    } else await send(from, { blocks: [{ cid, bytes }] })
  }

  await node.handle(
    bitswapProtocol,
    (stream, connection) => {
      const from = connection.remotePeer.toString()
      const reader = createMessageReader({ add: () => {} }, (bytes) => {
        const message = decodeMessage(bytes)
        messages.push(message)
        answer(
          from,
          message.wants.filter(({ cancel }) => !cancel),
        ).catch(() => {})
      })
      stream.addEventListener('message', ({ data }) => {
        for (const part of data instanceof Uint8Array ? [data] : data) reader.push(part)
      })
    },
    { maxInboundStreams: 128, maxOutboundStreams: 1024 },
  )

  const peer: P2pPeer = {
    id: node.peerId.toString(),
    address: node.getMultiaddrs().map(String)[0] ?? '',
    blocks: new Map(blocks),
    messages,
    manner,
    wants: () => messages.flatMap(({ wants }) => wants.filter(({ cancel }) => !cancel)),
    connections: () => node.getConnections().length,
    async connect(address) {
      await node.dial(multiaddr(address))
    },
    send,
    sendBytes,
    openStreams: (to, count) => Promise.all(Array.from({ length: count }, () => openStream(to))),
  }
  return peer
}

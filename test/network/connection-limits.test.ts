// Limits of the connections of the network process: dials, connections that are not secured yet, streams of one connection.
import { equal, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { platform } from 'node:os'
import { after, before, suite, test } from 'node:test'
import { generateKeyPair } from '@libp2p/crypto/keys'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { systemClock } from '../../src/base/clock.ts'
import { cidOf, rawCodec } from '../../src/codec/ipld/cid.ts'
import { sha256Name } from '../../src/codec/ipld/multihash.ts'
import { encodeVarint } from '../../src/codec/ipld/protobuf.ts'
import { messageBytesMax } from '../../src/ipfs/network/child/bitswap-message.ts'
import { dialsMax, pendingMax } from '../../src/ipfs/network/child/node.ts'
import { inboundStreamsMax, unfinishedBytesMax } from '../../src/ipfs/network/child/peer-streams.ts'
import { fetchDag, fileDag } from '../fakes/dags.ts'
import { hexOf, type NetChild, startNetChild } from '../fakes/net-child.ts'
import { startP2pPeer } from '../fakes/p2p-peer.ts'
import { until } from '../fakes/until.ts'

const limit = { timeout: 300_000 }
const withinMs = 60_000
const skip =
  platform() === 'linux' ? false : 'left out: only Linux has all addresses of 127.0.0.0/8'

test('32 dials are under way at a time', limit, async (t) => {
  const open = new Set<Socket>()
  let most = 0
  let all = 0
  const silent = createServer((socket) => {
    open.add(socket)
    all += 1
    most = Math.max(most, open.size)
    socket.on('error', () => {})
    socket.once('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const closeAll = (): void => {
    for (const socket of open) socket.destroy()
    open.clear()
  }
  t.after(() => {
    closeAll()
    silent.close()
  })
  const child = await startNetChild(t, { mode: 'fetch' })
  const { port } = silent.address() as AddressInfo
  const dials = 60
  for (let at = 0; at < dials; at += 1) {
    const peer = peerIdFromPrivateKey(await generateKeyPair('Ed25519')).toString()
    const arg = `/ip4/127.0.0.1/tcp/${port}/p2p/${peer}`
    child.command({ name: 'swarm/connect', arg }).catch(() => {})
  }
  await until(() => equal(open.size, dialsMax), withinMs)
  closeAll()
  await until(() => ok(all >= dials), withinMs)
  // A dial can begin before the end of another one is seen here.
  ok(most >= dialsMax && most < dialsMax + 8, `${most} dials`)
})

test('blocks arrive no faster than the rate of the settings', limit, async (t) => {
  const rate = 1024 * 1024
  const large = fileDag(randomBytes(3 * rate))
  const peer = await startP2pPeer(t, 'honest', large.blocks)
  const child = await startNetChild(t, { limits: { connectionsMax: 256, bytesPerSecondMax: rate } })
  const began = systemClock.monotonic()
  await fetchDag(child.open(large.root, [peer.address]), large.root)
  // The bytes of the first second pass at once, and a few messages are on their way.
  const tookMs = systemClock.monotonic() - began
  t.diagnostic(`${Math.round(tookMs)} ms`)
  ok(tookMs > 1_300, `${tookMs} ms`)
})

suite('of one process', () => {
  const stops: (() => void | Promise<void>)[] = []
  let child: NetChild
  before(async () => {
    child = await startNetChild({ after: (stop) => void stops.push(stop as () => void) })
  })
  after(async () => {
    for (const stop of stops) await stop()
  })

  test(
    '64 connections wait for their handshake, and further ones are closed',
    { ...limit, skip },
    async (t) => {
      const port = Number(/\/tcp\/(\d+)/.exec(child.address)?.[1])
      const open = new Set<Socket>()
      t.after(() => open.forEach((socket) => socket.destroy()))
      const perAddress = 4
      let connected = 0
      for (let at = 0; at < pendingMax + 5 * perAddress; at += 1) {
        const localAddress = `127.0.2.${1 + Math.floor(at / perAddress)}`
        const socket = connect({ host: '127.0.0.1', port, localAddress })
        open.add(socket)
        socket.on('error', () => {})
        socket.once('connect', () => (connected += 1))
        socket.once('close', () => open.delete(socket))
      }
      await until(() => equal(open.size, pendingMax), withinMs)
      equal(connected, pendingMax + 5 * perAddress)
    },
  )

  test('a connection has 512 Bitswap streams, and further ones are reset', limit, async (t) => {
    const peer = await startP2pPeer(t)
    await peer.connect(child.address)
    const streams = await peer.openStreams(child.ready.peer, inboundStreamsMax + 20)
    const open = () => streams.filter(({ status }) => status === 'open').length
    await until(() => equal(open(), inboundStreamsMax), withinMs)
  })

  test(
    'a peer that fills the memory of unfinished messages loses its streams, others are served',
    limit,
    async (t) => {
      const [hoarder, other] = [await startP2pPeer(t), await startP2pPeer(t)]
      const block = Buffer.from('a block')
      const multihash = sha256Name(block)
      child.blocks.set(hexOf(multihash), block)
      const to = child.ready.peer
      await Promise.all([hoarder.connect(child.address), other.connect(child.address)])
      const already = child.counts()?.connectionBytesIn ?? 0
      const part = Buffer.alloc(messageBytesMax - 1)
      const count = Math.floor(unfinishedBytesMax / part.length)
      const streams = await hoarder.openStreams(to, count)
      for (const stream of streams) {
        stream.send(encodeVarint(messageBytesMax))
        stream.send(part)
      }
      const received = () => (child.counts()?.connectionBytesIn ?? 0) - already
      await until(() => ok(received() >= count * part.length), withinMs)
      equal(hoarder.connections(), 1)
      await other.send(to, {
        wants: [
          { cid: cidOf(1, rawCodec, multihash).bytes, priority: 1, cancel: false, haveOnly: false },
        ],
      })
      await until(() => equal(other.messages.length, 1), withinMs)
      equal(other.connections(), 1)
      await until(() => ok(streams.every(({ status }) => status !== 'open')), withinMs)
    },
  )
})

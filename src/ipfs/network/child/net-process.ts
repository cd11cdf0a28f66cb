// The network process behind its socket: frames in, libp2p, Bitswap, routing, frames out. It reads and writes no file, and
// has no block but those that pass through.
// Tested by test/network/child.test.ts
import type { Duplex } from 'node:stream'
import type { CID } from 'multiformats/cid'
import type { Clock } from '../../../base/clock.ts'
import { cidOf, rawCodec } from '../../../codec/ipld/cid.ts'
import { createReceiveCredit, createSendCredit } from '../net-credit.ts'
import {
  createToNetReader,
  encodeFromNet,
  FrameError,
  type FromNet,
  type ToNet,
  writeFrame,
} from '../net-frames.ts'
import type { NetCommand, NetCounts, NetHello } from '../net-messages.ts'
import { createBitswapClient } from './bitswap-client.ts'
import { createBitswapServer, serverLimits } from './bitswap-server.ts'
import { CommandError, type CommandParts, findAddresses, runCommand } from './commands.ts'
import { createDht } from './dht.ts'
import { createDialler } from './dialler.ts'
import { createHttpProviders } from './http-providers.ts'
import { startNode } from './node.ts'
import { providersOfAddress } from './peer-addresses.ts'
import { openPeerStreams, type PeerStreams } from './peer-streams.ts'
import { createProviderLookup } from './provider-lookup.ts'
import { createRouters } from './routers.ts'
import { createTokenBucket } from './token-bucket.ts'
import { measureTraffic } from './traffic.ts'

const countsMs = 5_000
const tickMs = 500
const commandsMax = 64

/** Calls `fail` once for bytes that are no frames of the server; the process then has to end. */
export function runNetProcess(socket: Duplex, clock: Clock, fail: (error: Error) => void): void {
  let running: Running | null = null

  async function hello(message: NetHello): Promise<void> {
    socket.pause()
    running = await start(message, send, clock)
    socket.resume()
  }

  function send(frame: FromNet): void {
    if (socket.writable) writeFrame(socket, encodeFromNet(frame))
  }

  const read = createToNetReader((frame) => {
    if (running !== null) running.take(frame)
    else if (frame.kind === 'hello') hello(frame.message).catch(fail)
    else throw new FrameError(`${frame.kind} before READY`)
  })
  socket.on('data', (bytes: Uint8Array) => {
    try {
      read(bytes)
    } catch (error) {
      fail(error as Error)
    }
  })
}

type Running = { take(frame: ToNet): void }

async function start(
  hello: NetHello,
  send: (frame: FromNet) => void,
  clock: Clock,
): Promise<Running> {
  const traffic = measureTraffic(clock)
  const node = await startNode(hello, clock)
  const sendCredit = createSendCredit()
  const receiveCredit = createReceiveCredit((bytes) => send({ kind: 'credit', id: 0, bytes }))
  const routers = createRouters(hello.routers, clock)
  const dht = node.dht === null ? null : createDht(node.dht, node, clock)
  let routerUrls = hello.routers
  let streams: PeerStreams | null = null
  const wake = (peer: string): void => streams?.wake(peer)
  const inbound = createTokenBucket(clock, hello.limits.bytesPerSecondMax)

  const findPeer = (peer: string, signal: AbortSignal) =>
    findAddresses(peer, { routers, dht }, signal)
  const dialler = createDialler(node, hello, findPeer, clock)
  const server = createBitswapServer({
    mode: node.listenProblem === null ? hello.mode : 'fetch',
    ask: (id, multihash, sizeOnly) => send({ kind: 'ask', id, sizeOnly, multihash }),
    wake,
    clock,
    bytesPerSecondMax: hello.limits.bytesPerSecondMax,
    limits: serverLimits,
  })
  const gateways = createHttpProviders({
    clock,
    isPrivate: hello.private,
    answered: (name, cid, bytes) => client.gatewayAnswered(name, cid, bytes),
    lied: (name) => client.gatewayLied(name),
  })
  const client = createBitswapClient({
    clock,
    found(id, bytes) {
      sendCredit.spend(bytes.length, () => send({ kind: 'found', id, bytes }))
      setReading()
    },
    failed: (id, reason) =>
      send(reason === 'none' ? { kind: 'none', id } : { kind: 'failed', id, reason }),
    lookUp: createProviderLookup({
      routers: () => (routerUrls.length === 0 ? null : routers),
      dht,
      clock,
    }),
    dial: (peer, addresses) => dialler.dial(peer, addresses),
    openGateway: (url) => gateways.open(url),
    wake,
    exclude: (peer) => node.exclude(peer),
    operatorPeers: () => dialler.operatorPeers(),
  })

  let isLimited = false
  function setReading(): void {
    streams?.pauseReading(isLimited || sendCredit.waiting > 0)
  }

  /** Messages over the rate stop reading until the rate allows more. */
  function limit(bytes: number): void {
    inbound.take(bytes)
    const waitMs = inbound.waitMs()
    if (waitMs === 0 || isLimited) return
    isLimited = true
    setReading()
    clock.after(waitMs, () => {
      isLimited = false
      setReading()
    })
  }

  streams = await openPeerStreams(
    node,
    {
      receive(peer, message, bytes) {
        client.receive(peer, message)
        server.receive(peer, message.wants, message.full)
        limit(bytes)
      },
      next: (peer) => client.next(peer) ?? server.next(peer),
      gone(peer) {
        client.gone(peer)
        server.gone(peer)
      },
      broken(peer) {
        client.lied(peer)
      },
    },
    clock,
  )
  let provided = 0
  let provideFailures = 0

  async function provide(cid: CID, signal: AbortSignal): Promise<number> {
    const stored = dht === null ? 0 : await dht.provide(cid, signal)
    if (stored > 0) provided += 1
    else provideFailures += 1
    return stored
  }

  async function provideAll(id: number, multihashes: readonly Uint8Array[]): Promise<void> {
    const { signal } = new AbortController()
    const codes = await Promise.all(
      multihashes.map(async (multihash) => {
        if (dht === null) return 3
        try {
          return (await provide(cidOf(1, rawCodec, multihash), signal)) > 0 ? 0 : 1
        } catch {
          return 1
        }
      }),
    )
    send({ kind: 'provided', id, codes: Uint8Array.from(codes) })
  }

  function counts(): NetCounts {
    const connections = node.libp2p.getConnections()
    const inboundPeers = connections.filter(({ direction }) => direction === 'inbound').length
    const { in: connectionBytesIn, out: connectionBytesOut } = traffic.total()
    const { heapUsed: heapBytes, rss: rssBytes } = process.memoryUsage()
    return {
      peers: { in: inboundPeers, out: connections.length - inboundPeers },
      ...client.counts,
      excludedPeers: node.excludedPeers,
      blocksSent: server.blocksSent,
      bytesSent: server.bytesSent,
      messagesReceived: streams?.messagesReceived ?? 0,
      httpBlocksReceived: gateways.blocksReceived,
      routerRequests: routers.requests,
      routerFailures: routers.failures,
      dhtLookups: dht?.lookups ?? 0,
      dhtPeers: dht?.peers ?? 0,
      provided,
      provideFailures,
      connectionBytesIn,
      connectionBytesOut,
      heapBytes,
      rssBytes,
    }
  }

  clock.every(countsMs, () => send({ kind: 'counts', id: 0, message: counts() }))
  clock.every(tickMs, () => client.tick())
  const commands = createCommandRuns(
    {
      node,
      agent: hello.agent,
      client,
      server,
      routers,
      dht,
      dialler,
      traffic,
      messagesReceived: () => streams?.messagesReceived ?? 0,
      provide,
    },
    send,
  )
  const { libp2p, listenProblem } = node
  const addrs = libp2p.getMultiaddrs().map(String)
  send({
    kind: 'ready',
    id: 0,
    message: { v: 1, peer: libp2p.peerId.toString(), addrs, listenProblem },
  })

  function take(frame: ToNet): void {
    switch (frame.kind) {
      case 'hello':
        throw new FrameError('a second HELLO')
      case 'open':
        return client.open(frame.id, frame.root, frame.hints.flatMap(providersOfAddress))
      case 'shut':
        return client.shut(frame.id)
      case 'want':
        return client.want(frame.id, frame.session, frame.cid)
      case 'drop':
        return client.drop(frame.id)
      case 'here':
        receiveCredit.receive(frame.bytes.length)
        receiveCredit.release(frame.bytes.length)
        return server.here(frame.id, frame.bytes)
      case 'size':
        return server.size(frame.id, frame.bytes)
      case 'notHere':
        return server.notHere(frame.id)
      case 'provide':
        return void provideAll(frame.id, frame.multihashes)
      case 'command':
        return commands.run(frame.id, frame.message)
      case 'cancel':
        return commands.cancel(frame.id)
      case 'live':
        routerUrls = frame.message.routers
        routers.replace(routerUrls)
        dialler.replacePeers(frame.message.peers)
        server.setRate(frame.message.limits.bytesPerSecondMax)
        return inbound.setRate(frame.message.limits.bytesPerSecondMax)
      case 'credit':
        sendCredit.grant(frame.bytes)
        return setReading()
    }
  }
  return { take }
}

function createCommandRuns(
  parts: CommandParts,
  send: (frame: FromNet) => void,
): { run(id: number, command: NetCommand): void; cancel(id: number): void } {
  const running = new Map<number, AbortController>()

  async function run(id: number, command: NetCommand, aborter: AbortController): Promise<void> {
    const reply = (value: unknown): void => {
      if (!aborter.signal.aborted) send({ kind: 'reply', id, message: { value } })
    }
    try {
      await runCommand(command, parts, reply, aborter.signal)
    } catch (error) {
      if (aborter.signal.aborted) return
      const text = error instanceof CommandError ? error.message : 'the command failed'
      send({ kind: 'reply', id, message: { error: text } })
    } finally {
      running.delete(id)
      if (!aborter.signal.aborted) send({ kind: 'reply', id, message: null })
    }
  }

  return {
    run(id, command) {
      if (running.size >= commandsMax) {
        send({ kind: 'reply', id, message: { error: 'too many commands run' } })
        send({ kind: 'reply', id, message: null })
        return
      }
      const aborter = new AbortController()
      running.set(id, aborter)
      void run(id, command, aborter)
    },
    cancel(id) {
      running.get(id)?.abort(new Error('cancelled'))
    },
  }
}

// The network process: exchanges frames with the server over a socket and runs libp2p, Bitswap and routing. It reads and writes no
// files, and stores no blocks.
// Tested by test/network/child.test.ts
import type { Duplex } from 'node:stream'
import type { Clock } from '../../../base/clock.ts'
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
import { type BitswapClient, createBitswapClient } from './bitswap-client.ts'
import { type BitswapServer, createBitswapServer, serverLimits } from './bitswap-server.ts'
import { CommandError, type CommandParts, findAddresses, runCommand } from './commands.ts'
import { createDht, type Dht } from './dht.ts'
import { createDialler, type Dialler } from './dialler.ts'
import { gatherWrites } from './gathered-writes.ts'
import { createHttpProviders, type HttpProviders } from './http-providers.ts'
import { type NetNode, startNode } from './node.ts'
import { providersOfAddress } from './peer-addresses.ts'
import { openPeerStreams, type PeerHooks, type PeerStreams } from './peer-streams.ts'
import { createProviderLookup } from './provider-lookup.ts'
import { sendRecords } from './provider-records.ts'
import { createRecordProvider, type RecordProvider } from './record-provider.ts'
import { createRouters, type Routers } from './routers.ts'
import { createRunningClock, type RunningClock } from './running-clock.ts'
import { createSweep, type Sweep } from './sweep.ts'
import { createTokenBucket } from './token-bucket.ts'
import { measureTraffic, type Traffic } from './traffic.ts'

const countsMs = 5_000
const tickMs = 500
const commandsMax = 64

/** Calls `fail` once if the server sends malformed frames; the process then has to end. */
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
type Send = (frame: FromNet) => void

async function start(hello: NetHello, send: Send, clock: Clock): Promise<Running> {
  const traffic = measureTraffic(clock)
  /** For time limits. */
  const running = createRunningClock(clock)
  gatherWrites()
  const node = await startNode(hello, clock)
  const routers = createRouters(hello.routers, running)
  const dht = node.dht === null ? null : createDht(node.dht, node, running)
  const findPeer = (peer: string, signal: AbortSignal) =>
    findAddresses(peer, { routers, dht }, signal)
  const dialler = createDialler(node, hello, findPeer, running)
  const provider = createRecordProvider(
    dht === null ? null : { records: dht, sweep: sweepOf(dht, node, hello, running) },
  )
  const bitswap = await startBitswap({ hello, send, clock, running, node, routers, dht, dialler })
  const { client, server, gateways, streams } = bitswap
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
      messagesReceived: () => streams.messagesReceived,
      provide: provider.provide,
    },
    send,
  )
  const parts = { node, client, server, gateways, streams, routers, dht, provider, traffic }
  clock.every(countsMs, () => send({ kind: 'counts', id: 0, message: countsOf(parts) }))
  clock.every(tickMs, () => client.tick())

  const { libp2p, listenProblem } = node
  const addrs = libp2p.getMultiaddrs().map(String)
  const peer = libp2p.peerId.toString()
  send({ kind: 'ready', id: 0, message: { v: 1, peer, addrs, listenProblem } })
  return {
    take(frame) {
      switch (frame.kind) {
        case 'hello':
          throw new FrameError('a second HELLO')
        case 'provide':
          return void provider
            .provideAll(frame.multihashes, frame.regionBits)
            .then((codes) => send({ kind: 'provided', id: frame.id, codes }))
        case 'command':
          return commands.run(frame.id, frame.message)
        case 'cancel':
          return commands.cancel(frame.id)
        case 'live':
          routers.replace(frame.message.routers)
          dialler.replacePeers(frame.message.peers)
          node.setConnectionsMax(frame.message.limits.connectionsMax)
          return bitswap.setRate(frame.message.limits.bytesPerSecondMax)
        case 'open':
        case 'shut':
        case 'want':
        case 'drop':
        case 'here':
        case 'size':
        case 'notHere':
        case 'credit':
          return bitswap.take(frame)
      }
    },
  }
}

function sweepOf(dht: Dht, node: NetNode, hello: NetHello, clock: Clock): Sweep {
  const parts = { node, isPrivate: hello.private, clock }
  const { signal } = new AbortController()
  return createSweep({
    dht,
    send: (peer, multihashes) => sendRecords(peer, multihashes, parts, signal),
    clock,
  })
}

type BitswapParts = {
  readonly hello: NetHello
  readonly send: Send
  /** For rates. */
  readonly clock: Clock
  readonly running: RunningClock
  readonly node: NetNode
  readonly routers: Routers
  readonly dht: Dht | null
  readonly dialler: Dialler
}

type Bitswap = {
  readonly client: BitswapClient
  readonly server: BitswapServer
  readonly gateways: HttpProviders
  readonly streams: PeerStreams
  take(frame: BitswapFrame): void
  setRate(bytesPerSecond: number): void
}

type BitswapFrame = Exclude<
  ToNet,
  { readonly kind: 'hello' | 'provide' | 'command' | 'cancel' | 'live' }
>

async function startBitswap(parts: BitswapParts): Promise<Bitswap> {
  const { hello, send, clock, running, node, routers, dht, dialler } = parts
  const { bytesPerSecondMax } = hello.limits
  let streams: PeerStreams | null = null
  const wake = (peer: string): void => streams?.wake(peer)
  const flow = createFlow(clock, bytesPerSecondMax, (isPaused) => streams?.pauseReading(isPaused))
  const receiveCredit = createReceiveCredit((bytes) => send({ kind: 'credit', id: 0, bytes }))

  const server = createBitswapServer({
    mode: node.listenProblem === null ? hello.mode : 'fetch',
    ask: (id, multihash, sizeOnly) => send({ kind: 'ask', id, sizeOnly, multihash }),
    wake,
    clock,
    bytesPerSecondMax,
    limits: serverLimits,
  })
  const gateways = createHttpProviders({
    clock: running,
    isPrivate: hello.private,
    answered: (name, cid, bytes) => client.gatewayAnswered(name, cid, bytes),
    sentInvalid: (name) => client.rejectGateway(name),
  })
  const client = createBitswapClient({
    clock: running,
    found: (id, bytes) => flow.spend(bytes.length, () => send({ kind: 'found', id, bytes })),
    failed: (id, reason) =>
      send(reason === 'none' ? { kind: 'none', id } : { kind: 'failed', id, reason }),
    lookUp: createProviderLookup({ routers, dht, clock: running }),
    dial: (peer, addresses) => dialler.dial(peer, addresses),
    openGateway: (url) => gateways.open(url),
    wake,
    exclude: (peer) => node.exclude(peer),
    operatorPeers: () => dialler.operatorPeers(),
  })
  const hooks: PeerHooks = {
    receive(peer, message, bytes) {
      client.receive(peer, message)
      server.receive(peer, message.wants, message.full)
      flow.limit(bytes)
    },
    next: (peer) => client.next(peer) ?? server.next(peer),
    disconnected(peer) {
      client.disconnected(peer)
      server.disconnected(peer)
    },
    broken: (peer) => client.rejectPeer(peer),
  }
  streams = await openPeerStreams(node, hooks, running)

  function take(frame: BitswapFrame): void {
    switch (frame.kind) {
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
      case 'credit':
        return flow.grant(frame.bytes)
    }
  }

  return {
    client,
    server,
    gateways,
    streams,
    take,
    setRate(bytesPerSecond) {
      server.setRate(bytesPerSecond)
      flow.setRate(bytesPerSecond)
    },
  }
}

type Flow = {
  spend(bytes: number, run: () => void): void
  grant(bytes: number): void
  /** Counts bytes received from peers. */
  limit(bytes: number): void
  setRate(bytesPerSecond: number): void
}

/** Stops reading from peers while blocks wait for the server's credit, or arrive faster than the rate. */
function createFlow(clock: Clock, rate: number, pause: (isPaused: boolean) => void): Flow {
  const credit = createSendCredit()
  const bucket = createTokenBucket(clock, rate)
  let isLimited = false
  const set = (): void => pause(isLimited || credit.waiting > 0)

  return {
    spend(bytes, run) {
      credit.spend(bytes, run)
      set()
    },
    grant(bytes) {
      credit.grant(bytes)
      set()
    },
    limit(bytes) {
      bucket.take(bytes)
      const waitMs = bucket.waitMs()
      if (waitMs === 0 || isLimited) return
      isLimited = true
      set()
      clock.after(waitMs, () => {
        isLimited = false
        set()
      })
    },
    setRate: (bytesPerSecond) => bucket.setRate(bytesPerSecond),
  }
}

type Counted = Pick<Bitswap, 'client' | 'server' | 'gateways' | 'streams'> &
  Pick<BitswapParts, 'node' | 'routers' | 'dht'> & {
    readonly provider: RecordProvider
    readonly traffic: Traffic
  }

function countsOf(parts: Counted): NetCounts {
  const { node, client, server, gateways, streams, routers, dht, provider, traffic } = parts
  const connections = node.libp2p.getConnections()
  const inbound = connections.filter(({ direction }) => direction === 'inbound').length
  const { in: connectionBytesIn, out: connectionBytesOut } = traffic.total()
  const { heapUsed: heapBytes, rss: rssBytes } = process.memoryUsage()
  return {
    peers: { in: inbound, out: connections.length - inbound },
    ...client.counts,
    excludedPeers: node.excludedPeers,
    blocksSent: server.blocksSent,
    bytesSent: server.bytesSent,
    messagesReceived: streams.messagesReceived,
    httpBlocksReceived: gateways.blocksReceived,
    routerRequests: routers.requests,
    routerFailures: routers.failures,
    dhtLookups: dht?.lookups ?? 0,
    dhtPeers: dht?.peers ?? 0,
    provided: provider.provided,
    provideFailures: provider.failures,
    connectionBytesIn,
    connectionBytesOut,
    heapBytes,
    rssBytes,
  }
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

// The HTTP server: the only importer of node:http. The lean listener accepts each connection and hands over to node:http all
// requests that are not plain JSON-RPC calls. All defaults of node:http are set explicitly, every handler runs inside one try, and
// a stop lets calls in flight end.
import {
  createServer as createNodeServer,
  type IncomingMessage,
  type Server as NodeServer,
  ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { Server as NetServer, type Socket } from 'node:net'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { createAddressCap, createIdleSockets } from './connection-limits.ts'
import { type ClientAddress, createRequestIds, peerAddress, readTarget } from './request-head.ts'
import { createEndlessReplies } from './endless-replies.ts'
import { createDateHeader, sendAnswer, textAnswer } from './text-answer.ts'
import type { PlainHead } from './lean/head-parser.ts'
import { createLeanListener } from './lean/lean-listener.ts'
import { type ListenAddress, listen } from './listen.ts'
import { NodeExchange } from './node-exchange.ts'
import { readOrigin } from './origin-line.ts'
import { createPassedSockets } from './passed-sockets.ts'
import type { Routes } from './routes.ts'
import { createSecureSockets } from './secure-sockets.ts'
import type { TlsCertificate } from './tls-certificate.ts'
import type { Upgrades } from './upgrade.ts'

export type ServerSettings = {
  /** Which code reads plain calls: the lean listener, or node:http as for all other requests. */
  readonly listener: 'lean' | 'node'
  /** Longer than load balancers keep idle connections (60 s in most). */
  readonly keepAliveMs: number
  /** From the first byte to the end of the headers. */
  readonly headersMs: number
  /** Interval of the checks of `headersMs`. */
  readonly connectionsCheckMs: number
  readonly headerBytesMax: number
  readonly connectionsMax: number
  readonly connectionsPerAddressMax: number
  readonly backlog: number
}

export const defaultServerSettings: ServerSettings = {
  listener: 'lean',
  keepAliveMs: 75_000,
  headersMs: 10_000,
  connectionsCheckMs: 1_000,
  headerBytesMax: 16_384,
  connectionsMax: 10_000,
  connectionsPerAddressMax: 1_000,
  backlog: 1_024,
}

type TlsPair = Pick<TlsCertificate, 'cert' | 'key'>

export type ServerParts = {
  readonly settings: ServerSettings
  readonly routes: Routes
  /** Accepts WebSockets. Absent: every upgrade request gets an HTTP reply. */
  readonly upgrades?: Upgrades
  /** The listener speaks TLS with this certificate; absent: plain HTTP. */
  readonly certificate?: TlsPair
  /** In a worker: the requests that it answers, and the transfer of all others. Absent: this process answers everything. */
  readonly share?: WorkerShare
  /** In the keeper: connections come from workers, each with its origin line (origin-line.ts). */
  readonly isKeeper?: boolean
  /** Default: the client address is that of the peer. */
  readonly clientAddress?: ClientAddress
  /** Logs each answer at level debug. Off by default, because it costs a listener per answer. */
  readonly logAnswers?: () => boolean
  readonly clock: Clock
  readonly log: Log
}

/** The requests that a worker answers itself. */
export type WorkerShare = {
  /** Plain JSON-RPC calls; others are passed on. */
  readonly serves: (call: Pick<PlainHead, 'target' | 'rpcPath'>) => boolean
  /** Decides from the first bytes about all other requests: true, this process answers the request and closes its connection. */
  readonly accepts: (first: Buffer) => boolean
  /** Passes the connection on. */
  readonly pass: (socket: Socket) => void
  readonly closePassed: () => void
}

export interface Server {
  /** Resolves with the bound port, 0 for a Unix socket. Rejects with one sentence for people. */
  listen(where: ListenAddress): Promise<number>
  readonly draining: boolean
  /** Open connections, upgraded ones included. */
  readonly connections: number
  /** New TLS connections use this certificate; open ones keep theirs. No effect without TLS. */
  changeCertificate(certificate: TlsPair): void
  /** A worker ends: drains the connections that it passed on. Those still open are closed when the worker closes them. */
  drainWorker(worker: number, limits: DrainLimits): void
  /**
   * Stops listening, and ends endless replies. During `graceMs`, open connections may still send calls, which are answered with `Connection: close`. Then
   * closes idle connections, and at `deadlineMs` all. Resolves when none is left.
   */
  drain(limits: DrainLimits): Promise<void>
}

type DrainLimits = { readonly graceMs: number; readonly deadlineMs: number }

/** Builds a server that does not listen yet. */
export function createServer(parts: ServerParts): Server {
  const { settings, routes, upgrades, share, logAnswers = () => false, clock, log } = parts
  const { clientAddress = peerAddress } = parts
  const passed = createPassedSockets()
  const requestIdOf = createRequestIds()
  const dateOf = createDateHeader(clock)
  let draining = false
  const isDraining = (socket: Socket | null): boolean => draining || passed.isLeaving(socket)
  const endless = createEndlessReplies(isDraining)

  class DrainingResponse extends ServerResponse<IncomingMessage> {
    // Every reply of node:http passes through this method.
    override writeHead(statusCode: number, ...rest: never[]): this {
      if (isDraining(this.socket)) this.shouldKeepAlive = false
      return super.writeHead(statusCode, ...rest)
    }
  }

  function logAnswer(request: IncomingMessage, response: ServerResponse, requestId: string): void {
    const startedMs = clock.monotonic()
    response.once('close', () => {
      // The URL is never logged, because it contains the key.
      log('debug', 'request', {
        requestId,
        method: request.method,
        status: response.statusCode,
        ended: response.writableFinished,
        ms: clock.monotonic() - startedMs,
      })
    })
  }

  function failed(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    cause: unknown,
  ): void {
    log('error', 'a face failed', { requestId, cause })
    if (response.headersSent) response.destroy()
    else {
      const head = { connection: 'close', 'x-request-id': requestId }
      sendAnswer(request, response, textAnswer(500, 'internal error', head))
    }
  }

  function handle(
    request: IncomingMessage,
    response: ServerResponse,
    awaitsContinue: boolean,
  ): void {
    idle.used(request, response)
    const requestId = requestIdOf(request.headers['x-request-id'])
    if (logAnswers()) logAnswer(request, response, requestId)
    try {
      // If an upgrade without a handler is followed by bytes in the same packet, node:http drops them, and a call in them would get
      // no reply. So the connection closes. A worker always closes it, because the next request may be one for the keeper.
      if (request.headers.upgrade !== undefined || share !== undefined) {
        response.shouldKeepAlive = false
      }
      const target = readTarget(request)
      if (typeof target === 'string') {
        const answer = textAnswer(400, target, { connection: 'close', 'x-request-id': requestId })
        sendAnswer(request, response, answer)
        return
      }
      const parts = {
        request,
        response,
        target,
        requestId,
        awaitsContinue,
        draining,
        endless,
        clientAddress,
        clock,
      }
      const answered = routes.any(new NodeExchange(parts))
      if (answered instanceof Promise) {
        answered.catch((thrown: unknown) => failed(request, response, requestId, thrown))
      }
    } catch (thrown) {
      failed(request, response, requestId, thrown)
    }
  }

  function openUpgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    idle.upgraded(socket)
    const requestId = requestIdOf(request.headers['x-request-id'])
    const target = readTarget(request)
    // Usually checked by `takes`, but this version of Node may not call it.
    if (upgrades === undefined || typeof target === 'string') {
      socket.destroy()
      return
    }
    const refuse = (): NodeExchange => {
      const response = new DrainingResponse(request)
      response.shouldKeepAlive = false
      response.once('finish', () => socket.destroySoon())
      response.assignSocket(socket)
      const rest = { requestId, awaitsContinue: false, draining, endless, clientAddress, clock }
      return new NodeExchange({ request, response, target, ...rest })
    }
    const forwardedFor = request.headers['x-forwarded-for'] as string | undefined
    const address = clientAddress.of(socket.remoteAddress ?? '', forwardedFor)
    upgrades.open({ request, socket, address, head, target, requestId, draining, refuse })
  }

  const options = {
    ServerResponse: DrainingResponse,
    keepAliveTimeout: settings.keepAliveMs,
    headersTimeout: settings.headersMs,
    connectionsCheckingInterval: settings.connectionsCheckMs,
    // Disabled: the APIs have their own deadlines for bodies.
    requestTimeout: 0,
    maxHeaderSize: settings.headerBytesMax,
    insecureHTTPParser: false,
    shouldUpgradeCallback: (request: IncomingMessage) => upgrades?.accepts(request) ?? false,
    requireHostHeader: true,
    joinDuplicateHeaders: false,
    noDelay: true,
    keepAlive: true,
    highWaterMark: 65_536,
  }
  const { certificate } = parts
  const secure =
    certificate === undefined
      ? null
      : createSecureServer({
          ...options,
          ...tlsTerms,
          cert: certificate.cert,
          key: certificate.key,
          handshakeTimeout: settings.headersMs,
        })
  // The members used here are the same in a node:https server; only the types are unrelated.
  const node = (secure as NodeServer | null) ?? createNodeServer(options)
  node.maxConnections = settings.connectionsMax
  // The listeners by which node:http accepts a connection, called for new or handed-over ones.
  const takers = listenersOff(node, secure === null ? 'connection' : 'secureConnection')
  const takeOver = (socket: Socket): void => {
    idle.add(socket)
    for (const take of takers) take.call(node, socket)
  }
  const sockets = createSecureSockets()
  const lean = createLeanListener({
    ...settings,
    face: routes.rpc,
    serves: share?.serves,
    handOver: (socket, first) => {
      if (share !== undefined && !share.accepts(first)) return share.pass(socket)
      takeOver(socket)
      socket.resume()
    },
    requestIdOf,
    draining: isDraining,
    statusTexts: STATUS_CODES,
    dateOf,
    clientAddress,
    logAnswers,
    clock,
    log,
  })
  const idle = createIdleSockets({
    connectionsMax: settings.connectionsMax,
    others: () => lean.idle(),
    rawOf: sockets.rawOf,
    clock,
  })
  let connections = 0
  const underCap = createAddressCap(
    settings.connectionsPerAddressMax,
    clientAddress.trusts,
    (open) => idle.closeOldest(settings.connectionsPerAddressMax, open),
  )
  const begin = settings.listener === 'lean' ? lean.accept : takeOver
  // The listeners by which node:tls begins a handshake.
  const shakers = secure === null ? [] : listenersOff(node, 'connection')
  function admit(socket: Socket): void {
    if (!underCap(socket)) return
    idle.makeRoom(connections)
    connections++
    socket.once('close', () => connections--)
    if (secure === null) return begin(socket)
    sockets.opened(socket)
    for (const shake of shakers) shake.call(node, socket)
  }
  function admitPassed(socket: Socket): void {
    readOrigin(socket, { clock, limitMs: settings.headersMs }, ({ worker }) => {
      passed.add(socket, worker)
      admit(socket)
    })
  }
  node.on('connection', parts.isKeeper === true ? admitPassed : admit)
  secure?.on('secureConnection', (socket) => {
    sockets.secured(socket)
    begin(socket)
  })
  secure?.on('tlsClientError', ({ code }: NodeJS.ErrnoException) => {
    log('debug', 'tls_handshake_failed', { code })
  })
  node.on('request', (request, response) => handle(request, response, false))
  node.on('checkContinue', (request, response) => handle(request, response, true))
  node.on('upgrade', (request, socket, head) => openUpgrade(request, socket as Socket, head))

  return {
    listen: (where) => listen(node, where, settings.backlog),
    get draining() {
      return draining
    },
    get connections() {
      return connections
    },
    drainWorker(worker, { graceMs, deadlineMs }) {
      const leaving = passed.leave(worker)
      upgrades?.drain(deadlineMs, (socket) => leaving.has(socket))
      endless.end(leaving)
      clock.after(graceMs, () => void idle.closeOldest(Infinity, leaving))
    },
    changeCertificate: ({ cert, key }) => secure?.setSecureContext({ ...tlsTerms, cert, key }),
    async drain({ graceMs, deadlineMs }) {
      if (draining) return
      draining = true
      upgrades?.drain(deadlineMs)
      endless.end()
      // http.Server#close is not used: since Node 19 it closes idle connections immediately, and a call in transit to one of them
      // would be lost.
      const closed = new Promise<void>((resolve) => {
        NetServer.prototype.close.call(node, () => resolve())
      })
      const stops = [
        clock.after(graceMs, () => {
          lean.closeIdle()
          node.closeIdleConnections()
        }),
        clock.after(deadlineMs, () => {
          lean.closeAll()
          node.closeAllConnections()
          share?.closePassed()
        }),
      ]
      await closed
      for (const stop of stops) stop()
      lean.stop()
      // The port is already closed; this stops the interval that checks connections.
      node.close(() => {})
    },
  }
}

const tlsTerms = { minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] } as const

/** Removes the listeners of an event, to call them later. */
function listenersOff(node: NodeServer, event: string): ReturnType<NodeServer['listeners']> {
  const listeners = node.listeners(event)
  node.removeAllListeners(event)
  return listeners
}

// JSON-RPC API over WebSocket: checks the upgrade like an HTTP request and refuses it with the same body. Checks at intervals that
// each open connection is alive and still authorized, and limits the connections per key.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { WebSocketServer } from 'ws'
import type { Caller } from '../../access/accounts/caller.ts'
import { Fault } from '../../base/fault.ts'
import type { Network } from '../../chain/network.ts'
import type { Credential } from '../../pipeline/authenticate-request.ts'
import { liveDeadlines } from '../../http/deadlines.ts'
import { parseRpcPath, type RpcPath } from '../../http/routes.ts'
import { createReplySender, refusalBody, unknownForm } from './rpc-reply.ts'
import { requestsProof, readCredential } from './rpc-request.ts'
import { readTarget } from '../../http/request-head.ts'
import type { Upgrade, Upgrades } from '../../http/upgrade.ts'
import { silentRequestLog } from '../../pipeline/request-log/finished-request.ts'
import { reportRefusal } from './report-request.ts'
import { closeCodes, type ConnectionLimits, WebSocketConnection } from './web-socket-connection.ts'
import type { FrameParts } from './web-socket-frame.ts'

export type WebSocketLimits = ConnectionLimits & {
  readonly connectionsPerKeyMax: number
  /** A client that did not answer the last ping when the next one is due is disconnected. */
  readonly pingMs: number
  /** Interval at which each connection is authorized again: a revoked key can call for this long. */
  readonly authorizeMs: number
  /** Time limit of the closing handshake. */
  readonly closeMs: number
}

export const defaultWebSocketLimits: WebSocketLimits = {
  connectionsPerKeyMax: 1_000,
  framesInFlightMax: 64,
  // More than the empty frames that fit in one packet of 64 KiB.
  framesQueuedMax: 16_384,
  congestedBytes: 1_048_576,
  bufferBytesMax: 33_554_432,
  eventBytesMax: 16_777_216,
  totalBytesMax: 536_870_912,
  pingMs: 30_000,
  authorizeMs: 2_000,
  closeMs: 5_000,
}

const networkChanged = 'the settings of this network have changed: connect again'

export type WebSocketApiDeps = FrameParts & { readonly limits: WebSocketLimits }

type Member = {
  readonly connection: WebSocketConnection
  readonly socket: Socket
  readonly credential: Credential
  readonly network: Network
}

/** Builds the API. Its timers run only while a connection is open. */
export function createWebSocketApi(parts: WebSocketApiDeps): Upgrades {
  const { gateway, settings, limits, clock, log } = parts
  const reporting = { requests: silentRequestLog, ...parts }
  const deadlines = liveDeadlines(() => settings.deadlineMs, clock)
  const send = createReplySender()
  const members = new Set<Member>()
  const countOf = new Map<string, number>()
  const load = { frames: 0, bytes: 0 }
  let stopTimers: (() => void) | null = null
  // A separate object, because the types of ws lack closeTimeout.
  const options = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: settings.bodyBytesMax,
    closeTimeout: limits.closeMs,
  }
  const server = new WebSocketServer(options)
  const requestIds = new WeakMap<IncomingMessage, string>()
  server.on('headers', (headers, request) => {
    headers.push(`x-request-id: ${requestIds.get(request)}`)
  })

  function enter(upgrade: Upgrade): Promise<Admitted> | Admitted {
    if (upgrade.draining) throw new Fault('shutting_down')
    const path = parseRpcPath(upgrade.target.path) as RpcPath
    const network = gateway.networkFor(path.network, upgrade.target.hostLabel)
    const { address, requestId, request } = upgrade
    const credential = readCredential({ headers: request.headers, address, requestId }, path.key)
    const admit = (caller: Caller): Admitted | Promise<Admitted> => {
      const admitting = gateway.admitSocket(caller, network)
      return admitting instanceof Promise
        ? admitting.then(() => checkConnectionLimit(caller))
        : checkConnectionLimit(caller)
    }
    const checkConnectionLimit = (caller: Caller): Admitted => {
      if ((countOf.get(caller.keyId) ?? 0) >= limits.connectionsPerKeyMax) {
        const detail = `too many WebSocket connections, limit is ${limits.connectionsPerKeyMax}`
        throw new Fault('over_rate', { detail })
      }
      return { caller, network, credential }
    }
    const entering = gateway.authenticateRpc(credential, network)
    return entering instanceof Promise ? entering.then(admit) : admit(entering)
  }

  function accept(upgrade: Upgrade, { caller, network, credential }: Admitted): void {
    const { request, socket, head, requestId } = upgrade
    server.options.maxPayload = settings.bodyBytesMax
    const proofHeader = request.headersDistinct['x-cairn-proof']?.[0]
    requestIds.set(request, requestId)
    server.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new WebSocketConnection({
        ...parts,
        socket: webSocket,
        caller,
        network,
        credential,
        requestId,
        proof: requestsProof({
          headers: { 'x-cairn-proof': proofHeader },
          query: upgrade.target.query,
        }),
        deadlines,
        load,
      })
      const member = { connection, socket, credential, network }
      join(member, caller.keyId)
      log('debug', 'websocket_opened', { requestId })
      webSocket.once('close', (code) => {
        leave(member, caller.keyId)
        log('debug', 'websocket_closed', { requestId, code })
      })
    })
  }

  function join(member: Member, keyId: string): void {
    members.add(member)
    countOf.set(keyId, (countOf.get(keyId) ?? 0) + 1)
    if (stopTimers !== null) return
    const stops = [
      clock.every(limits.authorizeMs, authorizeAll),
      clock.every(limits.pingMs, pingAll),
    ]
    stopTimers = () => stops.forEach((stop) => stop())
  }

  function leave(member: Member, keyId: string): void {
    members.delete(member)
    const left = (countOf.get(keyId) ?? 1) - 1
    if (left > 0) countOf.set(keyId, left)
    else countOf.delete(keyId)
    if (members.size > 0) return
    stopTimers?.()
    stopTimers = null
  }

  function pingAll(): void {
    for (const { connection } of members) connection.ping()
  }

  /** Authorizes each open connection again under the current settings; others are closed. */
  function authorizeAll(): void {
    for (const { connection, credential, network } of members) {
      if (!gateway.serves(network)) {
        connection.close(closeCodes.stopping, networkChanged)
        continue
      }
      void (async () => {
        try {
          connection.caller = await gateway.authenticateRpc(credential, network)
        } catch (thrown) {
          const fault = Fault.from(thrown)
          // If the account cannot be read now, the next check decides.
          if (fault.row.status < 500) connection.close(closeCodes.refused, fault.message)
        }
      })()
    }
  }

  function refuse(upgrade: Upgrade, thrown: unknown): void {
    const fault = Fault.from(thrown)
    const { requestId } = upgrade
    if (fault.code === 'internal') log('error', 'upgrade failed', { requestId, cause: fault.cause })
    const body = refusalBody(fault, unknownForm, requestId)
    send(upgrade.refuse(), { fault, labels: null, body, bodyUnread: false })
    const nothing = { caller: null, network: null, items: [], batch: false, inspection: null }
    const ended = { status: fault.row.status, units: 0, bytesIn: 0, bytesOut: body.bytes }
    const arrived = clock.monotonic()
    const from = { ...nothing, peer: upgrade, transport: 'websocket', arrived } as const
    reportRefusal(reporting, from, fault, ended)
  }

  return {
    accepts(request) {
      const target = readTarget(request)
      if (typeof target === 'string' || !isWebSocketUpgrade(request)) return false
      return parseRpcPath(target.path)?.webSocket ?? false
    },
    open(upgrade) {
      // Node removes its own listeners; a reset during authentication must not end the process.
      const onError = (): void => void upgrade.socket.destroy()
      upgrade.socket.on('error', onError)
      void (async () => {
        try {
          const admitted = await enter(upgrade)
          upgrade.socket.removeListener('error', onError)
          accept(upgrade, admitted)
        } catch (thrown) {
          refuse(upgrade, thrown)
        }
      })()
    },
    drain(deadlineMs, of = () => true) {
      for (const { connection, socket } of members) if (of(socket)) connection.drain()
      clock.after(deadlineMs, () => {
        for (const { connection, socket } of members) if (of(socket)) connection.cut()
      })
    },
  }
}

type Admitted = {
  readonly caller: Caller
  readonly network: Network
  readonly credential: Credential
}

function isWebSocketUpgrade({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}

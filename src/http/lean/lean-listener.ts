// The listener of the hot path (docs/explanation/decisions/0014): parses plain calls with llhttp and answers them over node:net.
// Hands all other requests over to node:http.
import type { Socket } from 'node:net'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { RpcApi } from '../routes.ts'
import { answerHeaders, textAnswer } from '../text-answer.ts'
import { createHeadParser, createPlainHeads, rememberHeads } from './head-parser.ts'
import {
  type ConnectionTerms,
  LeanConnection,
  createIdleWheel,
  createWriteCoalescer,
} from './lean-connection.ts'
import type { LeanExchange } from './lean-exchange.ts'

export type LeanListenerParts = Pick<
  ConnectionTerms,
  | 'requestIdOf'
  | 'clientAddress'
  | 'draining'
  | 'serves'
  | 'handOver'
  | 'headersMs'
  | 'keepAliveMs'
  | 'clock'
> & {
  readonly face: RpcApi
  readonly statusTexts: Readonly<Record<number, string | undefined>>
  readonly dateOf: () => string
  /** Interval of the checks of idle connections. */
  readonly connectionsCheckMs: number
  /** Called for each request, because the log level may change. */
  readonly logAnswers: () => boolean
  readonly log: Log
}

export type LeanListener = {
  /** Accepts a new connection. */
  accept(socket: Socket): void
  /** Closes connections that are between two requests. */
  closeIdle(): void
  closeAll(): void
  /** Connections between two requests, or before the first one, in the order they were opened. */
  idle(): readonly { readonly socket: Socket; readonly idleMs: number }[]
  /** Stops its timer. Connections stay open. */
  stop(): void
}

export function createLeanListener(parts: LeanListenerParts): LeanListener {
  const { face, clock, log, dateOf, statusTexts, keepAliveMs } = parts
  const connections = new Set<LeanConnection>()
  const wheel = createIdleWheel(parts.connectionsCheckMs, clock)
  const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}`
  const okLine = 'HTTP/1.1 200 OK\r\n'

  // Rendered once a second.
  let date = ''
  let stayingEnd = ''
  function endStaying(): string {
    const now = dateOf()
    if (now !== date) {
      date = now
      // One flat string, as in createHeadLines.
      stayingEnd = ['Date: ', now, '\r\n', keepAlive, '\r\n\r\n'].join('')
    }
    return stayingEnd
  }

  function begin(exchange: LeanExchange): void {
    try {
      const answered = face(exchange, exchange.head.rpcPath)
      if (answered instanceof Promise) answered.catch((thrown: unknown) => failed(exchange, thrown))
    } catch (thrown) {
      failed(exchange, thrown)
    }
  }

  function failed(exchange: LeanExchange, cause: unknown): void {
    const { requestId } = exchange
    log('error', 'a face failed', { requestId, cause })
    const { status, body, ...rest } = textAnswer(500, 'internal error')
    const headers = answerHeaders({ status, body, ...rest }, exchange.headers.origin)
    const own = [...Object.entries(headers).flat(), 'x-request-id', requestId]
    exchange.send({
      status,
      fixed: [],
      own,
      text: body,
      ascii: true,
      bodyUnread: false,
      closes: true,
    })
  }

  const beginLogged = logged(begin, clock, log)
  const terms: ConnectionTerms = {
    ...parts,
    readHead: rememberHeads(createPlainHeads(createHeadParser())),
    begin: (exchange) => (parts.logAnswers() ? beginLogged : begin)(exchange),
    startOf: (status) =>
      status === 200 ? okLine : `HTTP/1.1 ${status} ${statusTexts[status]}\r\n`,
    endOf: (stays) => (stays ? endStaying() : `Date: ${dateOf()}\r\nConnection: close\r\n\r\n`),
    wheel,
    coalescer: createWriteCoalescer(),
    failed: (cause) => log('error', 'a connection failed', { cause }),
    left(connection) {
      wheel.remove(connection)
      connections.delete(connection)
    },
  }

  return {
    accept(socket) {
      const connection = new LeanConnection(socket, terms)
      wheel.add(connection)
      connections.add(connection)
    },
    closeIdle() {
      for (const connection of connections) {
        connection.send()
        if (connection.idle) connection.socket.destroy()
      }
    },
    idle: () =>
      [...connections].flatMap((connection) => {
        const { socket, idleMs } = connection
        return idleMs === null ? [] : [{ socket, idleMs }]
      }),
    closeAll() {
      for (const { socket } of connections) socket.destroy()
    },
    stop: () => wheel.stop(),
  }
}

/** `begin` that also logs each reply, or the end of an exchange without one. */
function logged(begin: ConnectionTerms['begin'], clock: Clock, log: Log): ConnectionTerms['begin'] {
  return (exchange) => {
    const startedMs = clock.monotonic()
    const { requestId, method } = exchange
    exchange.onEnd = (status) =>
      // The URL is never logged, because it contains the key.
      log('debug', 'request', {
        requestId,
        method,
        status: status ?? 0,
        ended: status !== null,
        ms: clock.monotonic() - startedMs,
      })
    begin(exchange)
  }
}

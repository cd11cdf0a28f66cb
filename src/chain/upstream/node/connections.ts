// The keep-alive connections to one upstream: a pool of undici, whose clients have one connection each. An exchange
// learns which connection it uses, whether that was used before, and can end it.
// Tested by src/chain/upstream/node/connections.test.ts
import type { Socket } from 'node:net'
import type { buildConnector, Client } from 'undici'
import { loadUndici, openPool, type PoolLimits } from '../../../base/http-origin.ts'
import { UpstreamExchange, type Connection } from './exchange.ts'

export type Connections = {
  dispatch(exchange: UpstreamExchange): void
  /** Pending and later exchanges end with an error. */
  close(): Promise<void>
}

/** `headers`: of each request. */
export function openConnections(
  url: URL,
  headers: Readonly<Record<string, string>>,
  limits: PoolLimits,
): Connections {
  const request = {
    method: 'POST',
    path: url.pathname + url.search,
    headers: Object.entries(headers).flat(),
  } as const
  const pool = openPool(url, limits, openConnection)
  return {
    dispatch: (exchange) => void pool.dispatch({ ...request, body: exchange.body }, exchange),
    close: () => pool.destroy(),
  }
}

/** The pool passes the connector that it made to its clients. */
type ClientOptions = Client.Options & { readonly connect: buildConnector.connector }

function openConnection(origin: URL, given: object): Client {
  const options = given as ClientOptions
  let socket: Socket | null = null
  const connection: Connection = { hasAnswered: false, end: () => void socket?.destroy() }
  const client = new (loadUndici().Client)(origin, {
    ...options,
    connect(target, done) {
      connection.hasAnswered = false
      options.connect(target, (...result) => {
        socket = result[1]
        done(...result)
      })
    },
  })
  const dispatch = client.dispatch.bind(client)
  client.dispatch = (request, handler) => {
    if (handler instanceof UpstreamExchange) handler.onConnection(connection)
    return dispatch(request, handler)
  }
  return client
}

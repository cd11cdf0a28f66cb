// The routes of a listener, and the paths of the JSON-RPC API, which the lean listener parses itself.
// Tested by src/http/server.test.ts
import type { Caller } from '../access/accounts/caller.ts'
import type { HttpExchange } from './http-exchange.ts'
import type { RequestHandler } from './node-exchange.ts'

/** A parsed path of the JSON-RPC API. `key`: as sent, not yet checked; null if the segment is missing. */
export type RpcPath = {
  readonly network: string | null
  readonly webSocket: boolean
  readonly key: string | null
  /** The caller, if already authenticated. */
  readonly caller?: Caller
}

export type RpcApi = (exchange: HttpExchange, path: RpcPath) => void | Promise<void>

const rpcForm = /^(?:\/([A-Za-z0-9-]{1,63}))??(\/ws)?\/v3(?:\/([^/]*)\/?)?$/

/** Null if the path is not one of the JSON-RPC API. One trailing slash is accepted. */
export function parseRpcPath(path: string): RpcPath | null {
  const match = rpcForm.exec(path)
  if (match === null) return null
  const key = match[3] ?? ''
  return {
    network: match[1] ?? null,
    webSocket: match[2] !== undefined,
    key: key === '' ? null : key,
  }
}

/** `any`: answers every exchange. `rpc`: the JSON-RPC API alone, which needs only an `HttpExchange`. */
export type Routes = {
  readonly any: RequestHandler
  readonly rpc: RpcApi
}

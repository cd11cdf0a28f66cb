// The routes as a listener uses them, and the paths of the JSON-RPC API, which the lean listener parses itself.
// Tested by src/http/server.test.ts
import type { Caller } from '../access/accounts/caller.ts'
import type { HttpExchange } from './http-exchange.ts'
import type { RequestHandler } from './node-exchange.ts'

/** A path of the JSON-RPC API, split. `key`: as sent, not yet checked; null when the segment is missing. */
export type RpcPath = {
  readonly network: string | null
  readonly webSocket: boolean
  readonly key: string | null
  /** The caller, if already authenticated. */
  readonly caller?: Caller
}

export type RpcApi = (exchange: HttpExchange, path: RpcPath) => void | Promise<void>

const rpcForm = /^(?:\/([A-Za-z0-9-]{1,63}))??(\/ws)?\/v3(?:\/([^/]*)\/?)?$/

/** Null when the path is not one of the JSON-RPC API. One trailing slash is accepted. */
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

/** `any`: answers every exchange. `rpc`: the JSON-RPC API alone, which needs no more than an `HttpExchange`. */
export type Routes = {
  readonly any: RequestHandler
  readonly rpc: RpcApi
}

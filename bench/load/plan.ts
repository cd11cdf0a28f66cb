// Requests and expected replies of one load run. Plain values, which structured cloning copies to the load thread.

/**
 * One call. The body is `request[0] + id + request[1]`, and the reply must be `reply[0] + id + reply[1]`, byte for byte; ids have
 * seven digits, so lengths are known in advance. `means` accepts replies in another JSON format by their id and result (a text, or
 * an object with this `hash`); null: no other format is accepted. `constant`: the complete reply to every request (floors).
 */
export type Call = {
  readonly request: readonly [string, string]
  readonly reply: readonly [string, string]
  readonly means: string | null
  readonly constant?: string
}

export type Plan = {
  readonly port: number
  /** Request paths, used in rotation: one per API key. */
  readonly paths: readonly string[]
  /** Used in rotation, starting with the first. */
  readonly calls: readonly Call[]
  /** `varied`: a new id in each call. `none`: the calls contain their ids. */
  readonly ids: 'varied' | 'none'
  readonly connections: number
  /** Number of calls to send. */
  readonly count: number
  /** Calls per second, sent on schedule even if the server is slow; null: each connection sends as soon as it is idle. */
  readonly rate: number | null
}

export type Outcome = {
  readonly count: number
  readonly failures: number
  /** Text of the first failure. */
  readonly firstFailure: string | null
  readonly elapsedMs: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
}

/** A JSON-RPC call whose reply is `{"jsonrpc":"2.0","id":<id>,"result":<result>}`; `result` is JSON text. */
export function rpcCall(
  method: string,
  params: readonly unknown[],
  result: string,
  means: string,
): Call {
  const tail = `,"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`
  return {
    request: ['{"jsonrpc":"2.0","id":', tail],
    reply: ['{"jsonrpc":"2.0","id":', `,"result":${result}}`],
    means,
  }
}

/** The same call with a fixed id, for caches that compare bodies. */
export function withId(call: Call, id: number): Call {
  return {
    request: [`${call.request[0]}${id}${call.request[1]}`, ''],
    reply: [`${call.reply[0]}${id}${call.reply[1]}`, ''],
    means: call.means,
  }
}

// What one load run sends and expects. Everything in it crosses to the load thread by structured clone.

/**
 * One call. The body is `request[0] + id + request[1]`, the reply must be `reply[0] + id + reply[1]`, byte for
 * byte; ids are seven digits, so lengths are known beforehand. `means` judges a reply in another spelling by
 * meaning: its id, and its result (a text, or an object with this `hash`); null: no other spelling passes.
 * `constant`: this is the whole reply, whatever was asked (floors).
 */
export type Call = {
  readonly request: readonly [string, string]
  readonly reply: readonly [string, string]
  readonly means: string | null
  readonly constant?: string
}

export type Plan = {
  readonly port: number
  /** Request lines' paths, taken in turn: one for each API key. */
  readonly paths: readonly string[]
  /** Taken in turn, from the first; a run of more calls than these starts over. */
  readonly calls: readonly Call[]
  /** `varied`: another id in each call. `none`: the calls hold their own. */
  readonly ids: 'varied' | 'none'
  readonly connections: number
  /** How many calls to send. */
  readonly count: number
  /** Calls per second, sent on time whatever the server does; null: each connection sends when it is free. */
  readonly rate: number | null
}

export type Outcome = {
  readonly count: number
  readonly failures: number
  /** What the first failure was, for people. */
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

/** The same call with its id written in: for caches that know bodies only. */
export function withId(call: Call, id: number): Call {
  return {
    request: [`${call.request[0]}${id}${call.request[1]}`, ''],
    reply: [`${call.reply[0]}${id}${call.reply[1]}`, ''],
    means: call.means,
  }
}

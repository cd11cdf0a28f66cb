// A JSON-RPC proxy that forwards calls to another node: it counts them, delays replies and changes them.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { pause } from '../../src/base/clock.ts'

export type Request = { readonly method: string; readonly params: readonly unknown[] }
type Reply = { readonly result?: unknown; readonly error?: unknown }

/** Counts only these: probes and comparisons run in parallel with a test's calls. */
const stateMethods = /^(eth_(getProof|getCode|createAccessList)|debug_traceCall)$/

export type RpcProxy = {
  readonly url: string
  /**
   * Received calls for state, oldest first; `depth`: one more than the depth of calls whose replies preceded it, so the number of
   * round trips.
   */
  calls: { readonly method: string; readonly depth: number }[]
  /** Calls for state in flight. */
  underway: number
  /** Clears the counted calls. */
  forget(): void
  /** Delay of each reply in milliseconds. */
  delayMs: number
  /** Returns the reply to send instead of `reply`. */
  change: (request: Request, reply: Reply) => Reply
}

/** `target`: URL of the node. Stops with the test. */
export async function startRpcProxy(
  t: Pick<TestContext, 'after'>,
  target: string,
): Promise<RpcProxy> {
  let depth = 0
  async function answer(request: IncomingMessage): Promise<string> {
    const body = await bodyOf(request)
    const received = JSON.parse(body) as Request & { readonly id: unknown }
    const isOfState = stateMethods.test(received.method)
    proxy.underway += isOfState ? 1 : 0
    try {
      return await passOn(body, received, isOfState)
    } finally {
      proxy.underway -= isOfState ? 1 : 0
    }
  }
  async function passOn(
    body: string,
    { id, method, params }: Request & { readonly id: unknown },
    isOfState: boolean,
  ): Promise<string> {
    const call = { method, params }
    const begun = proxy.calls
    const own = depth + 1
    if (isOfState) begun.push({ method, depth: own })
    const reply = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const { result, error } = (await reply.json()) as Reply
    const changed = proxy.change(call, error === undefined ? { result } : { error })
    if (proxy.delayMs > 0) await pause(proxy.delayMs)
    if (isOfState && begun === proxy.calls) depth = Math.max(depth, own)
    return JSON.stringify({ jsonrpc: '2.0', id, ...changed })
  }
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    answer(request).then(
      (text) => response.end(text),
      // The target node has stopped.
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    underway: 0,
    forget() {
      proxy.calls = []
      depth = 0
    },
    delayMs: 0,
    change: (_, reply) => reply,
  }
  return proxy
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

// A JSON-RPC server on loopback that replies as a node of the recorded chain, with the faults that its knobs set. Other libraries
// than the codec under test render its replies.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { type Clock, systemClock } from '../../../src/base/clock.ts'
import { attachHeadPusher, type HeadPusher } from './head-pusher.ts'
import { createStubAnswers } from './stub-answers.ts'
import type { StubBlock, StubChain } from './stub-chain.ts'
import { honestKnobs, type StubCall, type StubKnobs, type StubReply } from './stub-knobs.ts'
import { spell } from './stub-spelling.ts'
import { writeTrouble } from './stub-trouble.ts'
import { createStubView, StubError, type StubView } from './stub-view.ts'

export type StubUpstream = {
  readonly url: string
  readonly port: number
  readonly chain: StubChain
  readonly knobs: StubKnobs
  readonly view: StubView
  /** Number of received calls, of one method or of all. Counts each call of a batch. */
  count(method?: string): number
  /** Number of received HTTP requests. */
  readonly requests: number
  /** The newest 10,000 calls. */
  readonly calls: readonly StubCall[]
  /** Received raw transactions, in order. */
  readonly sent: readonly string[]
  /** The honest reply, not counted. Rejects with StubError. */
  honest(method: string, params: readonly unknown[]): Promise<unknown>
  forgetCalls(): void
  /** Its WebSocket side, while `knobs.pushes`: pushes the new head at `advance` and `follow`. */
  readonly pusher: HeadPusher
  /** Adopts the next `count` blocks of the followed branch. Returns its head. */
  advance(count?: number): StubBlock
  /** Switches to another branch immediately and abandons its previous blocks. */
  follow(blocks: readonly StubBlock[]): void
  /** Closes the port and all connections. */
  stop(): Promise<void>
  /** Listens on the same port again. */
  start(): Promise<void>
}

const callsMax = 10_000
const bodyBytesMax = 8 * 1024 * 1024

/**
 * `blocks`: number of recorded blocks that it starts with (0 to 54); the others, then `ahead`, follow with `advance`. Stopped when
 * the test ends.
 */
export async function startStubUpstream(
  t: Pick<TestContext, 'after'>,
  chain: StubChain,
  options: {
    blocks?: number
    ahead?: readonly StubBlock[]
    knobs?: Partial<StubKnobs>
    clock?: Clock
  } = {},
): Promise<StubUpstream> {
  const { blocks = 54, clock = systemClock } = options
  const knobs: StubKnobs = { ...honestKnobs(chain.chainId), ...options.knobs }
  const view = createStubView(chain.recorded.slice(0, blocks + 1), knobs)
  const coming = [...chain.recorded.slice(blocks + 1), ...(options.ahead ?? [])]
  const sent: string[] = []
  const answer = createStubAnswers({ chain, view, knobs, sent })
  const calls: StubCall[] = []
  const counts = new Map<string, number>()
  let counted = 0
  let requests = 0

  function note(method: string, params: readonly unknown[]): StubCall {
    const call = { method, params, index: counted }
    counted += 1
    counts.set(method, (counts.get(method) ?? 0) + 1)
    calls.push(call)
    if (calls.length > callsMax) calls.shift()
    return call
  }

  async function honest({ method, params }: StubCall): Promise<StubReply> {
    try {
      return { result: spell(await answer(method, params), knobs.spelling) }
    } catch (thrown) {
      if (thrown instanceof StubError) {
        const data = thrown.data === undefined ? {} : { data: thrown.data }
        return { error: { code: thrown.code, message: thrown.message, ...data } }
      }
      const message = thrown instanceof Error ? thrown.message : String(thrown)
      return { error: { code: -32000, message } }
    }
  }

  async function replyTo(requested: JsonRpcCall): Promise<{ call: StubCall; reply: object }> {
    const call = note(requested.method, requested.params ?? [])
    const truth = await honest(call)
    const reply = (await knobs.falsify?.(call, truth)) ?? truth
    return { call, reply: { jsonrpc: '2.0', id: requested.id, ...reply } }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests += 1
    const body = await readBody(request)
    const requested = JSON.parse(body) as JsonRpcCall | readonly JsonRpcCall[]
    const many = Array.isArray(requested) ? (requested as readonly JsonRpcCall[]) : null
    const replies = await Promise.all((many ?? [requested as JsonRpcCall]).map(replyTo))
    const [first] = replies
    if (first === undefined) throw new Error('an empty batch')
    const text = JSON.stringify(
      many === null
        ? first.reply
        : knobs.batches
          ? replies.map(({ reply }) => reply)
          : { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batches not supported' } },
    )
    const write = () => {
      const trouble = knobs.trouble(first.call)
      if (trouble !== null) {
        writeTrouble(response, trouble, { text, clock, retryAfterSeconds: knobs.retryAfterSeconds })
        return
      }
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      })
      response.end(text)
    }
    const latencyMs = knobs.latencyMs(first.call)
    if (latencyMs > 0) clock.after(latencyMs, write)
    else write()
  }

  let server: Server
  let pusher: HeadPusher
  const listen = async (port: number) => {
    server = createServer((request, response) => {
      serve(request, response).catch(() => response.destroy())
    })
    server.keepAliveTimeout = 30_000
    pusher = attachHeadPusher(server, () => knobs.pushes)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  const stop = () =>
    new Promise<void>((resolve) => {
      if (!server.listening) return resolve()
      server.close(() => resolve())
      server.closeAllConnections()
      pusher.cut()
    })
  t.after(stop)

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    chain,
    knobs,
    view,
    calls,
    sent,
    get pusher() {
      return pusher
    },
    get requests() {
      return requests
    },
    count: (method) => (method === undefined ? counted : (counts.get(method) ?? 0)),
    honest: async (method, params) => spell(await answer(method, params), knobs.spelling),
    forgetCalls() {
      counts.clear()
      calls.length = 0
      counted = 0
      requests = 0
    },
    advance(count = 1) {
      view.follow(coming.splice(0, count))
      pusher.push(view.head)
      return view.head
    },
    follow(branch) {
      view.follow(branch)
      coming.length = 0
      pusher.push(view.head)
    },
    stop,
    async start() {
      await listen(port)
    },
  }
}

type JsonRpcCall = {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length
    if (length > bodyBytesMax) throw new Error('a body that is too large')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

// The process of the benchmark's upstream node: JSON-RPC over a small node:http server with prepared replies. Arguments: slots per
// contract, and slots of the contract for misses. Prints its port.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { contracts, createUpstreamWorld, upstreamChainId } from '../data/upstream-world.ts'

const world = createUpstreamWorld(Number(process.argv[2]), Number(process.argv[3]))
const chainId = `0x${upstreamChainId.toString(16)}`
const block = JSON.stringify(world.block)
/** The reply for each slot of each contract, prepared so that the first measured call does not pay for it. */
const proofs = new Map(
  world
    .slots(contracts.miss)
    .map(({ slot }) => [slot, world.proof(contracts.miss, [slot])] as const),
)
const counts = new Map<string, number>()
let delayMs = 0

type Call = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] }

/** The result as JSON text; null: no such method. */
function resultOf({ method, params }: Call): string | null {
  const [first, second] = params
  switch (method) {
    case 'eth_chainId':
      return `"${chainId}"`
    case 'eth_blockNumber':
      return JSON.stringify(world.block['number'])
    case 'eth_getBlockByNumber':
      return first === '0x0' ? 'null' : block
    case 'eth_getBlockByHash':
      return first === world.blockHash ? block : 'null'
    case 'debug_getRawHeader':
      return first === world.blockHash ? `"${world.rawHeader}"` : null
    case 'eth_getProof': {
      const slots = second as readonly string[]
      const isReady = first === contracts.miss && slots.length === 1
      const ready = isReady ? proofs.get(slots[0] ?? '') : undefined
      return ready ?? world.proof(String(first), slots)
    }
    case 'bench_counts': {
      const reply = JSON.stringify(Object.fromEntries(counts))
      counts.clear()
      return reply
    }
    case 'bench_delay':
      delayMs = Number(first)
      return 'true'
    default:
      return null
  }
}

function answer(body: string): string {
  const call = JSON.parse(body) as Call
  counts.set(call.method, (counts.get(call.method) ?? 0) + 1)
  const result = resultOf(call)
  const id = JSON.stringify(call.id)
  if (result !== null) return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
  const message = `the method ${call.method} does not exist/is not available`
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"${message}"}}`
}

const server = createServer((request, response) => {
  // Cairn also tries a WebSocket for pushed heads, which this server lacks.
  if (request.method !== 'POST') return void response.writeHead(405).end()
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const reply = answer(Buffer.concat(parts).toString('latin1'))
    const send = () => {
      const headers = { 'content-type': 'application/json', 'content-length': reply.length }
      response.writeHead(200, headers)
      response.end(reply, 'latin1')
    }
    if (delayMs === 0) send()
    else setTimeout(send, delayMs)
  })
})
server.keepAliveTimeout = 75_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})

// A trustless HTTP gateway on loopback whose faults a test can set.
import type { CID } from 'multiformats/cid'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { toBareHex } from '../../../src/base/hex.ts'
import { type CarBlock, writeCar } from '../../../src/codec/ipld/car-writer.ts'
import { parseCid } from '../../../src/codec/ipld/cid.ts'
import { walkBlocks } from '../../../src/ipfs/read/walk.ts'
import { streamOf } from './files-fixture.ts'

/** `null`: no block. `endless` and `oversized` are longer than any block; `cut` disconnects in the middle. */
export type Manner =
  | 'honest'
  | 'wrong'
  | 'page'
  | 'oversized'
  | 'endless'
  | 'cut'
  | 'short'
  | 'packed'
  | 'absent'
  | 'busy'
  | 'refusing'
  | 'failing'
  | 'redirecting'
  | 'circling'
  | 'sending-away'
  | 'hanging'
  | 'dripping'

export type FakeGateway = {
  readonly url: string
  manner: Manner
  /** Blocks by multihash in hex. */
  readonly blocks: Map<string, Uint8Array>
  /** Requests so far, and the maximum number of concurrent ones. */
  readonly requests: string[]
  readonly concurrentMax: number
  /** Headers of the last request. */
  readonly headers: IncomingMessage['headers']
  /** Holds replies until the returned function is called. */
  hold(): () => void
  /** Delay of each reply. */
  delayMs: number
}

const carManners: readonly Manner[] = ['honest', 'wrong', 'short', 'cut']
const oversized = 8 * 1024 * 1024

/**
 * Serves CAR files too, and with `rpc` Kubo's commands under `/api/v0/`: `version`, `block/get`, `dag/export`, `pin/ls` (of
 * `pins`). Stopped when the test ends.
 */
export async function startFakeGateway(
  t: Pick<TestContext, 'after'>,
  blocks: Map<string, Uint8Array>,
  options: {
    readonly manner?: Manner
    readonly awayTo?: string
    readonly rpc?: boolean
    readonly pins?: readonly object[]
  } = {},
): Promise<FakeGateway> {
  const requests: string[] = []
  let concurrent = 0
  let concurrentMax = 0
  let release: Promise<void> | null = null
  let last: IncomingMessage['headers'] = {}
  const server = createServer((request, response) => {
    void answer(request, response)
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    concurrent += 1
    concurrentMax = Math.max(concurrentMax, concurrent)
    response.on('close', () => {
      concurrent -= 1
    })
    last = request.headers
    const url = new URL(request.url ?? '', 'http://gateway')
    requests.push(url.pathname + url.search)
    await release
    if (fake.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, fake.delayMs))
    const command = /^\/api\/v0\/(.*)$/.exec(url.pathname)?.[1]
    const isKubo = command !== undefined
    if (isKubo && (options.rpc !== true || request.method !== 'POST')) return status(response, 404)
    if (command === 'version') return void response.end('{"Version":"0.44.0"}\n')
    if (command === 'pin/ls') {
      const type = url.searchParams.get('type')
      const pins = (options.pins ?? []).filter((pin) => (pin as { Type?: string }).Type === type)
      return void response.end(pins.map((pin) => `${JSON.stringify(pin)}\n`).join(''))
    }
    const name = isKubo ? url.searchParams.get('arg') : url.pathname.split('/').at(-1)
    const cid = parseCid(name ?? '')
    const isEmpty = cid?.multihash.code === 0
    const block = isEmpty
      ? cid.multihash.digest
      : cid === null
        ? undefined
        : blocks.get(toBareHex(cid.multihash.bytes))
    if (isKubo && block === undefined) {
      const text = 'block was not found locally (offline): ipld: could not find'
      response.writeHead(500, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ Message: text, Code: 0, Type: 'error' }))
      return
    }
    const isCar = command === 'dag/export' || url.searchParams.get('format') === 'car'
    if (isCar && cid !== null && block !== undefined && carManners.includes(fake.manner)) {
      const scope = url.searchParams.get('dag-scope') ?? 'all'
      return await sendCar(cid, scope, response)
    }
    if (!isKubo && !isCar && url.searchParams.get('format') !== 'raw') return status(response, 400)
    behave(url, block, response)
  }

  /** `short`: omits the last block. `cut`: disconnects before it. */
  async function sendCar(root: CID, scope: string, response: ServerResponse): Promise<void> {
    const all: CarBlock[] = []
    const read = async (cid: CID) => blocks.get(toBareHex(cid.multihash.bytes)) ?? new Uint8Array()
    for await (const { cid, block } of walkBlocks(root, new Map(), 100_000, read)) {
      if (scope === 'all' || all.length === 0) all.push({ cid, block: block ?? new Uint8Array() })
    }
    const isLess = fake.manner === 'short' || fake.manner === 'cut'
    const served = isLess ? all.slice(0, -1) : all
    if (fake.manner === 'wrong') {
      const { cid, block } = served.pop() as CarBlock
      served.push({ cid, block: Uint8Array.from(block, (byte) => byte ^ 1) })
    }
    const car = writeCar([root], streamOf(served))
    for await (const piece of car) if (!response.write(piece)) await once(response, 'drain')
    if (fake.manner === 'cut') response.destroy()
    else response.end()
  }

  function behave(url: URL, block: Uint8Array | undefined, response: ServerResponse): void {
    const { manner } = fake
    const redirect = (location: string) => {
      response.writeHead(302, { location })
      response.end()
    }
    if (manner === 'hanging') return
    if (manner === 'page') return void response.end('<html>log in</html>')
    if (manner === 'busy') {
      response.writeHead(429, { 'retry-after': '1' })
      return void response.end()
    }
    if (manner === 'refusing') return status(response, 401)
    // Simulates a gateway whose storage fails: it can still serve identity CIDs.
    if (manner === 'failing' && block?.length !== 0) return status(response, 500)
    if (manner === 'circling') return redirect(url.pathname + url.search)
    if (manner === 'sending-away') return redirect(`${options.awayTo}${url.pathname}${url.search}`)
    if (manner === 'redirecting' && !url.pathname.startsWith('/moved')) {
      return redirect(`/moved${url.pathname}${url.search}`)
    }
    if (manner === 'endless') return endless(response)
    if (manner === 'oversized') return void response.end(Buffer.alloc(oversized))
    if (manner === 'absent' || block === undefined) return status(response, 404)
    if (manner === 'packed') {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      return void response.end(gzipSync(block))
    }
    if (manner === 'cut') {
      response.writeHead(200, { 'content-length': block.length })
      response.write(block.subarray(0, block.length / 2), () => response.destroy())
      return
    }
    if (manner === 'short') return void response.end(block.subarray(0, -1))
    if (manner === 'dripping') {
      response.write(block.subarray(0, 1))
      return
    }
    if (manner === 'wrong') {
      const wrong = Uint8Array.from(block)
      wrong[wrong.length >> 1] = (wrong[wrong.length >> 1] ?? 0) ^ 1
      return void response.end(wrong)
    }
    response.writeHead(200, { 'content-type': 'application/vnd.ipld.raw' })
    response.end(block)
  }

  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const fake: FakeGateway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    manner: options.manner ?? 'honest',
    blocks,
    requests,
    delayMs: 0,
    get concurrentMax() {
      return concurrentMax
    },
    get headers() {
      return last
    },
    hold() {
      const gate = Promise.withResolvers<void>()
      release = gate.promise
      return () => {
        release = null
        gate.resolve()
      }
    },
  }
  return fake
}

function status(response: ServerResponse, code: number): void {
  response.writeHead(code)
  response.end()
}

function endless(response: ServerResponse): void {
  const piece = Buffer.alloc(65_536)
  response.on('error', () => {})
  const push = (): void => {
    while (!response.destroyed && response.write(piece));
  }
  response.on('drain', push)
  push()
}

// The origin of copied pins: a Kubo RPC API (Cairn serves it too) with `dag/export`, or a trustless gateway with `format=car`. The
// server that imports the CAR files verifies them.
// Tested by test/cli/import-pins.test.ts
import { systemClock } from '../../base/clock.ts'
import { rawCodec } from '../../codec/ipld/cid.ts'
import { writeCar } from '../../codec/ipld/car-writer.ts'
import { createHttpClient, type HttpClient, HttpTrouble } from '../../ipfs/sources/http-client.ts'
import { bodyOf, Refused, textOf } from './api-reply.ts'
import type { WantedPin } from './pin-list.ts'

export type PinOrigin = {
  readonly speaks: 'kubo' | 'gateway'
  /** The pin's blocks as a CAR. Throws HttpTrouble, Refused. */
  car(pin: WantedPin, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
  /** All pins, as `pin/ls` lists them. Throws for a gateway, which cannot list its content. */
  list(signal: AbortSignal): Promise<string>
  close(): Promise<void>
}

/** Maximum time without a byte: a Kubo node searches for missing blocks without end. */
const silenceMs = 60_000
const probeMs = 10_000
const listBytesMax = 512 * 1024 * 1024
const blockBytesMax = 4 * 1024 * 1024
const probeBytesMax = 64 * 1024

/** Detects the kind of origin. Throws an Error if it is neither. */
export async function openPinOrigin(
  from: {
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly connections: number
  },
  signal: AbortSignal,
): Promise<PinOrigin> {
  // The URL of the RPC API may include its path.
  const url = from.url.replace(/\/(api\/v0\/?)?$/, '')
  const client = createHttpClient({ ...from, url, clock: systemClock })
  try {
    const found = await detectService(client, signal)
    if (found.speaks === null) {
      throw new Error(`${new URL(url).origin} ${found.why}`)
    }
    return found.speaks === 'kubo' ? kuboOrigin(client) : gatewayOrigin(client)
  } catch (thrown) {
    await client.close()
    throw thrown
  }
}

async function detectService(
  client: HttpClient,
  signal: AbortSignal,
): Promise<{ readonly speaks: PinOrigin['speaks'] | null; readonly why: string }> {
  const limits = { replyBytesMax: probeBytesMax, timeoutMs: probeMs }
  const asRpc = await client
    .send({ method: 'POST', path: '/api/v0/version', ...limits }, signal)
    .then(textOf)
    .catch((thrown: unknown) => thrown)
  if (typeof asRpc === 'string' && asRpc.includes('"Version"')) return { speaks: 'kubo', why: '' }
  const query = [['format', 'raw']] as const
  const asGateway = await client
    .send({ method: 'GET', path: '/ipfs/bafkqaaa', query, ...limits }, signal)
    .then(textOf)
    .catch((thrown: unknown) => thrown)
  signal.throwIfAborted()
  if (asGateway === '') return { speaks: 'gateway', why: '' }
  const [one, other] = [asRpc, asGateway].map((answer) =>
    answer instanceof Error ? answer.message : 'the reply is a web page',
  )
  const both = one === other ? `${one}` : `${one}; ${other}`
  if (asRpc instanceof HttpTrouble && asGateway instanceof HttpTrouble) {
    return { speaks: null, why: `no reply: ${both}` }
  }
  const isClosed = asRpc instanceof Refused && [401, 403].includes(asRpc.status)
  const fix = isClosed ? '; set credentials with --from-header "authorization: Basic …"' : ''
  return {
    speaks: null,
    why: `is not a Kubo RPC and not a gateway, or refuses access: ${both}${fix}`,
  }
}

function kuboOrigin(client: HttpClient): PinOrigin {
  return {
    speaks: 'kubo',
    async car({ cid, mode }, signal) {
      const query = [['arg', cid.toString()]] as const
      if (mode === 'direct') {
        const limits = { replyBytesMax: blockBytesMax, timeoutMs: silenceMs }
        const request = { method: 'POST', path: '/api/v0/block/get', query, ...limits } as const
        const reply = await client.send(request, signal)
        textOf({ ...reply, bytes: reply.status === 200 ? new Uint8Array() : reply.bytes })
        return writeCar([cid], blocksOf([{ cid, block: reply.bytes }]))
      }
      const path = '/api/v0/dag/export'
      const progress = [...query, ['progress', 'false']] as const
      return await bodyOf(
        await client.open({ method: 'POST', path, query: progress, timeoutMs: silenceMs }, signal),
      )
    },
    async list(signal) {
      const ask = async (type: string): Promise<string> => {
        const query = [
          ['type', type],
          ['names', 'true'],
          ['stream', 'true'],
        ] as const
        const limits = { replyBytesMax: listBytesMax, timeoutMs: 10 * silenceMs }
        return textOf(
          await client.send({ method: 'POST', path: '/api/v0/pin/ls', query, ...limits }, signal),
        )
      }
      return `${await ask('recursive')}\n${await ask('direct')}`
    },
    close: () => client.close(),
  }
}

function gatewayOrigin(client: HttpClient): PinOrigin {
  return {
    speaks: 'gateway',
    async car({ cid, mode }, signal) {
      const scope = mode === 'direct' || cid.code === rawCodec ? 'block' : 'all'
      const query = [
        ['format', 'car'],
        ['dag-scope', scope],
      ] as const
      const headers = { accept: 'application/vnd.ipld.car; version=1; order=dfs; dups=n' }
      const path = `/ipfs/${cid.toString()}`
      return await bodyOf(
        await client.open({ method: 'GET', path, query, headers, timeoutMs: silenceMs }, signal),
      )
    },
    list: () => {
      throw new Error('a gateway cannot list its content: add a list of CIDs')
    },
    close: () => client.close(),
  }
}

async function* blocksOf<Block>(blocks: readonly Block[]): AsyncGenerator<Block> {
  yield* blocks
}

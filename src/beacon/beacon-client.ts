// Light client data from one beacon node (beacon-APIs, light_client), over HTTP with limits on time and size. Checks only that
// replies are JSON: any endpoint may send false data. Errors contain no URL, because it may contain a key.
// Tested by src/beacon/beacon-client.test.ts
import { type Clock } from '../base/clock.ts'
import { withDeadline } from '../base/deadline.ts'
import { describeHttpError, headersFor, isUnencoded, openPool } from '../base/http-origin.ts'
import { toHex } from '../base/hex.ts'
import { isNestedDeeper } from '../base/json-depth.ts'

export type BeaconClient = {
  /** Host and port, for logs. */
  readonly name: string
  /** Returns the member `data` of the reply. Rejects with BeaconTrouble, or with `signal.reason`. */
  bootstrap(root: Uint8Array, signal: AbortSignal): Promise<unknown>
  /** At most `count` updates of consecutive periods. Rejects as `bootstrap`. */
  updates(startPeriod: number, count: number, signal: AbortSignal): Promise<readonly unknown[]>
  finalityUpdate(signal: AbortSignal): Promise<unknown>
  optimisticUpdate(signal: AbortSignal): Promise<unknown>
  close(): Promise<void>
}

/** An endpoint returned no data; the message gives the reason. `status`: HTTP status; null: no response. */
export class BeaconTrouble extends Error {
  override readonly name = 'BeaconTrouble'
  readonly status: number | null
  constructor(text: string, status: number | null = null) {
    super(text)
    this.status = status
  }
}

const timeoutMs = 10_000
/** A committee of 512 is 53 KB of JSON, a header 2 KB. */
const committeeBytesMax = 256 * 1024
const headersBytesMax = 64 * 1024
/** Nesting depth of objects and lists; an update has 5. */
const levelsMax = 16
/** Concurrent requests: a poll of both updates, and a catch-up. */
const connections = 3

export function createBeaconClient(url: string, clock: Clock): BeaconClient {
  const base = new URL(url)
  const headers = headersFor(base, { accept: 'application/json' })
  const pool = openPool(base, { connections, connectMs: timeoutMs, silenceMs: timeoutMs })

  async function get(path: string, bytesMax: number, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted()
    using deadline = withDeadline(signal, timeoutMs, clock)
    try {
      const reply = JSON.parse(await read(path, bytesMax, deadline.signal)) as unknown
      if (isNestedDeeper(reply, levelsMax)) {
        throw new BeaconTrouble(`a reply with more than ${levelsMax} levels`)
      }
      return reply
    } catch (thrown) {
      if (signal.aborted) throw signal.reason
      if (thrown instanceof BeaconTrouble) throw thrown
      if (thrown instanceof SyntaxError) throw new BeaconTrouble('a reply that is not JSON')
      throw new BeaconTrouble(
        deadline.signal.aborted ? `no reply in ${timeoutMs} ms` : describeHttpError(thrown),
      )
    }
  }

  async function read(path: string, bytesMax: number, signal: AbortSignal): Promise<string> {
    const full = `${base.pathname.replace(/\/$/, '')}/eth/v1/beacon/light_client${path}`
    const query =
      base.search === '' ? '' : `${full.includes('?') ? '&' : '?'}${base.search.slice(1)}`
    const response = await pool.request({ path: full + query, method: 'GET', headers, signal })
    const { statusCode, body } = response
    try {
      if (statusCode !== 200) throw new BeaconTrouble(`status ${statusCode}`, statusCode)
      if (!isUnencoded(response.headers)) throw new BeaconTrouble('a reply with an encoding')
      const chunks: Uint8Array[] = []
      let length = 0
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        length += chunk.length
        if (length > bytesMax) throw new BeaconTrouble(`a reply of more than ${bytesMax} bytes`)
        chunks.push(chunk)
      }
      return Buffer.concat(chunks).toString()
    } finally {
      // No effect on a body that was read to its end.
      body.on('error', () => {}).destroy()
    }
  }

  const dataOf = (reply: unknown): unknown => (reply as { readonly data?: unknown } | null)?.data

  return {
    name: base.host,
    bootstrap: async (root, signal) =>
      dataOf(await get(`/bootstrap/${toHex(root)}`, committeeBytesMax, signal)),
    async updates(startPeriod, count, signal) {
      const path = `/updates?start_period=${startPeriod}&count=${count}`
      const reply = await get(path, count * committeeBytesMax, signal)
      if (!Array.isArray(reply)) throw new BeaconTrouble('updates that are not a list')
      return reply.slice(0, count).map(dataOf)
    },
    finalityUpdate: async (signal) =>
      dataOf(await get('/finality_update', headersBytesMax, signal)),
    optimisticUpdate: async (signal) =>
      dataOf(await get('/optimistic_update', headersBytesMax, signal)),
    close: () => pool.destroy(),
  }
}

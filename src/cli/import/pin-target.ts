// The server that receives pins, through its own API: its rules apply, and it continues to serve.
// Tested by test/cli/import-pins.test.ts
import { randomUUID } from 'node:crypto'
import { systemClock } from '../../base/clock.ts'
import { createHttpClient, HttpTrouble } from '../../ipfs/sources/http-client.ts'
import type { ServerAccess } from '../server-access.ts'
import { bodyOf, textOf } from './api-reply.ts'
import { parsePinList, type WantedPin } from './pin-list.ts'

export type PinTarget = {
  /** The pins of the account. */
  pinned(signal: AbortSignal): Promise<readonly WantedPin[]>
  /** `offline`: only blocks that the server has; else it also fetches from its sources. */
  pin(pin: WantedPin, offline: boolean, signal: AbortSignal): Promise<void>
  /** Stores the blocks of a CAR as unpinned content after each is verified: all or none. */
  keepCar(car: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** The server did not respond, so the state of the pin is unknown. */
export class TargetSilent extends Error {
  override readonly name = 'TargetSilent'
}

/** A pin may have many gigabytes, which the server fetches. */
const dayMs = 86_400_000
const listBytesMax = 512 * 1024 * 1024
const replyBytesMax = 1024 * 1024

/** All methods throw Refused, TargetSilent, or the reason of `signal`. */
export function createPinTarget(server: ServerAccess, connections: number): PinTarget {
  const client = createHttpClient({ ...server, connections, clock: systemClock })

  async function post(
    command: string,
    query: readonly (readonly [string, string])[],
    limits: { readonly replyBytesMax: number },
    signal: AbortSignal,
  ): Promise<string> {
    const path = `/api/v0/${command}`
    const request = { method: 'POST', path, query, timeoutMs: dayMs, ...limits } as const
    return textOf(await client.send(request, signal).catch(silent))
  }

  return {
    async pinned(signal) {
      const ask = (type: string) =>
        post(
          'pin/ls',
          [
            ['type', type],
            ['names', 'true'],
            ['stream', 'true'],
          ],
          { replyBytesMax: listBytesMax },
          signal,
        )
      return parsePinList(`${await ask('recursive')}\n${await ask('direct')}`).wanted
    },
    async pin({ cid, mode, name }, offline, signal) {
      const query = [
        ['arg', cid.toString()],
        ['recursive', String(mode === 'recursive')],
        ...(name === '' ? [] : [['name', name] as const]),
        ...(offline ? [['offline', 'true'] as const] : []),
      ] as const
      await post('pin/add', query, { replyBytesMax }, signal)
    },
    async keepCar(car, signal) {
      let failure: { readonly thrown: unknown } | null = null
      async function* watched(): AsyncGenerator<Uint8Array> {
        try {
          yield* car
        } catch (thrown) {
          failure = { thrown }
          throw thrown
        }
      }
      const boundary = `cairn-${randomUUID()}`
      const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
      const query = [['pin-roots', 'false']] as const
      const path = '/api/v0/dag/import'
      const body = multipart(boundary, watched())
      try {
        const request = { method: 'POST', path, query, headers, body, timeoutMs: dayMs } as const
        for await (const _ of await bodyOf(await client.open(request, signal)));
      } catch (thrown) {
        // A broken CAR stream aborts the request; report its error instead of the abort.
        if (failure !== null) throw (failure as { readonly thrown: unknown }).thrown
        silent(thrown)
      }
    },
    close: () => client.close(),
  }
}

async function* multipart(
  boundary: string,
  file: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const disposition = 'Content-Disposition: form-data; name="file"; filename="pin.car"'
  const head = `--${boundary}\r\n${disposition}\r\nContent-Type: application/vnd.ipld.car\r\n\r\n`
  yield Buffer.from(head)
  yield* file
  yield Buffer.from(`\r\n--${boundary}--\r\n`)
}

function silent(thrown: unknown): never {
  if (!(thrown instanceof HttpTrouble)) throw thrown
  throw new TargetSilent(thrown.message, { cause: thrown })
}

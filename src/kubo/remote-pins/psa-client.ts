// Client of the IPFS Pinning Service API 1.0.0 of other servers. Replies are validated, and limited in bytes and pages.
// Specification: https://ipfs.github.io/pinning-services-api-spec/
// Tested by test/files/remote-pins.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import type { Outbound } from '../../base/outbound.ts'
import { parseCid } from '../../codec/ipld/cid.ts'
import type { PinRequestStatus } from '../../tables/pinning/pin-requests.ts'
import type { PinRemote } from './pin-remotes.ts'
import { failed } from '../kubo-command.ts'

export type RemoteStatus = PinRequestStatus

export const remoteStatuses: readonly RemoteStatus[] = ['queued', 'pinning', 'pinned', 'failed']

export type RemotePin = {
  readonly id: string
  readonly status: RemoteStatus
  readonly cid: CID
  readonly name: string
  /** As sent by the server. */
  readonly created: string
}

/** `name` '', `cids` empty: no filter. */
export type RemoteFilter = {
  readonly name: string
  readonly cids: readonly CID[]
  readonly statuses: readonly RemoteStatus[]
}

/** All methods throw `command_failed` with the server's error, or with the reason why there is no reply. */
export interface PsaClient {
  add(
    remote: PinRemote,
    pin: { readonly cid: CID; readonly name: string; readonly origins: readonly string[] },
    signal: AbortSignal,
  ): Promise<RemotePin>
  get(remote: PinRemote, id: string, signal: AbortSignal): Promise<RemotePin>
  /** The newest first, at most a million. */
  list(remote: PinRemote, filter: RemoteFilter, signal: AbortSignal): AsyncGenerator<RemotePin>
  count(remote: PinRemote, status: RemoteStatus, signal: AbortSignal): Promise<number>
  remove(remote: PinRemote, id: string, signal: AbortSignal): Promise<void>
}

const replyBytesMax = 8 * 1024 * 1024
const pageMax = 1000
const pagesMax = 1000
const idCharsMax = 1000
const detailCharsMax = 500

type PsaRequest = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path after `/pins`. */
  readonly path: string
  readonly body?: object
  readonly signal: AbortSignal
}

export function createPsaClient(outbound: Outbound): PsaClient {
  async function send(
    remote: PinRemote,
    { method, path, body, signal }: PsaRequest,
  ): Promise<string> {
    if (remote.token === null) {
      throw failed(
        'the key of this service was encrypted with the identity.pem of another folder: remove the service and add it again',
      )
    }
    const reply = await outbound
      .request(`${remote.endpoint}/pins${path}`, {
        method,
        headers: {
          authorization: `Bearer ${remote.token}`,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        replyBytesMax,
        signal,
      })
      .catch((error: unknown) => {
        signal.throwIfAborted()
        const why = error instanceof Error ? error.message : String(error)
        throw failed(`empty response from remote pinning service: ${why}`)
      })
    const text = Buffer.from(reply.bytes).toString('utf8')
    if (reply.status < 200 || reply.status > 299) throw failed(refusalOf(reply.status, text))
    if (!reply.whole)
      throw failed(`answer of remote pinning service is over ${replyBytesMax} bytes`)
    return text
  }

  async function page(
    remote: PinRemote,
    query: URLSearchParams,
    signal: AbortSignal,
  ): Promise<{ readonly count: number; readonly pins: readonly RemotePin[] }> {
    const path = `?${query.toString()}`
    const { count, results } = objectOf(await send(remote, { method: 'GET', path, signal }))
    if (typeof count !== 'number' || !Number.isSafeInteger(count) || !Array.isArray(results)) {
      throw malformed()
    }
    return { count, pins: results.slice(0, pageMax).map(toPin) }
  }

  return {
    async add(remote, { cid, name, origins }, signal) {
      const body = {
        cid: cid.toString(),
        ...(name === '' ? {} : { name }),
        ...(origins.length === 0 ? {} : { origins }),
      }
      return toPin(objectOf(await send(remote, { method: 'POST', path: '', body, signal })))
    },

    async get(remote, id, signal) {
      const path = `/${encodeURIComponent(id)}`
      return toPin(objectOf(await send(remote, { method: 'GET', path, signal })))
    },

    async *list(remote, { name, cids, statuses }, signal) {
      const query = new URLSearchParams({ limit: String(pageMax), status: statuses.join(',') })
      if (name !== '') query.set('name', name)
      if (cids.length > 0) query.set('cid', cids.join(','))
      for (let pages = 0; pages < pagesMax; pages += 1) {
        const { count, pins } = await page(remote, query, signal)
        yield* pins
        const oldest = pins.at(-1)
        if (oldest === undefined || count <= pins.length) return
        query.set('before', oldest.created)
      }
    },

    async count(remote, status, signal) {
      const query = new URLSearchParams({ limit: '1', status })
      return (await page(remote, query, signal)).count
    },

    async remove(remote, id, signal) {
      await send(remote, { method: 'DELETE', path: `/${encodeURIComponent(id)}`, signal })
    },
  }
}

function malformed(): Fault {
  return failed('malformed answer of remote pinning service')
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return asObject(JSON.parse(text))
  } catch {
    throw malformed()
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw malformed()
  return value as Readonly<Record<string, unknown>>
}

function toPin(value: unknown): RemotePin {
  const { requestid: id, status: given, created, pin } = asObject(value)
  const { cid: text, name = '' } = asObject(pin)
  const cid = typeof text === 'string' ? parseCid(text) : null
  const status = remoteStatuses.find((one) => one === given)
  const isId = typeof id === 'string' && id !== '' && id.length <= idCharsMax
  if (cid === null || status === undefined || !isId || typeof created !== 'string') {
    throw malformed()
  }
  return { id, status, cid, name: typeof name === 'string' ? name : '', created }
}

/** The text of Kubo's client. */
function refusalOf(status: number, text: string): string {
  try {
    const { reason, details } = asObject(asObject(JSON.parse(text))['error'])
    if (typeof reason === 'string') {
      const shown = typeof details === 'string' ? details.slice(0, detailCharsMax) : ''
      return `reason: ${JSON.stringify(reason.slice(0, detailCharsMax))}, details: ${JSON.stringify(shown)}: ${status}`
    }
  } catch {
    // Not an error object of the specification.
  }
  return `remote pinning service returned http error ${status}`
}

// Objects of the Pinning Service API: pins and filters that clients send, and the request status that Cairn returns.
// Specification: https://ipfs.github.io/pinning-services-api-spec/ (1.0.0)
// Tested by src/kubo/psa/pin-objects.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { parseCid } from '../../codec/ipld/cid.ts'
import { isStorableText } from '../../db/storable-text.ts'
import type { PinRequest, RequestedPin } from '../../ipfs/pins/pin-requests.ts'
import type { PinRequestFilter, PinRequestStatus } from '../../tables/pinning/pin-requests.ts'

const nameCharsMax = 255
const originsMax = 20
/** The network process does not accept longer ones. */
const originCharsMax = 512
const metaMax = 1000
/** Maximum characters of `meta` as JSON. */
const metaCharsMax = 8192
const cidsMax = 10
/** Pairs of `meta` in a filter. */
const filterPairsMax = 20
const limitMax = 1000
const limitDefault = 10
/** Maximum characters of a value quoted in an error. */
const shownCharsMax = 100

const statuses: readonly PinRequestStatus[] = ['queued', 'pinning', 'pinned', 'failed']
const matches = ['exact', 'iexact', 'partial', 'ipartial'] as const

/** `Pin` of a request body. Throws `bad_params`. */
export function parsePin(body: string): RequestedPin {
  const { cid, name, origins, meta } = objectOf(parseJson(body, 'the body'), 'the body')
  const isSent = (value: unknown): boolean => value !== undefined && value !== null
  return {
    cid: cidOf(cid),
    name: isSent(name) ? nameOf(name) : '',
    origins: isSent(origins) ? originsOf(origins) : null,
    meta: isSent(meta) ? metaOf(meta) : null,
  }
}

export type PinQuery = { readonly filter: PinRequestFilter; readonly limit: number }

/** Parameters with a single value; a repeated one would be ambiguous. */
const singles = ['name', 'match', 'before', 'after', 'limit', 'meta'] as const

/** Parameters of the list. `cid` and `status` are comma-separated lists and may also be repeated. Throws `bad_params`. */
export function parseQuery(query: URLSearchParams): PinQuery {
  for (const name of singles) {
    const { length } = query.getAll(name)
    if (length > 1) throw wrong(`${name}: sent ${length} times, expected once`)
  }
  const list = (name: string): readonly string[] =>
    query.getAll(name).flatMap((text) => text.split(','))
  const cids = list('cid')
  if (cids.length > cidsMax) throw wrong(`cid: ${cids.length} CIDs, at most ${cidsMax} are allowed`)
  const statuses = list('status')
  const meta = query.get('meta')
  const pairs = meta === null ? [] : Object.entries(metaOf(parseJson(meta, 'meta')))
  if (pairs.length > filterPairsMax) throw tooManyMembers(pairs.length, filterPairsMax)
  return {
    limit: limitOf(query.get('limit')),
    filter: {
      cids: cids.map((text) => cidOf(text).bytes),
      statuses: statuses.length === 0 ? ['pinned'] : [...new Set(statuses.map(statusOf))],
      name: nameFilter(query.get('name'), query.get('match') ?? 'exact'),
      before: timeOf(query.get('before'), 'before', Math.ceil),
      after: timeOf(query.get('after'), 'after', Math.floor),
      meta: pairs,
    },
  }
}

/** `PinStatus`. `delegates`: multiaddrs of this server. */
export function pinStatus(request: PinRequest, delegates: readonly string[]): object {
  const { id, status, created, cid, name, origins, meta } = request
  return {
    requestid: id,
    status,
    created: new Date(created).toISOString(),
    pin: {
      cid: cid.toString(),
      ...(name === '' ? {} : { name }),
      ...(origins === null ? {} : { origins }),
      ...(meta === null ? {} : { meta }),
    },
    delegates,
    info: infoOf(request),
  }
}

function infoOf({ status, tries, error, bytes, due }: PinRequest): Record<string, string> {
  switch (status) {
    case 'pinned':
      return { dag_size: String(bytes) }
    case 'pinning':
      return { status_details: `${bytes} bytes read` }
    case 'failed':
      return { status_details: error ?? '' }
    case 'queued': {
      if (error === null) return {}
      const next = new Date(due).toISOString()
      return { status_details: `try ${tries} failed: ${error}; next try at ${next}` }
    }
  }
}

function wrong(detail: string): Fault {
  return new Fault('bad_params', { detail })
}

function tooManyMembers(count: number, most: number): Fault {
  return wrong(`meta: ${count} members, at most ${most} are allowed`)
}

/** The client's value, shortened for an error message. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, shownCharsMax))
  return JSON.stringify(value).slice(0, shownCharsMax)
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw wrong(`${what}: ${shown(text)} is not JSON`)
  }
}

function objectOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>
  }
  throw wrong(`${what}: ${shown(value)} is not a JSON object`)
}

/** `what`: name of the value in an error message. */
function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw wrong(`${what}: ${shown(value)} is not a text`)
  if (isStorableText(value)) return value
  throw wrong(`${what}: ${shown(value)} has a character that cannot be stored (NUL, half a pair)`)
}

function cidOf(value: unknown): CID {
  const cid = typeof value === 'string' ? parseCid(value) : null
  if (value === undefined) throw wrong('cid: absent, expected a CID')
  if (cid === null) throw wrong(`cid: ${shown(value)} is not a CID`)
  return cid
}

function nameOf(value: unknown): string {
  const name = textOf(value, 'name')
  if (name.length <= nameCharsMax) return name
  throw wrong(`name: ${name.length} characters, at most ${nameCharsMax} are allowed`)
}

function originsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw wrong(`origins: ${shown(value)} is not a list of multiaddrs`)
  if (value.length > originsMax) {
    throw wrong(`origins: ${value.length} multiaddrs, at most ${originsMax} are allowed`)
  }
  return [...new Set(value.map(originOf))]
}

function originOf(value: unknown): string {
  const origin = textOf(value, 'origins')
  if (origin.startsWith('/') && origin.length <= originCharsMax) return origin
  throw wrong(
    `origins: ${shown(origin)} is not a multiaddr of at most ${originCharsMax} characters`,
  )
}

function metaOf(value: unknown): Readonly<Record<string, string>> {
  const meta = objectOf(value, 'meta')
  const entries = Object.entries(meta)
  if (entries.length > metaMax) throw tooManyMembers(entries.length, metaMax)
  for (const [key, text] of entries) {
    textOf(key, 'meta')
    textOf(text, `meta: ${shown(key)}`)
  }
  const { length } = JSON.stringify(meta)
  if (length > metaCharsMax) {
    throw wrong(`meta: ${length} characters of JSON, at most ${metaCharsMax} are allowed`)
  }
  return meta as Readonly<Record<string, string>>
}

function statusOf(text: string): PinRequestStatus {
  const status = statuses.find((one) => one === text)
  if (status === undefined)
    throw wrong(`status: ${shown(text)} is not one of ${statuses.join(', ')}`)
  return status
}

function nameFilter(text: string | null, match: string): PinRequestFilter['name'] {
  const known = matches.find((one) => one === match)
  if (known === undefined) throw wrong(`match: ${shown(match)} is not one of ${matches.join(', ')}`)
  if (text === null) return null
  const folded = known === 'iexact' || known === 'ipartial'
  const name = nameOf(text)
  const part = known === 'partial' || known === 'ipartial'
  return { text: folded ? name.toLowerCase() : name, part, folded }
}

function limitOf(text: string | null): number {
  if (text === null) return limitDefault
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > limitMax)
    throw wrong(`limit: ${shown(text)} is not a number from 1 to ${limitMax}`)
  return limit
}

/** RFC 3339, section 5.6. */
const timeForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/i

/** Whole milliseconds since 1970 UTC, the resolution of `created`. */
function timeOf(text: string | null, name: string, round: (ms: number) => number): number | null {
  if (text === null) return null
  // An unescaped `+` in a query is decoded as a space.
  const found = timeForm.exec(text.replace(' ', '+'))
  const [whole = '', fraction = ''] = found ?? []
  const ms = found === null ? Number.NaN : Date.parse(whole.replace(fraction, '').toUpperCase())
  if (Number.isNaN(ms))
    throw wrong(`${name}: ${shown(text)} is not a time like 2020-07-27T17:32:28.276Z`)
  return ms + (fraction === '' ? 0 : round(Number(`0${fraction}`) * 1000))
}

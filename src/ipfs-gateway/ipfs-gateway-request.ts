// Parses a request to `/ipfs/<cid>[/path]` or `/ipns/<name>[/path]`: the requested format and content. Pure.
// Rules: https://specs.ipfs.tech/http-gateways/path-gateway/
// Tested by src/ipfs-gateway/ipfs-gateway.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../base/fault.ts'
import { parseCid } from '../codec/ipld/cid.ts'
import { canonicalName } from './content-host.ts'
import type { PathFormat, PathRequest } from './path-operation.ts'
import { type AcceptedType, parseAccept } from '../http/accept-header.ts'

export type ChosenFormat = {
  /** Null: no format is requested. */
  readonly format: PathFormat | null
  /** Parameters of the media type that selected it. */
  readonly accepted: ReadonlyMap<string, string>
  /** Whether the Accept header selected it, and not the query. */
  readonly negotiated: boolean
  /** No format is requested, and the client accepts HTML. */
  readonly acceptsHtml: boolean
}

const base = '/ipfs/'
const nameBase = '/ipns/'
const segmentsMax = 256
/** By media type, without parameters. */
const formats: ReadonlyMap<string, PathFormat> = new Map([
  ['application/vnd.ipld.raw', 'raw'],
  ['application/vnd.ipld.car', 'car'],
  ['application/x-tar', 'tar'],
  ['application/vnd.ipld.dag-json', 'dag-json'],
  ['application/vnd.ipld.dag-cbor', 'dag-cbor'],
  ['application/json', 'json'],
  ['application/cbor', 'cbor'],
  ['application/vnd.ipfs.ipns-record', 'ipns-record'],
])

/** The first value of each parameter, form-decoded. */
export function readQuery(query: string): ReadonlyMap<string, string> {
  const read = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(query)) {
    if (!read.has(name)) read.set(name, value)
  }
  return read
}

/** The query overrides `accept`; of the media types the preferred one is selected. Throws `bad_argument`. */
export function chooseFormat(
  query: ReadonlyMap<string, string>,
  accept: string | undefined,
): ChosenFormat {
  const requested = query.get('format') ?? ''
  const accepted = parseAccept(accept)
  const supported = accepted.filter(({ type }) => formats.has(type))
  if (requested === '') {
    const best = supported.find(isServed) ?? supported[0]
    const format = best === undefined ? undefined : formats.get(best.type)
    if (best === undefined || format === undefined) {
      const acceptsHtml = accepted.some(({ type }) => type === 'text/html')
      return { format: null, accepted: new Map(), negotiated: false, acceptsHtml }
    }
    return { format, accepted: best.parameters, negotiated: true, acceptsHtml: false }
  }
  const format = [...formats.values()].find((one) => one === requested)
  if (format === undefined) {
    const shown = JSON.stringify(requested.slice(0, 100))
    const expected = [...new Set(formats.values())].join(', ')
    const detail = `format ${shown} is not supported by this server: expected one of ${expected}`
    throw new Fault('bad_argument', { detail })
  }
  const same = supported.filter(({ type }) => formats.get(type) === format)
  const { parameters } = same.find(isServed) ?? same[0] ?? { parameters: new Map() }
  return { format, accepted: parameters, negotiated: false, acceptsHtml: false }
}

/** Selects the first of several CAR variants that Cairn serves. */
function isServed({ parameters }: AcceptedType): boolean {
  const isOneOf = (name: string, values: readonly string[]): boolean =>
    values.includes(parameters.get(name) ?? (values[0] as string))
  return (
    isOneOf('version', ['1']) && isOneOf('order', ['dfs', 'unk']) && isOneOf('dups', ['n', 'y'])
  )
}

/**
 * The canonical form of a path to a CID or a name: without a second leading slash, and without an additional `ipfs` segment before
 * the namespace. Null: the path is canonical, or is not a content path.
 */
export function canonicalPath(path: string): string | null {
  const [, namespace, rest = ''] =
    /^\/+(?:ipfs\/+(?=ip[fn]s\/))?(ipfs|ipns)\/+(.*)$/s.exec(path) ?? []
  const canonical = `/${namespace}/${rest}`
  if (namespace === undefined || path === canonical) return null
  const [name = ''] = rest.split('/', 1)
  const isPath = namespace === 'ipns' ? name !== '' : parseCid(name) !== null
  return isPath ? canonical : null
}

/**
 * `from`: the root CID, or an IPNS name in canonical form (`canonicalName`). Throws `bad_argument` for an invalid CID or name,
 * malformed escapes, and too many segments.
 */
export function readPath(path: string): Pick<PathRequest, 'segments' | 'slash'> & {
  readonly from: CID | string
  readonly shown: string
} {
  const isName = path.startsWith(nameBase)
  const [first = '', ...encodedSegments] = path.slice(base.length).split('/')
  const name = isName ? canonicalName(decode(first)) : decode(first)
  const from = isName ? name : parseCid(name)
  if (from === null) {
    throw new Fault('bad_argument', {
      detail: `invalid cid: ${JSON.stringify(name.slice(0, 200))}`,
    })
  }
  const segments: string[] = []
  for (const one of encodedSegments) {
    const segment = decode(one)
    if (segment === '' || segment === '.') continue
    if (segment === '..') {
      if (segments.pop() === undefined) throw malformed('the path leads out of its root')
    } else segments.push(segment)
  }
  if (segments.length > segmentsMax) throw malformed(`more than ${segmentsMax} segments`)
  const slash = path.endsWith('/')
  const shown =
    (isName ? nameBase : base) +
    [name, ...segments].map(encodeURIComponent).join('/') +
    (slash ? '/' : '')
  return { from, segments, slash, shown }
}

function decode(segment: string): string {
  let text: string
  try {
    text = decodeURIComponent(segment)
  } catch (cause) {
    throw new Fault('bad_argument', { detail: 'malformed escape in the path', cause })
  }
  if (text.includes('\0')) throw malformed('NUL in the path')
  return text
}

function malformed(detail: string): Fault {
  return new Fault('bad_argument', { detail })
}

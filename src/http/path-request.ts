// A request to `/ipfs/<cid>[/path]` off the wire: which format is asked for, and of what (contract-files 10). Pure.
// Rules: https://specs.ipfs.tech/http-gateways/path-gateway/
// Tested by src/http/path-face.test.ts
import { Fault } from '../base/fault.ts'
import { parseCid } from '../codec/cid.ts'
import type { PathRequest } from '../gateway/path-operation.ts'
import { type AcceptedType, parseAccept } from './accept.ts'

/** `null`: neither; what the server shows of files and directories. */
type PathFormat = 'raw' | 'car' | null

export type ChosenFormat = {
  readonly format: PathFormat
  /** Parameters of the media type that chose it. */
  readonly accepted: ReadonlyMap<string, string>
  /** The Accept header chose it, not the query. */
  readonly negotiated: boolean
}

const base = '/ipfs/'
const segmentsMax = 256
const types: ReadonlyMap<string, 'raw' | 'car'> = new Map([
  ['application/vnd.ipld.raw', 'raw'],
  ['application/vnd.ipld.car', 'car'],
])

/** The first value of each parameter, decoded as a form. */
export function readQuery(query: string): ReadonlyMap<string, string> {
  const read = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(query)) {
    if (!read.has(name)) read.set(name, value)
  }
  return read
}

/** The query wins; of the types in `accept` the one that is liked best. Throws `bad_argument`. */
export function chooseFormat(
  query: ReadonlyMap<string, string>,
  accept: string | undefined,
): ChosenFormat {
  const asked = query.get('format') ?? ''
  const liked = parseAccept(accept).filter(({ type }) => types.has(type))
  if (asked === '') {
    const best = liked.find(isServed) ?? liked[0]
    if (best === undefined) return { format: null, accepted: new Map(), negotiated: false }
    return { format: types.get(best.type) ?? null, accepted: best.parameters, negotiated: true }
  }
  if (asked !== 'raw' && asked !== 'car') {
    const shown = JSON.stringify(asked.slice(0, 100))
    throw new Fault('bad_argument', { detail: `format ${shown} is not supported by this server` })
  }
  const same = liked.filter(({ type }) => types.get(type) === asked)
  const { parameters } = same.find(isServed) ?? same[0] ?? { parameters: new Map() }
  return { format: asked, accepted: parameters, negotiated: false }
}

/** Of several wishes for a CAR the first that can be met. */
function isServed({ parameters }: AcceptedType): boolean {
  const isOneOf = (name: string, values: readonly string[]): boolean =>
    values.includes(parameters.get(name) ?? (values[0] as string))
  return (
    isOneOf('version', ['1']) && isOneOf('order', ['dfs', 'unk']) && isOneOf('dups', ['n', 'y'])
  )
}

/** Throws `bad_argument` for a CID that is none, escapes that are malformed, and segments without end. */
export function readPath(
  path: string,
): Pick<PathRequest, 'root' | 'segments' | 'slash'> & { readonly shown: string } {
  const [first = '', ...rest] = path.slice(base.length).split('/')
  const name = decode(first)
  const root = parseCid(name)
  if (root === null) {
    throw new Fault('bad_argument', {
      detail: `invalid cid: ${JSON.stringify(name.slice(0, 200))}`,
    })
  }
  const segments: string[] = []
  for (const one of rest) {
    const segment = decode(one)
    if (segment === '' || segment === '.') continue
    if (segment === '..') {
      if (segments.pop() === undefined) throw malformed('the path leads out of its root')
    } else segments.push(segment)
  }
  if (segments.length > segmentsMax) throw malformed(`more than ${segmentsMax} segments`)
  const shown = [name, ...segments].map(encodeURIComponent).join('/')
  return { root, segments, slash: path.endsWith('/'), shown: base + shown }
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

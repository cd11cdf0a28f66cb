// The head of one multipart part: what Go's mime package and Kubo make of it. Pure.
// Tested by src/kubo/multipart.test.ts
import { Fault } from '../base/fault.ts'
import type { Mtime } from '../ipfs/import/upload-entry.ts'

export type PartHead = {
  /** Cleaned, `/`-separated, no leading slash; '' when unnamed. */
  readonly path: string
  readonly kind: 'file' | 'directory' | 'symlink'
  readonly mode?: number
  readonly mtime?: Mtime
}

const linesMax = 32
const pathBytesMax = 8192
const segmentBytesMax = 1024

/** `head`: the header lines without the blank one. Throws `bad_params` for what no entry can be made of. */
export function parsePartHead(head: Uint8Array): PartHead {
  const fields = headerFields(decodeUtf8(head, 'multipart: part header is not valid UTF-8'))
  const disposition = parameters(fields.get('content-disposition') ?? '')
  const media = (fields.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  const kind =
    media === 'application/x-directory' || media === 'multipart/form-data'
      ? 'directory'
      : media === 'application/symlink'
        ? 'symlink'
        : 'file'
  return {
    path: cleanPath(unescapeQuery(disposition.get('filename') ?? '')),
    kind,
    ...declared(disposition.get('name') ?? ''),
  }
}

function headerFields(text: string): Map<string, string> {
  const lines = text.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  if (lines.length > linesMax) throw bad('multipart: too many part headers')
  const fields = new Map<string, string>()
  for (const line of lines) {
    if (line === '') continue
    const colon = line.indexOf(':')
    if (colon < 1) throw bad('multipart: malformed part header')
    const name = line.slice(0, colon).trim().toLowerCase()
    if (!fields.has(name)) fields.set(name, line.slice(colon + 1).trim())
  }
  return fields
}

/** Parameters of a header value by lower-cased name; `name*=` (RFC 5987) wins over `name=`. */
function parameters(value: string): Map<string, string> {
  const found = new Map<string, string>()
  const extended = new Map<string, string>()
  const pattern = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;]*))/gsy
  pattern.lastIndex = value.indexOf(';')
  if (pattern.lastIndex < 0) return found
  for (const match of value.matchAll(pattern)) {
    const name = (match[1] as string).toLowerCase()
    // Go drops a backslash only in front of a tspecial, so `C:\dir` keeps its own.
    const text =
      match[2]?.replaceAll(/\\([()<>@,;:\\"/[\]?=])/g, '$1') ?? (match[3] as string).trim()
    if (!name.endsWith('*')) found.set(name, text)
    else {
      const decoded = /^(?:utf-8|us-ascii)'[^']*'(.*)$/is.exec(text)
      if (decoded !== null)
        extended.set(name.slice(0, -1), percentDecode(decoded[1] as string) ?? text)
    }
  }
  for (const [name, text] of extended) found.set(name, text)
  return found
}

/** Go's url.QueryUnescape; text that cannot be unescaped is taken as it is. */
function unescapeQuery(text: string): string {
  return percentDecode(text.replaceAll('+', ' ')) ?? text
}

/** Null when an escape is malformed. Throws when the bytes are not UTF-8. */
function percentDecode(text: string): string | null {
  if (!text.includes('%')) return text
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return null
  const bytes = Buffer.from(
    text.replaceAll(/%([0-9a-fA-F]{2})|([^%]+)/g, (_all, pair: string | undefined, rest: string) =>
      pair === undefined ? Buffer.from(rest).toString('latin1') : latin1(pair),
    ),
    'latin1',
  )
  return decodeUtf8(bytes, 'multipart: file name is not valid UTF-8')
}

function latin1(pair: string): string {
  return String.fromCharCode(Number.parseInt(pair, 16))
}

function cleanPath(name: string): string {
  if (name.includes('\0')) throw bad('multipart: file name holds a NUL byte')
  if (Buffer.byteLength(name) > pathBytesMax) throw bad('multipart: file name is too long')
  const segments: string[] = []
  for (const segment of name.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..') segments.pop()
    else segments.push(segment)
  }
  if (segments.some((segment) => Buffer.byteLength(segment) > segmentBytesMax)) {
    throw bad('multipart: segment of a file name is too long')
  }
  return segments.join('/')
}

/** Mode and time behind the `?` of a part name; a suffix that cannot be parsed counts as none. */
function declared(name: string): { mode?: number; mtime?: Mtime } {
  const query = new URLSearchParams(name.includes('?') ? name.slice(name.indexOf('?') + 1) : '')
  const mode = query.get('mode')
  const mtime = query.get('mtime')
  const nanos = query.get('mtime-nsecs')
  const kept: { mode?: number; mtime?: Mtime } = {}
  if (mode !== null && /^[0-7]{1,11}$/.test(mode)) kept.mode = Number.parseInt(mode, 8) & 0o7777
  if (mtime !== null && /^[+-]?\d{1,18}$/.test(mtime)) {
    const wanted = nanos !== null && /^\d{1,9}$/.test(nanos) ? Number(nanos) : 0
    kept.mtime = { seconds: BigInt(mtime.replace('+', '')), nanos: wanted }
  }
  return kept
}

function decodeUtf8(bytes: Uint8Array, complaint: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new Fault('bad_params', { detail: complaint, cause })
  }
}

function bad(detail: string): Fault {
  return new Fault('bad_params', { detail })
}

// The head of an upstream's response (RFC 9112), read strictly: what is odd in any way is no response. Says how the body
// is framed, and whether the connection may be used again.
// Tested by src/ethereum/upstream/node/connections.test.ts

/** As much of a head as anybody asks for; `headers` by lower-case names. */
export type ReplyHead = {
  readonly status: number
  readonly headers: Readonly<Partial<Record<HeaderName, string>>>
  /** Bytes of the body; `chunked`; or `rest`: as much as comes until the connection ends. */
  readonly body: number | 'chunked' | 'rest'
  /** How long the connection may be idle and be used again, milliseconds. Null: the upstream does not say. */
  readonly idleMs: number | null
}

const headerNames = [
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'retry-after',
  'transfer-encoding',
] as const
type HeaderName = (typeof headerNames)[number]
type Headers = Partial<Record<HeaderName, string>>

const statusLine = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: |$)/
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** What no line holds, and ends of lines that are none. */
// oxlint-disable-next-line no-control-regex -- these are they
const unprintable = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|(?<!\r)\n/
const outerSpace = /^[\t ]+|[\t ]+$/g
const spaceBehind = /[\t ]$/
/** As many digits as a number holds exactly. */
const lengthForm = /^[0-9]{1,15}$/
const idleForm = /(?:^|[,; ])timeout=([0-9]{1,6})(?:$|[,; ])/i
/** Whoever closes at that time may do it while we write. */
const idleMarginMs = 2_000
const idleMsMax = 600_000

/** `text`: the lines of the head, without the empty one. Null: not the head of a response. */
export type ReadReplyHead = (text: string) => ReplyHead | null

/** Knows the last one it read: for a second at least an upstream says the same before replies of one length. */
export function createReadReplyHead(): ReadReplyHead {
  let last = ''
  let known: ReplyHead | null = null
  return (text) => {
    if (text === last) return known
    known = readReplyHead(text)
    last = text
    return known
  }
}

function readReplyHead(text: string): ReplyHead | null {
  if (unprintable.test(text)) return null
  const firstEnd = lineEndOf(text, 0)
  const [, minor, code] = statusLine.exec(text.slice(0, firstEnd)) ?? []
  if (code === undefined) return null
  const headers: Headers = {}
  for (let at = firstEnd + 2; at < text.length + 2;) {
    const end = lineEndOf(text, at)
    if (!readHeader(text.slice(at, end), headers)) return null
    at = end + 2
  }
  const status = Number(code)
  const body = framingOf(status, headers)
  if (body === null) return null
  // HTTP/1.0 knows no chunks: who sends them hands on what he did not read (RFC 9112, 6.1).
  const isLast = body === 'rest' || (body === 'chunked' && minor === '0')
  const idleMs = isLast ? 0 : idleTimeOf(minor === '1', headers)
  return { status, headers, body, idleMs }
}

function lineEndOf(text: string, from: number): number {
  const end = text.indexOf('\r\n', from)
  return end === -1 ? text.length : end
}

/** False: no header, or one that contradicts another. */
function readHeader(line: string, headers: Headers): boolean {
  const given = line.slice(0, Math.max(line.indexOf(':'), 0))
  if (!token.test(given)) return false
  const name = given.toLowerCase()
  if (!isKnown(name)) return true
  const value = line.slice(given.length + 1).replace(outerSpace, '')
  const before = headers[name]
  headers[name] = before === undefined ? value : `${before}, ${value}`
  // Two lengths are how one response is passed off as two. Parsers differ on one with space behind it.
  return name !== 'content-length' || (before === undefined && !spaceBehind.test(line))
}

const known: ReadonlySet<string> = new Set(headerNames)

function isKnown(name: string): name is HeaderName {
  return known.has(name)
}

/** Null: in two ways, or in none that is understood. */
function framingOf(status: number, headers: Readonly<Headers>): ReplyHead['body'] | null {
  const coding = headers['transfer-encoding']
  const length = headers['content-length']
  if (length !== undefined && (coding !== undefined || !lengthForm.test(length))) return null
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return null
  // These end with their heads, whatever those say (RFC 9112, 6.3).
  if (status < 200 || status === 204 || status === 304) return 0
  if (coding !== undefined) return 'chunked'
  return length === undefined ? 'rest' : Number(length)
}

function idleTimeOf(isPersistent: boolean, headers: Readonly<Headers>): number | null {
  const connection = headers.connection?.toLowerCase() ?? ''
  if (connection.includes('close') || connection.includes('upgrade')) return 0
  if (!isPersistent && !connection.includes('keep-alive')) return 0
  const [, seconds] = idleForm.exec(headers['keep-alive'] ?? '') ?? []
  if (seconds === undefined) return null
  return Math.min(Math.max(Number(seconds) * 1000 - idleMarginMs, 0), idleMsMax)
}

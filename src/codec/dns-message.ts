// DNS messages: encodes a query for TXT records, and decodes the texts of its reply with their time to live.
// Rules: RFC 1035 4, RFC 8484 (the form used by DNS over HTTPS)
// Tested by src/codec/dns-message.test.ts
import { Fault } from '../base/fault.ts'

/** `ttlSeconds`: the minimum of all answers, including CNAMEs. */
export type TxtAnswers = { readonly texts: readonly string[]; readonly ttlSeconds: number }

const headBytes = 12
const txtType = 16
const cnameType = 5
const inClass = 1
const recursionDesired = 0x0100
const noName = 3
const answersMax = 100
const nameBytesMax = 255

/** `name`: ASCII labels separated by dots. Throws RangeError for a name that is invalid in DNS. The ID is 0 (RFC 8484 4.1). */
export function encodeTxtQuery(name: string): Uint8Array {
  const labels = name.split('.').map((label) => {
    const bytes = Buffer.from(label, 'latin1')
    if (bytes.length === 0 || bytes.length > 63) throw new RangeError('a label of 1 to 63 bytes')
    return Buffer.concat([Buffer.of(bytes.length), bytes])
  })
  const question = Buffer.concat([...labels, Buffer.of(0, 0, txtType, 0, inClass)])
  if (question.length - 4 > nameBytesMax) throw new RangeError('a name of at most 255 bytes')
  const head = Buffer.alloc(headBytes)
  head.writeUInt16BE(recursionDesired, 2)
  head.writeUInt16BE(1, 4)
  return Buffer.concat([head, question])
}

/**
 * Null: the name has no TXT record. The strings of one TXT record are joined. Throws `no_upstream` for an error of the
 * resolver, and for a message that is malformed or truncated.
 */
export function decodeTxtReply(message: Uint8Array): TxtAnswers | null {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  try {
    return readReply(bytes)
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    throw broken('malformed', cause)
  }
}

function readReply(bytes: Buffer): TxtAnswers | null {
  const flags = bytes.readUInt16BE(2)
  if ((flags & 0x8000) === 0) throw broken('no reply')
  const code = flags & 0xf
  if (code === noName) return null
  if (code !== 0) throw broken(`code ${code}`)
  if ((flags & 0x0200) !== 0) throw broken('cut')
  let at = headBytes
  for (let left = bytes.readUInt16BE(4); left > 0; left -= 1) at = skipName(bytes, at) + 4
  const count = bytes.readUInt16BE(6)
  if (count > answersMax) throw broken(`more than ${answersMax} answers`)
  const texts: string[] = []
  let ttlSeconds = Number.MAX_SAFE_INTEGER
  for (let left = count; left > 0; left -= 1) {
    at = skipName(bytes, at)
    const type = bytes.readUInt16BE(at)
    const kind = bytes.readUInt16BE(at + 2)
    const ttl = bytes.readUInt32BE(at + 4)
    const end = at + 10 + bytes.readUInt16BE(at + 8)
    if (end > bytes.length) throw broken('malformed')
    if (kind === inClass && (type === txtType || type === cnameType)) {
      // A TTL above 2^31 counts as 0 (RFC 2181 8).
      ttlSeconds = Math.min(ttlSeconds, ttl > 0x7fff_ffff ? 0 : ttl)
    }
    if (kind === inClass && type === txtType) texts.push(readText(bytes.subarray(at + 10, end)))
    at = end
  }
  return texts.length === 0 ? null : { texts, ttlSeconds }
}

/** Returns the end of a name. Names are not compared: the resolver follows CNAMEs. */
function skipName(bytes: Buffer, start: number): number {
  for (let at = start; ;) {
    const length = bytes.readUInt8(at)
    if (length === 0) return at + 1
    if ((length & 0xc0) === 0xc0) return at + 2
    if (length > 63 || at - start > nameBytesMax) throw broken('malformed')
    at += 1 + length
  }
}

function readText(data: Buffer): string {
  const parts: Buffer[] = []
  for (let at = 0; at < data.length;) {
    const length = data.readUInt8(at)
    if (at + 1 + length > data.length) throw broken('malformed')
    parts.push(data.subarray(at + 1, at + 1 + length))
    at += 1 + length
  }
  return Buffer.concat(parts).toString('utf8')
}

function broken(what: string, cause?: unknown): Fault {
  return new Fault('no_upstream', { detail: `reply of the DNS resolver: ${what}`, cause })
}

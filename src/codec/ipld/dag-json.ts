// dag-json: JSON in which maps with only the key "/" are links and bytes. Written with keys sorted by their bytes, without
// spaces, and with all digits of integers.
// Rule: https://ipld.io/specs/codecs/dag-json/spec/
// Tested by src/codec/ipld/ipld.test.ts
import { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { bytesOfText } from '../byte-text.ts'
import { parseCid } from './cid.ts'
import { containersMax, type IpldNode } from './ipld-node.ts'

const depthMax = 128
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Each cursor has its own patterns, because a sticky pattern stores its position. */
type Cursor = {
  readonly text: string
  /** JSON without links and bytes: the key "/" has no special meaning. */
  readonly plain: boolean
  readonly number: RegExp
  readonly word: RegExp
  at: number
  containers: number
}

/** One line without a line feed. Throws `command_failed` for a map with a key "/", which would decode to something else. */
export function encodeDagJson(node: IpldNode): string {
  if (node === null || typeof node === 'boolean' || typeof node === 'bigint') return String(node)
  if (typeof node === 'string') return encodeText(node)
  if (typeof node === 'number') return encodeFloat(node)
  if (node instanceof Uint8Array) return `{"/":{"bytes":"${encodeBase64(node)}"}}`
  if (node instanceof CID) return `{"/":"${node.toString()}"}`
  if (node instanceof Map) {
    if (node.has('/')) throw malformed('map with the key "/" can not be written')
    const entries = [...(node as ReadonlyMap<string, IpldNode>)]
      .map(([key, value]) => ({ key, value, order: bytesOfText(key) }))
      .toSorted((a, b) => Buffer.compare(a.order, b.order))
    return `{${entries.map(({ key, value }) => `${encodeText(key)}:${encodeDagJson(value)}`).join(',')}}`
  }
  return `[${(node as readonly IpldNode[]).map(encodeDagJson).join(',')}]`
}

/**
 * Throws `command_failed` for invalid dag-json: invalid JSON, duplicate keys, a map with a key "/" that is neither a link nor
 * bytes, more than 128 levels.
 */
export function decodeDagJson(block: Uint8Array): IpldNode {
  return decode(block, false)
}

/** Plain JSON, which has neither links nor bytes. Throws as `decodeDagJson`. */
export function decodeJson(block: Uint8Array): IpldNode {
  return decode(block, true)
}

function decode(block: Uint8Array, plain: boolean): IpldNode {
  const text = utf8.decode(block)
  const cursor: Cursor = {
    text,
    plain,
    number: /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y,
    word: /true|false|null/y,
    at: 0,
    containers: 0,
  }
  const node = readNode(cursor, 0)
  skipSpace(cursor)
  if (cursor.at !== text.length) throw malformed('text after the end')
  return node
}

function readNode(cursor: Cursor, depth: number): IpldNode {
  if (depth > depthMax) throw malformed(`more than ${depthMax} levels`)
  skipSpace(cursor)
  const first = cursor.text[cursor.at]
  if (first === '{') return readMap(cursor, depth)
  if (first === '[') return readList(cursor, depth)
  if (first === '"') return readString(cursor)
  const number = match(cursor, cursor.number)
  if (number !== null) {
    if (!/[.eE]/.test(number)) return readInteger(number)
    const float = Number(number)
    if (!Number.isFinite(float)) throw malformed('number that is not finite')
    return float
  }
  const word = match(cursor, cursor.word)
  if (word === null) throw malformed(`character at ${cursor.at}`)
  return word === 'null' ? null : word === 'true'
}

/** As in dag-cbor: limited to 64 bits and a sign. More digits would also take long to parse. */
function readInteger(digits: string): bigint {
  const value = digits.length > 21 ? null : BigInt(digits)
  if (value === null || value >= 1n << 64n || value < -(1n << 64n)) {
    throw malformed('integer of more than 64 bits')
  }
  return value
}

function readList(cursor: Cursor, depth: number): IpldNode {
  cursor.at += 1
  open(cursor)
  const items: IpldNode[] = []
  if (accept(cursor, ']')) return items
  for (;;) {
    items.push(readNode(cursor, depth + 1))
    if (accept(cursor, ']')) return items
    if (!accept(cursor, ',')) throw malformed(`character at ${cursor.at}`)
  }
}

function readMap(cursor: Cursor, depth: number): IpldNode {
  cursor.at += 1
  open(cursor)
  const map = new Map<string, IpldNode>()
  if (accept(cursor, '}')) return map
  for (;;) {
    skipSpace(cursor)
    const key = readString(cursor)
    if (map.has(key)) throw malformed('duplicate key')
    if (!accept(cursor, ':')) throw malformed(`character at ${cursor.at}`)
    map.set(key, readNode(cursor, depth + 1))
    if (accept(cursor, '}')) return !cursor.plain && map.has('/') ? reserved(map) : map
    if (!accept(cursor, ',')) throw malformed(`character at ${cursor.at}`)
  }
}

/** The reserved maps of dag-json: `{"/":"<cid>"}` and `{"/":{"bytes":"<base64>"}}`. */
function reserved(map: ReadonlyMap<string, IpldNode>): IpldNode {
  const inside = map.get('/')
  if (map.size === 1 && typeof inside === 'string') {
    const cid = parseCid(inside)
    if (cid !== null) return cid
  }
  if (map.size === 1 && inside instanceof Map && inside.size === 1) {
    const bytes: unknown = inside.get('bytes')
    if (typeof bytes === 'string') {
      const decoded = new Uint8Array(Buffer.from(bytes, 'base64'))
      if (encodeBase64(decoded) === bytes.replace(/=+$/, '')) return decoded
    }
  }
  throw malformed('map with the key "/" that is neither link nor bytes')
}

function readString(cursor: Cursor): string {
  const { text, at } = cursor
  if (text[at] !== '"') throw malformed(`character at ${at}`)
  let end = at + 1
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1
  cursor.at = end + 1
  try {
    return (JSON.parse(text.slice(at, cursor.at)) as string).toWellFormed()
  } catch (cause) {
    throw malformed(`string at ${at}`, cause)
  }
}

function match(cursor: Cursor, pattern: RegExp): string | null {
  pattern.lastIndex = cursor.at
  if (!pattern.test(cursor.text)) return null
  const from = cursor.at
  cursor.at = pattern.lastIndex
  return cursor.text.slice(from, cursor.at)
}

function accept(cursor: Cursor, character: string): boolean {
  skipSpace(cursor)
  if (cursor.text[cursor.at] !== character) return false
  cursor.at += 1
  return true
}

function skipSpace(cursor: Cursor): void {
  for (;;) {
    const code = cursor.text.charCodeAt(cursor.at)
    if (code !== 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) return
    cursor.at += 1
  }
}

/** JSON cannot represent a byte that is not UTF-8: it is written as an escaped U+FFFD, as in Kubo. */
function encodeText(text: string): string {
  if (text.isWellFormed()) return JSON.stringify(text)
  const parts = text.split(/\p{Surrogate}/u)
  return `"${parts.map((part) => JSON.stringify(part).slice(1, -1)).join(String.raw`\ufffd`)}"`
}

/** A float is written with a point or exponent, to differ from an integer. */
function encodeFloat(value: number): string {
  const digits = Object.is(value, -0) ? '-0' : String(value)
  return /[.e]/.test(digits) ? digits : `${digits}.0`
}

function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '')
}

function open(cursor: Cursor): void {
  cursor.containers += 1
  if (cursor.containers > containersMax)
    throw malformed(`more than ${containersMax} maps and lists`)
}

function malformed(what: string, cause?: unknown): Fault {
  return new Fault('command_failed', { detail: `malformed dag-json: ${what}`, cause })
}

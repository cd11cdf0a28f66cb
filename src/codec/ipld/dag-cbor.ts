// Decodes dag-cbor: the part of CBOR (RFC 8949) in the data model. Enforces only those rules for writers that affect the
// meaning, like Kubo: not key order, shortest numbers and UTF-8.
// Rule: https://ipld.io/specs/codecs/dag-cbor/spec/
// Tested by src/codec/ipld/ipld.test.ts
import { Fault } from '../../base/fault.ts'
import { textOfBytes } from '../byte-text.ts'
import { decodeCid } from './cid.ts'
import { containersMax, type IpldNode } from './ipld-node.ts'

const depthMax = 128
const linkTag = 42

type Cursor = {
  readonly bytes: Uint8Array
  readonly view: DataView
  /** CBOR without links: all tags are refused. */
  readonly plain: boolean
  at: number
  containers: number
}

/**
 * Throws `command_failed` for invalid dag-cbor: indefinite lengths, tags other than links, keys that are not strings or occur
 * twice, NaN and infinities, undefined, more than 128 levels, extra or missing bytes.
 */
export function decodeDagCbor(block: Uint8Array): IpldNode {
  return decode(block, false)
}

/** Plain CBOR of the same data model, which has no links. Throws as `decodeDagCbor`. */
export function decodeCbor(block: Uint8Array): IpldNode {
  return decode(block, true)
}

function decode(block: Uint8Array, plain: boolean): IpldNode {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength)
  const cursor: Cursor = { bytes: block, view, plain, at: 0, containers: 0 }
  const node = readNode(cursor, 0)
  if (cursor.at !== block.length) throw malformed('bytes after the end')
  return node
}

function readNode(cursor: Cursor, depth: number): IpldNode {
  if (depth > depthMax) throw malformed(`more than ${depthMax} levels`)
  const head = readByte(cursor)
  const major = head >> 5
  const minor = head & 0x1f
  if (major === 7) return readSimple(cursor, minor)
  if (major === 0) return readInteger(cursor, minor)
  if (major === 1) return -1n - readInteger(cursor, minor)
  const length = readLength(cursor, minor)
  switch (major) {
    case 2:
      return readBytes(cursor, length)
    case 3:
      return textOfBytes(readBytes(cursor, length))
    case 4:
      return readList(cursor, length, depth)
    case 5:
      return readMap(cursor, length, depth)
    default:
      if (cursor.plain || length !== linkTag) throw malformed(`tag ${length}`)
      return readLink(cursor)
  }
}

/** The count is the expected number of items, not an allocation size: each item takes at least a byte. */
function readList(cursor: Cursor, count: number, depth: number): IpldNode {
  open(cursor)
  const items: IpldNode[] = []
  for (let left = count; left > 0; left -= 1) items.push(readNode(cursor, depth + 1))
  return items
}

function readMap(cursor: Cursor, count: number, depth: number): IpldNode {
  open(cursor)
  const map = new Map<string, IpldNode>()
  for (let left = count; left > 0; left -= 1) {
    const head = readByte(cursor)
    if (head >> 5 !== 3) throw malformed('key that is not a string')
    const key = textOfBytes(readBytes(cursor, readLength(cursor, head & 0x1f)))
    if (map.has(key)) throw malformed('duplicate key')
    map.set(key, readNode(cursor, depth + 1))
  }
  return map
}

function readLink(cursor: Cursor): IpldNode {
  const head = readByte(cursor)
  if (head >> 5 !== 2) throw malformed('link that is not a byte string')
  const bytes = readBytes(cursor, readLength(cursor, head & 0x1f))
  const cid = bytes[0] === 0 ? decodeCid(bytes.subarray(1)) : null
  if (cid === null) throw malformed('link to an invalid cid')
  return cid
}

function readSimple(cursor: Cursor, minor: number): IpldNode {
  if (minor === 20 || minor === 21) return minor === 21
  if (minor === 22) return null
  const bytes = minor >= 25 && minor <= 27 ? 2 ** (minor - 24) : undefined
  if (bytes === undefined) throw malformed(`simple value ${minor}`)
  const at = cursor.at
  readBytes(cursor, bytes)
  const value =
    bytes === 2
      ? halfFloat(cursor.view.getUint16(at))
      : bytes === 4
        ? cursor.view.getFloat32(at)
        : cursor.view.getFloat64(at)
  if (!Number.isFinite(value)) throw malformed('number that is not finite')
  return value
}

/** RFC 8949 appendix D. */
function halfFloat(half: number): number {
  const exponent = (half >> 10) & 0x1f
  const fraction = half & 0x3ff
  const sign = (half & 0x8000) === 0 ? 1 : -1
  if (exponent === 0x1f) return Number.NaN
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (fraction + 1024) * 2 ** (exponent - 25))
}

function readInteger(cursor: Cursor, minor: number): bigint {
  if (minor !== 27) return BigInt(readLength(cursor, minor))
  const at = cursor.at
  readBytes(cursor, 8)
  return cursor.view.getBigUint64(at)
}

/** Inexact above 2^53, but no block is that long. */
function readLength(cursor: Cursor, minor: number): number {
  if (minor < 24) return minor
  const at = cursor.at
  switch (minor) {
    case 24:
      return readByte(cursor)
    case 25:
      readBytes(cursor, 2)
      return cursor.view.getUint16(at)
    case 26:
      readBytes(cursor, 4)
      return cursor.view.getUint32(at)
    case 27:
      readBytes(cursor, 8)
      return Number(cursor.view.getBigUint64(at))
    default:
      throw malformed('length left open')
  }
}

function readByte(cursor: Cursor): number {
  const byte = cursor.bytes[cursor.at]
  if (byte === undefined) throw malformed('bytes missing at the end')
  cursor.at += 1
  return byte
}

function readBytes(cursor: Cursor, length: number): Uint8Array {
  if (length > cursor.bytes.length - cursor.at) throw malformed('bytes missing at the end')
  const from = cursor.at
  cursor.at += length
  return cursor.bytes.subarray(from, cursor.at)
}

function open(cursor: Cursor): void {
  cursor.containers += 1
  if (cursor.containers > containersMax)
    throw malformed(`more than ${containersMax} maps and lists`)
}

function malformed(what: string): Fault {
  return new Fault('command_failed', { detail: `malformed dag-cbor: ${what}` })
}

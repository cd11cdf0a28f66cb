// The UnixFS message inside a dag-pb node: type, size, and metadata.
// Rule: https://specs.ipfs.tech/unixfs/ (blocksizes are written unpacked, as Kubo does).
import { Fault } from '../../base/fault.ts'
import {
  bytesField,
  decodeFields,
  decodeVarint,
  fixed32Field,
  joinBytes,
  varintField,
} from './protobuf.ts'

const types = ['raw', 'directory', 'file', 'metadata', 'symlink', 'hamt'] as const
export type UnixfsType = (typeof types)[number]

/**
 * `fileSize` and `blockSizes` are claims of the node's author. `mode`: low 12 bits. `mtime`: seconds since 1970, may be
 * negative, and nanos 0..999999999. Null: the field is absent, or has a value that means unset (a mode of 0, nanos out of range).
 */
export type UnixfsNode = {
  readonly type: UnixfsType
  readonly data: Uint8Array | null
  readonly fileSize: bigint | null
  readonly blockSizes: readonly bigint[]
  readonly hashType: bigint | null
  readonly fanout: bigint | null
  readonly mode: number | null
  readonly mtime: { readonly seconds: bigint; readonly nanos: number } | null
}

const blank: Omit<UnixfsNode, 'type'> = {
  data: null,
  fileSize: null,
  blockSizes: [],
  hashType: null,
  fanout: null,
  mode: null,
  mtime: null,
}

/** Throws `command_failed` if `bytes` are not a UnixFS message or have an unknown type. */
export function decodeUnixfs(bytes: Uint8Array): UnixfsNode {
  const out: { -readonly [K in keyof UnixfsNode]: UnixfsNode[K] } = { ...blank, type: 'raw' }
  const blockSizes: bigint[] = []
  let typed = false
  for (const { number, wire, value, bytes: part } of decodeFields(bytes)) {
    if (number === 1 && wire === 0) {
      out.type = typeOf(value)
      typed = true
    } else if (number === 2 && wire === 2) out.data = part
    else if (number === 3 && wire === 0) out.fileSize = value
    else if (number === 4 && wire === 0) blockSizes.push(value)
    else if (number === 4 && wire === 2) for (const size of unpack(part)) blockSizes.push(size)
    else if (number === 5 && wire === 0) out.hashType = value
    else if (number === 6 && wire === 0) out.fanout = value
    else if (number === 7 && wire === 0) out.mode = Number(value & 0xfffn) || null
    else if (number === 8 && wire === 2) out.mtime = decodeMtime(part)
  }
  if (!typed) {
    throw new Fault('command_failed', { detail: 'proto: required field "Type" not set' })
  }
  out.blockSizes = blockSizes
  return out
}

/** Fields that are absent or null are not written. Returns a new array. */
export function encodeUnixfs(
  node: Partial<UnixfsNode> & { readonly type: UnixfsType },
): Uint8Array {
  const { type, data, fileSize, blockSizes, hashType, fanout, mode, mtime } = { ...blank, ...node }
  const parts = varintField(1, types.indexOf(type))
  if (data !== null) parts.push(...bytesField(2, data))
  if (fileSize !== null) parts.push(...varintField(3, fileSize))
  for (const size of blockSizes) parts.push(...varintField(4, size))
  if (hashType !== null) parts.push(...varintField(5, hashType))
  if (fanout !== null) parts.push(...varintField(6, fanout))
  if (mode !== null) parts.push(...varintField(7, mode & 0xfff))
  if (mtime !== null) parts.push(...bytesField(8, encodeMtime(mtime)))
  return joinBytes(parts)
}

function typeOf(value: bigint): UnixfsType {
  const type = value < BigInt(types.length) ? types[Number(value)] : undefined
  if (type === undefined) {
    throw new Fault('command_failed', { detail: `unrecognized object type: ${value}` })
  }
  return type
}

function unpack(bytes: Uint8Array): bigint[] {
  const values: bigint[] = []
  for (let at = 0; at < bytes.length;) {
    const { value, end } = decodeVarint(bytes, at)
    values.push(value)
    at = end
  }
  return values
}

function decodeMtime(bytes: Uint8Array): { seconds: bigint; nanos: number } | null {
  let seconds = 0n
  let nanos = 0
  for (const { number, wire, value } of decodeFields(bytes)) {
    if (number === 1 && wire === 0) seconds = BigInt.asIntN(64, value)
    if (number === 2 && wire === 5) nanos = Number(value)
  }
  return nanos > 999_999_999 ? null : { seconds, nanos }
}

function encodeMtime(mtime: { readonly seconds: bigint; readonly nanos: number }): Uint8Array {
  const nanos = mtime.nanos === 0 ? [] : fixed32Field(2, mtime.nanos)
  return joinBytes([...varintField(1, mtime.seconds), ...nanos])
}

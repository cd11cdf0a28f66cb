// Bitswap 1.2 messages: wants, blocks and block presences in length-prefixed protobuf. The bytes and items of an untrusted message
// are limited before any of it is used. Specification: https://specs.ipfs.tech/bitswap-protocol/
// Tested by src/ipfs/network/child/bitswap-message.test.ts
import { decodeCid } from '../../../codec/ipld/cid.ts'
import {
  cutMultihash,
  decodeMultihash,
  sha256Code,
  sha256Name,
} from '../../../codec/ipld/multihash.ts'
import { bytesField, encodeVarint, joinBytes, varintField } from '../../../codec/ipld/protobuf.ts'
import type { PeerMemory } from './message-memory.ts'

export const bitswapProtocol = '/ipfs/bitswap/1.2.0'

/** Maximum size of a peer's message, without its length prefix. */
export const messageBytesMax = 4 * 1024 * 1024
/** Maximum number of wants, blocks and presences in one message. */
export const messageItemsMax = 16_384
const lengthBytesMax = 4

export type BitswapWant = {
  /** CID bytes, version 0 or 1, as the peer wrote them: replies repeat them unchanged. */
  readonly cid: Uint8Array
  readonly multihash: Uint8Array
  readonly cancel: boolean
  /** Requests only whether the block exists. */
  readonly haveOnly: boolean
  readonly sendDontHave: boolean
}

export type BitswapPresence = { readonly cid: Uint8Array; readonly have: boolean }

/** A block, and the multihash computed from its bytes. */
type BitswapBlock = { readonly multihash: Uint8Array; readonly bytes: Uint8Array }

export type BitswapMessage = {
  /** The wants replace all earlier ones. */
  readonly full: boolean
  readonly wants: readonly BitswapWant[]
  readonly blocks: readonly BitswapBlock[]
  readonly presences: readonly (BitswapPresence & { readonly multihash: Uint8Array })[]
}

/** The bytes are not a Bitswap message, or exceed a limit. */
export class BitswapError extends Error {
  override readonly name = 'BitswapError'
}

type Field = { readonly number: number; readonly value: number; readonly bytes: Uint8Array }

const noBytes: Uint8Array = new Uint8Array(0)

/** Throws BitswapError. Omits wants and presences whose CID or hash function Cairn refuses. */
export function decodeMessage(bytes: Uint8Array): BitswapMessage {
  let items = 0
  const wants: BitswapWant[] = []
  const blocks: BitswapBlock[] = []
  const presences: (BitswapPresence & { multihash: Uint8Array })[] = []
  let full = false

  function count(): void {
    items += 1
    if (items > messageItemsMax) throw new BitswapError(`more than ${messageItemsMax} items`)
  }

  for (const field of fieldsOf(bytes)) {
    count()
    if (field.number === 1) {
      for (const inner of fieldsOf(field.bytes)) {
        count()
        if (inner.number === 2) full = inner.value !== 0
        else if (inner.number === 1) pushDefined(wants, readWant(inner.bytes))
      }
    } else if (field.number === 3) blocks.push(readBlock(field.bytes))
    else if (field.number === 4) pushDefined(presences, readPresence(field.bytes))
  }
  return { full, wants, blocks, presences }
}

function pushDefined<Value>(list: Value[], value: Value | null): void {
  if (value !== null) list.push(value)
}

function readWant(bytes: Uint8Array): BitswapWant | null {
  let cid = noBytes
  let cancel = false
  let haveOnly = false
  let sendDontHave = false
  for (const { number, value, bytes: inner } of fieldsOf(bytes)) {
    if (number === 1) cid = inner
    else if (number === 3) cancel = value !== 0
    else if (number === 4) haveOnly = value === 1
    else if (number === 5) sendDontHave = value !== 0
  }
  const multihash = multihashOfCid(cid)
  return multihash === null ? null : { cid, multihash, cancel, haveOnly, sendDontHave }
}

function readPresence(bytes: Uint8Array): (BitswapPresence & { multihash: Uint8Array }) | null {
  let cid = noBytes
  let have = true
  for (const { number, value, bytes: inner } of fieldsOf(bytes)) {
    if (number === 1) cid = inner
    else if (number === 2) have = value === 0
  }
  const multihash = multihashOfCid(cid)
  return multihash === null ? null : { cid, multihash, have }
}

/** The prefix is a CID without its digest: version, codec, hash code, digest length. */
function readBlock(bytes: Uint8Array): BitswapBlock {
  let prefix = noBytes
  let data = noBytes
  for (const { number, bytes: inner } of fieldsOf(bytes)) {
    if (number === 1) prefix = inner
    else if (number === 2) data = inner
  }
  const [version, codec, code, length] = varintsOf(prefix)
  if (version === undefined || codec === undefined || code === undefined || length === undefined) {
    throw new BitswapError('a block without its prefix')
  }
  return { multihash: hashOf(code, length, data), bytes: data }
}

function hashOf(code: number, length: number, data: Uint8Array): Uint8Array {
  if (code === sha256Code && length === 32) return sha256Name(data)
  try {
    return cutMultihash(code, length, data)
  } catch {
    throw new BitswapError(`a block of hash function ${code}`)
  }
}

/** Null: not a CID, or a hash function or digest that Cairn refuses. */
function multihashOfCid(bytes: Uint8Array): Uint8Array | null {
  const cid = decodeCid(bytes)
  if (cid === null) return null
  try {
    decodeMultihash(cid.multihash.bytes)
    return cid.multihash.bytes
  } catch {
    return null
  }
}

/**
 * Yields the fields of one message, including those that Bitswap does not define. `decodeFields` would first create an array of all
 * of them.
 */
function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  for (let at = 0; at < bytes.length;) {
    const tag = varintAt(bytes, at)
    const wire = tag.value % 8
    const number = Math.floor(tag.value / 8)
    at = tag.end
    if (wire === 0) {
      const { value, end } = varintAt(bytes, at)
      at = end
      yield { number, value, bytes: noBytes }
    } else if (wire === 2) {
      const { value: length, end } = varintAt(bytes, at)
      if (length > bytes.length - end) throw new BitswapError('a field past the end')
      at = end + length
      yield { number, value: 0, bytes: bytes.subarray(end, at) }
    } else if (wire === 1 || wire === 5) {
      at += wire === 1 ? 8 : 4
      if (at > bytes.length) throw new BitswapError('a field past the end')
      yield { number, value: 0, bytes: noBytes }
    } else throw new BitswapError(`wire type ${wire}`)
  }
}

function varintsOf(bytes: Uint8Array): readonly number[] {
  const values: number[] = []
  for (let at = 0; at < bytes.length && values.length < 4;) {
    const { value, end } = varintAt(bytes, at)
    values.push(value)
    at = end
  }
  return values
}

/** Values over 2^53 lose their low bits; only negative priorities are that large. */
function varintAt(bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } {
  let value = 0
  for (let index = 0; index < 10; index += 1) {
    const byte = bytes[at + index]
    if (byte === undefined) throw new BitswapError('a varint past the end')
    value += (byte & 0x7f) * 2 ** (7 * index)
    if (byte < 0x80) return { value, end: at + index + 1 }
  }
  throw new BitswapError('a varint of more than 10 bytes')
}

export type WantToSend = {
  readonly cid: Uint8Array
  readonly priority: number
  readonly cancel: boolean
  readonly haveOnly: boolean
}

export type BlockToSend = { readonly cid: Uint8Array; readonly bytes: Uint8Array }

export type MessageToSend = {
  readonly full?: boolean
  readonly wants?: readonly WantToSend[]
  readonly blocks?: readonly BlockToSend[]
  readonly presences?: readonly BitswapPresence[]
}

/** Encodes a message with its length prefix. Wants request DONT_HAVE. */
export function encodeMessage(message: MessageToSend): Uint8Array {
  const { full = false, wants = [], blocks = [], presences = [] } = message
  const parts: Uint8Array[] = []
  if (wants.length > 0 || full) {
    const list = wants.flatMap((want) => bytesField(1, encodeWant(want)))
    parts.push(...bytesField(1, joinBytes(full ? [...list, ...varintField(2, 1)] : list)))
  }
  for (const { cid, bytes } of blocks) {
    const inner = [...bytesField(1, prefixOf(cid)), ...bytesField(2, bytes)]
    const length = inner.reduce((sum, part) => sum + part.length, 0)
    parts.push(Uint8Array.of((3 << 3) | 2), encodeVarint(length), ...inner)
  }
  for (const { cid, have } of presences) {
    const inner = joinBytes([...bytesField(1, cid), ...varintField(2, have ? 0 : 1)])
    parts.push(...bytesField(4, inner))
  }
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return joinBytes([encodeVarint(length), ...parts])
}

function encodeWant({ cid, priority, cancel, haveOnly }: WantToSend): Uint8Array {
  return joinBytes([
    ...bytesField(1, cid),
    ...varintField(2, priority),
    ...(cancel ? varintField(3, 1) : []),
    ...(haveOnly ? varintField(4, 1) : []),
    ...varintField(5, 1),
  ])
}

function prefixOf(bytes: Uint8Array): Uint8Array {
  const cid = decodeCid(bytes)
  if (cid === null) throw new TypeError('no CID')
  const { code, digest } = cid.multihash
  return joinBytes([cid.version, cid.code, code, digest.length].map(encodeVarint))
}

export type MessageReader = {
  /** Throws BitswapError for a message over the limit. No effect after `end`. */
  push(bytes: Uint8Array): void
  /** Releases the memory of an unfinished message. `memory` may call it during `push`. */
  end(): void
}

/** Calls `take` with each complete message, without its length. Memory grows only with received bytes. */
export function createMessageReader(
  memory: PeerMemory,
  take: (message: Uint8Array) => void,
): MessageReader {
  let parts: Uint8Array[] = []
  let buffered = 0
  /** Length of the current message; null: the length prefix is incomplete. */
  let length: number | null = null
  let head: number[] = []
  let isOver = false

  function release(): void {
    if (buffered > 0) memory.add(-buffered)
    parts = []
    buffered = 0
    length = null
    head = []
  }

  function readLength(byte: number): void {
    head.push(byte)
    if (byte >= 0x80) {
      if (head.length === lengthBytesMax) throw new BitswapError('a length of more than 4 bytes')
      return
    }
    length = varintAt(Uint8Array.from(head), 0).value
    if (length > messageBytesMax) throw new BitswapError(`a message of ${length} bytes`)
    head = []
  }

  return {
    end() {
      isOver = true
      release()
    },
    push(bytes) {
      for (let at = 0; !isOver && (at < bytes.length || length === 0);) {
        if (length === null) {
          readLength(bytes[at] as number)
          at += 1
          continue
        }
        const part = bytes.subarray(at, at + length - buffered)
        at += part.length
        buffered += part.length
        parts.push(part)
        memory.add(part.length)
        if (isOver) return
        if (buffered < length) return
        const message = parts.length === 1 ? (parts[0] as Uint8Array) : joinBytes(parts)
        release()
        take(message)
      }
    },
  }
}

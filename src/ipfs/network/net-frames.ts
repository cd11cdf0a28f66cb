// Frames between the server and its network process, over one socket: `u32 length of the rest, u8 kind, u32 id, body`, big endian.
// Each kind has one direction and a maximum body size, which is checked before the body is read. Wants, sessions, asks,
// announcements and commands have separate ID sequences; the side that starts one chooses the ID.
// Tested by src/ipfs/network/net-frames.test.ts
import type { Writable } from 'node:stream'
import type {
  NetCommand,
  NetCounts,
  NetHello,
  NetLive,
  NetReady,
  NetReply,
} from './net-messages.ts'

/** Why a want failed. `noPeer`: not every router answered, or no provider could be reached. */
export type FailReason = 'timeout' | 'noPeer' | 'busy'

/** From the server to the network process. `multihash`: code, length, digest. `cid`: bytes. */
export type ToNet =
  /** The first frame; `id` 0. */
  | { readonly kind: 'hello'; readonly id: number; readonly message: NetHello }
  /** Opens session `id`. `root`: the CID whose providers are looked up. `hints`: multiaddrs of peers to query. */
  | {
      readonly kind: 'open'
      readonly id: number
      readonly root: Uint8Array
      readonly hints: readonly string[]
    }
  /** Ends session `id` and its wants. */
  | { readonly kind: 'shut'; readonly id: number }
  | {
      readonly kind: 'want'
      readonly id: number
      readonly session: number
      readonly cid: Uint8Array
    }
  /** Ends want `id`, without a reply. */
  | { readonly kind: 'drop'; readonly id: number }
  /** The block that ask `id` requested. Needs credit. */
  | { readonly kind: 'here'; readonly id: number; readonly bytes: Uint8Array }
  /** The size of the block of ask `id`, which requested only the size. */
  | { readonly kind: 'size'; readonly id: number; readonly bytes: number }
  /** Denied, private and absent blocks get the same reply. */
  | { readonly kind: 'notHere'; readonly id: number }
  /** `regionBits`: number of leading bits that the DHT keys of all multihashes share; 0: keys of any region. */
  | {
      readonly kind: 'provide'
      readonly id: number
      readonly regionBits: number
      readonly multihashes: readonly Uint8Array[]
    }
  | { readonly kind: 'command'; readonly id: number; readonly message: NetCommand }
  /** Ends command `id`: no further reply is sent, and a reply in transit is discarded. */
  | { readonly kind: 'cancel'; readonly id: number }
  /** Settings that apply without a restart; `id` 0. */
  | { readonly kind: 'live'; readonly id: number; readonly message: NetLive }
  | { readonly kind: 'credit'; readonly id: number; readonly bytes: number }

/** From the network process to the server. */
export type FromNet =
  | { readonly kind: 'ready'; readonly id: number; readonly message: NetReady }
  /** Bytes whose hash is that of want `id`; the server checks it again. Needs credit. */
  | { readonly kind: 'found'; readonly id: number; readonly bytes: Uint8Array }
  /** Every router answered, and no provider that was found has the block. */
  | { readonly kind: 'none'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: FailReason }
  | {
      readonly kind: 'ask'
      readonly id: number
      readonly sizeOnly: boolean
      readonly multihash: Uint8Array
    }
  /** One code for each multihash of announcement `id`: 0 done, 1 no peer stored it, 2 timeout, 3 not offered. */
  | { readonly kind: 'provided'; readonly id: number; readonly codes: Uint8Array }
  /** Replies of one command; the last one has a null `message`. */
  | { readonly kind: 'reply'; readonly id: number; readonly message: NetReply | null }
  | { readonly kind: 'credit'; readonly id: number; readonly bytes: number }
  | { readonly kind: 'counts'; readonly id: number; readonly message: NetCounts }

/** A block of 4 MiB and 64 bytes for the rest of the frame. */
export const frameBytesMax = 4_194_368
const headBytes = 9
/** Bytes of kind and ID, which `length` includes. */
const fixedBytes = 5
export const blockBytesMax = 4 * 1024 * 1024
/** Digest of at most 128 bytes, with its code and length. */
const multihashBytesMax = 140
const cidBytesMax = multihashBytesMax + 12
const jsonBytesMax = 1024 * 1024
const hintsMax = 64
const hintBytesMax = 512
/** Maximum number of multihashes of one `provide`. */
export const provideMax = 1000

/** The bytes are not a valid frame of this direction. Frames that follow cannot be parsed. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}

type Row = readonly [code: number, bodyMin: number, bodyMax: number]

const toNetRows: Readonly<Record<ToNet['kind'], Row>> = {
  hello: [1, 2, jsonBytesMax],
  open: [2, 3, 1 + cidBytesMax + hintsMax * (hintBytesMax + 1)],
  shut: [3, 0, 0],
  want: [4, 6, 4 + cidBytesMax],
  drop: [5, 0, 0],
  here: [6, 0, blockBytesMax],
  notHere: [7, 0, 0],
  provide: [8, 4, 1 + provideMax * (multihashBytesMax + 1)],
  command: [9, 2, jsonBytesMax],
  credit: [10, 4, 4],
  size: [11, 4, 4],
  cancel: [12, 0, 0],
  live: [13, 2, jsonBytesMax],
}

const fromNetRows: Readonly<Record<FromNet['kind'], Row>> = {
  ready: [65, 2, jsonBytesMax],
  found: [66, 0, blockBytesMax],
  none: [67, 0, 0],
  failed: [68, 1, 1],
  ask: [69, 3, 1 + multihashBytesMax],
  provided: [70, 1, provideMax],
  reply: [71, 0, jsonBytesMax],
  credit: [72, 4, 4],
  counts: [73, 2, jsonBytesMax],
}

const failReasons: readonly FailReason[] = ['timeout', 'noPeer', 'busy']

/** Head and body. Throws FrameError for a body over the limit of its kind. */
export function encodeToNet(frame: ToNet): readonly Uint8Array[] {
  return encode(frame.kind, toNetRows[frame.kind], frame.id, toNetBody(frame))
}

/** As `encodeToNet`, for the other direction. */
export function encodeFromNet(frame: FromNet): readonly Uint8Array[] {
  return encode(frame.kind, fromNetRows[frame.kind], frame.id, fromNetBody(frame))
}

/** Writes all frames of one event-loop turn together. `parts`: from `encodeToNet` or `encodeFromNet`. */
export function writeFrame(stream: Writable, parts: readonly Uint8Array[]): void {
  if (stream.writableCorked === 0) {
    stream.cork()
    process.nextTick(() => stream.uncork())
  }
  for (const part of parts) stream.write(part)
}

function encode(
  kind: string,
  [code, bodyMin, bodyMax]: Row,
  id: number,
  body: readonly Uint8Array[],
): readonly Uint8Array[] {
  const length = body.reduce((sum, part) => sum + part.length, 0)
  if (length < bodyMin || length > bodyMax) throw new FrameError(`${kind} of ${length} bytes`)
  const head = Buffer.allocUnsafe(headBytes)
  head.writeUInt32BE(fixedBytes + length, 0)
  head.writeUInt8(code, 4)
  head.writeUInt32BE(id, 5)
  return [head, ...body]
}

function toNetBody(frame: ToNet): readonly Uint8Array[] {
  switch (frame.kind) {
    case 'hello':
    case 'command':
    case 'live':
      return [jsonOf(frame.message)]
    case 'open': {
      if (frame.hints.length > hintsMax) throw new FrameError(`${frame.hints.length} hints`)
      return [withLength(frame.root), Buffer.from(frame.hints.join('\n'))]
    }
    case 'want':
      return [u32Of(frame.session), frame.cid]
    case 'here':
      return [frame.bytes]
    case 'size':
    case 'credit':
      return [u32Of(frame.bytes)]
    case 'provide':
      return [Uint8Array.of(frame.regionBits), ...frame.multihashes.map(withLength)]
    case 'shut':
    case 'drop':
    case 'notHere':
    case 'cancel':
      return []
  }
}

function fromNetBody(frame: FromNet): readonly Uint8Array[] {
  switch (frame.kind) {
    case 'ready':
    case 'counts':
      return [jsonOf(frame.message)]
    case 'reply':
      return frame.message === null ? [] : [jsonOf(frame.message)]
    case 'found':
      return [frame.bytes]
    case 'failed':
      return [Uint8Array.of(failReasons.indexOf(frame.reason))]
    case 'ask':
      return [Uint8Array.of(frame.sizeOnly ? 1 : 0), frame.multihash]
    case 'provided':
      return [frame.codes]
    case 'credit':
      return [u32Of(frame.bytes)]
    case 'none':
      return []
  }
}

function jsonOf(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

function u32Of(value: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function withLength(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(bytes.length), bytes])
}

/**
 * Calls `take` with each complete frame. The body of `here` and `found` has its own ArrayBuffer, which may be transferred. The
 * returned function throws FrameError for bytes that are not a valid frame of this direction.
 */
export function createToNetReader(take: (frame: ToNet) => void): (bytes: Uint8Array) => void {
  return createReader(rowsByCode(toNetRows), (kind, id, body) => take(readToNet(kind, id, body)))
}

/** As `createToNetReader`, for the other direction. */
export function createFromNetReader(take: (frame: FromNet) => void): (bytes: Uint8Array) => void {
  return createReader(rowsByCode(fromNetRows), (kind, id, body) =>
    take(readFromNet(kind, id, body)),
  )
}

type Named<Kind> = { readonly kind: Kind; readonly bodyMin: number; readonly bodyMax: number }

function rowsByCode<Kind extends string>(
  rows: Readonly<Record<Kind, Row>>,
): ReadonlyMap<number, Named<Kind>> {
  const entries = Object.entries(rows) as [Kind, Row][]
  return new Map(
    entries.map(([kind, [code, bodyMin, bodyMax]]) => [code, { kind, bodyMin, bodyMax }]),
  )
}

function createReader<Kind>(
  rows: ReadonlyMap<number, Named<Kind>>,
  take: (kind: Kind, id: number, body: Uint8Array<ArrayBuffer>) => void,
): (bytes: Uint8Array) => void {
  const head = Buffer.alloc(headBytes)
  let headLength = 0
  let body: Uint8Array<ArrayBuffer> | null = null
  let bodyLength = 0
  let kind: Kind | null = null

  function begin(): void {
    const row = rows.get(head.readUInt8(4))
    const length = head.readUInt32BE(0) - fixedBytes
    if (row === undefined) throw new FrameError(`a frame of kind ${head.readUInt8(4)}`)
    if (length < row.bodyMin || length > row.bodyMax) {
      throw new FrameError(`${String(row.kind)} of ${length} bytes`)
    }
    kind = row.kind
    body = new Uint8Array(length)
    bodyLength = 0
  }

  return (bytes) => {
    for (let at = 0; at < bytes.length;) {
      if (body === null) {
        const part = bytes.subarray(at, at + headBytes - headLength)
        head.set(part, headLength)
        headLength += part.length
        at += part.length
        if (headLength < headBytes) return
        begin()
      }
      const target = body as unknown as Uint8Array<ArrayBuffer>
      const part = bytes.subarray(at, at + target.length - bodyLength)
      target.set(part, bodyLength)
      bodyLength += part.length
      at += part.length
      if (bodyLength < target.length) return
      body = null
      headLength = 0
      take(kind as Kind, head.readUInt32BE(5), target)
    }
  }
}

function readToNet(kind: ToNet['kind'], id: number, body: Uint8Array): ToNet {
  switch (kind) {
    case 'hello':
      return { kind, id, message: readJson<NetHello>(body) }
    case 'command':
      return { kind, id, message: readJson<NetCommand>(body) }
    case 'live':
      return { kind, id, message: readJson<NetLive>(body) }
    case 'open': {
      const [root, rest] = cutLength(body)
      const hints = textOf(rest).split('\n')
      if (hints.length > hintsMax) throw new FrameError(`${hints.length} hints`)
      return { kind, id, root, hints: hints.filter((hint) => hint !== '') }
    }
    case 'want':
      return { kind, id, session: u32At(body), cid: body.subarray(4) }
    case 'here':
      return { kind, id, bytes: body }
    case 'size':
    case 'credit':
      return { kind, id, bytes: u32At(body) }
    case 'provide':
      return { kind, id, regionBits: body[0] ?? 0, multihashes: readMultihashes(body.subarray(1)) }
    case 'shut':
    case 'drop':
    case 'notHere':
    case 'cancel':
      return { kind, id }
  }
}

function readFromNet(kind: FromNet['kind'], id: number, body: Uint8Array): FromNet {
  switch (kind) {
    case 'ready':
      return { kind, id, message: readJson<NetReady>(body) }
    case 'counts':
      return { kind, id, message: readJson<NetCounts>(body) }
    case 'reply':
      return { kind, id, message: body.length === 0 ? null : readJson<NetReply>(body) }
    case 'found':
      return { kind, id, bytes: body }
    case 'failed': {
      const reason = failReasons[body[0] ?? -1]
      if (reason === undefined) throw new FrameError(`failed with reason ${body[0]}`)
      return { kind, id, reason }
    }
    case 'ask':
      return { kind, id, sizeOnly: body[0] === 1, multihash: body.subarray(1) }
    case 'provided':
      return { kind, id, codes: body }
    case 'credit':
      return { kind, id, bytes: u32At(body) }
    case 'none':
      return { kind, id }
  }
}

function readMultihashes(body: Uint8Array): readonly Uint8Array[] {
  const found: Uint8Array[] = []
  for (let rest = body; rest.length > 0;) {
    const [multihash, next] = cutLength(rest)
    if (found.length === provideMax) throw new FrameError(`more than ${provideMax} multihashes`)
    found.push(multihash)
    rest = next
  }
  return found
}

function cutLength(bytes: Uint8Array): readonly [Uint8Array, Uint8Array] {
  const end = 1 + (bytes[0] ?? 0)
  if (end === 1 || end > bytes.length) throw new FrameError('a length that does not fit')
  return [bytes.subarray(1, end), bytes.subarray(end)]
}

function u32At(bytes: Uint8Array): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, 4).readUInt32BE(0)
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
}

/** Returns a JSON object. Both ends have the same version; the server still treats its members as unverified. */
function readJson<Message extends object>(body: Uint8Array): Message {
  try {
    const value: unknown = JSON.parse(textOf(body))
    if (typeof value === 'object' && value !== null) return value as Message
  } catch {
    // Reported below.
  }
  throw new FrameError('a frame without its JSON object')
}

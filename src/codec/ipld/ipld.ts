// Decodes blocks of all supported codecs into the data model and encodes them from it.
import { Fault } from '../../base/fault.ts'
import {
  cborCodec,
  dagCborCodec,
  dagJoseCodec,
  dagJsonCodec,
  dagPbCodec,
  jsonCodec,
  rawCodec,
} from './cid.ts'
import { encodeDagCbor } from './dag-cbor-writer.ts'
import { decodeCbor, decodeDagCbor } from './dag-cbor.ts'
import { decodeDagJose, encodeDagJose } from './dag-jose.ts'
import { decodeDagJson, decodeJson, encodeDagJson } from './dag-json.ts'
import { decodeDagPbNode, encodeDagPbNode } from './dag-pb-node.ts'
import type { IpldNode } from './ipld-node.ts'

const decoders: ReadonlyMap<number, (block: Uint8Array) => IpldNode> = new Map([
  [rawCodec, (block: Uint8Array): IpldNode => block],
  [dagPbCodec, decodeDagPbNode],
  [dagCborCodec, decodeDagCbor],
  [dagJsonCodec, decodeDagJson],
  [dagJoseCodec, decodeDagJose],
  [cborCodec, decodeCbor],
  [jsonCodec, decodeJson],
])

const encoders: ReadonlyMap<number, (node: IpldNode) => Uint8Array> = new Map([
  [rawCodec, encodeRaw],
  [dagPbCodec, encodeDagPbNode],
  [dagCborCodec, encodeDagCbor],
  [dagJsonCodec, (node: IpldNode): Uint8Array => Buffer.from(encodeDagJson(node))],
  [dagJoseCodec, encodeDagJose],
])

/** Throws `command_failed` for a codec without a decoder. */
export function checkDecoder(codec: number): void {
  if (!decoders.has(codec)) throw notRegistered('decoder', codec)
}

/** Throws `command_failed` for a codec without an encoder. */
export function checkEncoder(codec: number): void {
  if (!encoders.has(codec)) throw notRegistered('encoder', codec)
}

/** Throws `command_failed` for bytes that are not a block of that codec, and for unsupported codecs. */
export function decodeIpld(codec: number, block: Uint8Array): IpldNode {
  const decode = decoders.get(codec)
  if (decode === undefined) throw notRegistered('decoder', codec)
  return decode(block)
}

/** Throws `command_failed` for nodes that the codec cannot represent, and for codecs without an encoder. */
export function encodeIpld(codec: number, node: IpldNode): Uint8Array {
  const encode = encoders.get(codec)
  if (encode === undefined) throw notRegistered('encoder', codec)
  return encode(node)
}

function encodeRaw(node: IpldNode): Uint8Array {
  if (node instanceof Uint8Array) return node
  throw new Fault('command_failed', { detail: 'a raw block is bytes and nothing else' })
}

function notRegistered(what: string, codec: number): Fault {
  const detail = `no ${what} registered for multicodec code ${codec} (0x${codec.toString(16)})`
  return new Fault('command_failed', { detail })
}

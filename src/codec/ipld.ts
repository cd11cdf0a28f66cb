// A block of any codec known here, decoded into the data model.
import { Fault } from '../base/fault.ts'
import { dagCborCodec, dagJsonCodec, dagPbCodec, rawCodec } from './cid.ts'
import { decodeDagCbor } from './dag-cbor.ts'
import { decodeDagJson } from './dag-json.ts'
import { decodeDagPbNode } from './dag-pb-node.ts'
import type { IpldNode } from './ipld-node.ts'

/** Throws `command_failed` for bytes that are no block of that codec, and for codecs not known here. */
export function decodeIpld(codec: number, block: Uint8Array): IpldNode {
  switch (codec) {
    case rawCodec:
      return block
    case dagPbCodec:
      return decodeDagPbNode(block)
    case dagCborCodec:
      return decodeDagCbor(block)
    case dagJsonCodec:
      return decodeDagJson(block)
    default: {
      const detail = `no decoder registered for multicodec code ${codec} (0x${codec.toString(16)})`
      throw new Fault('command_failed', { detail })
    }
  }
}

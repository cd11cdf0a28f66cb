// The links of a block of any codec, for walks over whole DAGs.
// Tested by src/ipfs/files.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { cborLinks } from '../../codec/ipld/cbor-links.ts'
import {
  cborCodec,
  dagCborCodec,
  dagJoseCodec,
  dagJsonCodec,
  dagPbCodec,
  jsonCodec,
  rawCodec,
} from '../../codec/ipld/cid.ts'
import { decodeDagNode } from '../../codec/ipld/dag-pb.ts'
import { decodeIpld } from '../../codec/ipld/ipld.ts'
import { linksIn } from '../../codec/ipld/ipld-node.ts'
import { linkCid } from './node.ts'

/** `name`: of a dag-pb link, '' in other codecs. */
export type NamedLink = { readonly name: string; readonly cid: CID }

/**
 * Maximum number of links that a walk may hold on its path: a link takes some hundred bytes, so nested blocks full of links would
 * exhaust memory.
 */
export const openLinksMax = 250_000

/** Codecs whose blocks have no links: raw, plain CBOR, plain JSON. */
export const linkless: readonly number[] = [rawCodec, cborCodec, jsonCodec]

/** Links in stored order. Throws `command_failed` for codecs whose links Cairn cannot decode. */
export function linksOf(cid: CID, block: Uint8Array): readonly NamedLink[] {
  if (linkless.includes(cid.code)) return []
  if (cid.code === dagPbCodec) {
    return decodeDagNode(block).links.map((link) => ({ name: link.name, cid: linkCid(link) }))
  }
  if (cid.code === dagCborCodec) return nameless(cborLinks(block))
  if (cid.code === dagJsonCodec || cid.code === dagJoseCodec) {
    return nameless(linksIn(decodeIpld(cid.code, block)))
  }
  const detail = `links of codec 0x${cid.code.toString(16)} can not be followed by this server`
  throw new Fault('command_failed', { detail })
}

function nameless(links: readonly CID[]): readonly NamedLink[] {
  return links.map((cid) => ({ name: '', cid }))
}

// dag-pb: a node of named links and data. Written in canonical form (links first, all fields of a link present); read in any
// field order, because blocks of other tools are stored unchanged.
// Rule: https://ipld.io/specs/codecs/dag-pb/spec/
import { Fault } from '../../base/fault.ts'
import { containersMax } from './ipld-node.ts'
import { bytesField, decodeFields, joinBytes, varintField } from './protobuf.ts'

/** `cid`: binary CID of the child. `size`: Tsize, the child's cumulative DAG size; a claim that is not checked. */
export type DagLink = { readonly cid: Uint8Array; readonly name: string; readonly size: bigint }

/** Links in their order in the block. `data` is null if the field is absent, which differs from empty. */
export type DagNode = { readonly links: readonly DagLink[]; readonly data: Uint8Array | null }

// A leading byte order mark is part of a name.
const text = new TextDecoder('utf-8', { ignoreBOM: true })

/** Throws `command_failed` for bytes that are not a dag-pb node, a link without a hash, or more than 100,000 links. */
export function decodeDagNode(bytes: Uint8Array): DagNode {
  const links: DagLink[] = []
  let data: Uint8Array | null = null
  for (const field of decodeFields(bytes)) {
    if (field.wire !== 2) continue
    if (field.number === 1) data = field.bytes
    if (field.number === 2) links.push(decodeLink(field.bytes))
    if (links.length > containersMax) {
      const detail = `malformed dag-pb node: more than ${containersMax} links`
      throw new Fault('command_failed', { detail })
    }
  }
  return { links, data }
}

/** The caller sorts the links (directories: by the bytes of the name). Returns a new array. */
export function encodeDagNode(node: DagNode): Uint8Array {
  const parts: Uint8Array[] = []
  for (const link of node.links) parts.push(...bytesField(2, encodeLink(link)))
  if (node.data !== null) parts.push(...bytesField(1, node.data))
  return joinBytes(parts)
}

function decodeLink(bytes: Uint8Array): DagLink {
  let cid: Uint8Array | null = null
  let name = ''
  let size = 0n
  for (const field of decodeFields(bytes)) {
    if (field.number === 1 && field.wire === 2) cid = field.bytes
    if (field.number === 2 && field.wire === 2)
      name = field.bytes.length === 0 ? '' : text.decode(field.bytes)
    if (field.number === 3 && field.wire === 0) size = field.value
  }
  if (cid === null) {
    throw new Fault('command_failed', { detail: 'malformed dag-pb node: link without a hash' })
  }
  return { cid, name, size }
}

function encodeLink(link: DagLink): Uint8Array {
  return joinBytes([
    ...bytesField(1, link.cid),
    ...bytesField(2, Buffer.from(link.name, 'utf8')),
    ...varintField(3, link.size),
  ])
}

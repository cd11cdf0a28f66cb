// A dag-pb block in the data model: `Data` and `Links` of `Hash`, `Name`, `Tsize`, each only if present.
// Rule: https://ipld.io/specs/codecs/dag-pb/spec/#logical-format
// Tested by src/codec/ipld/ipld.test.ts
import { Fault } from '../../base/fault.ts'
import { CID } from 'multiformats/cid'
import { bytesOfText, textOfBytes } from '../byte-text.ts'
import { decodeCid } from './cid.ts'
import { containersMax, type IpldNode } from './ipld-node.ts'
import { bytesField, decodeFields, joinBytes, varintField } from './protobuf.ts'

/** Throws `command_failed` for bytes that are not a dag-pb node, and for a link without a CID. */
export function decodeDagPbNode(block: Uint8Array): IpldNode {
  const links: IpldNode[] = []
  let data: Uint8Array | null = null
  for (const field of decodeFields(block)) {
    if (field.wire !== 2) continue
    if (field.number === 1) data = field.bytes
    if (field.number === 2) links.push(decodeLink(field.bytes))
    if (links.length > containersMax) throw malformed(`more than ${containersMax} links`)
  }
  const node = new Map<string, IpldNode>()
  if (data !== null) node.set('Data', data)
  return node.set('Links', links)
}

/**
 * Encodes a node with exactly these members: links sorted by name, then data. Throws `command_failed` if it is not a dag-pb
 * node.
 */
export function encodeDagPbNode(node: IpldNode): Uint8Array {
  const map = membersOf(node, ['Data', 'Links'])
  const links = map.get('Links')
  if (!Array.isArray(links)) throw unfit('Links must be a list')
  const data = map.get('Data')
  if (data !== undefined && !(data instanceof Uint8Array)) throw unfit('Data must be bytes')
  const sorted = (links as readonly IpldNode[])
    .map((link) => encodeLink(link))
    .toSorted((a, b) => Buffer.compare(a.name, b.name))
  const parts = sorted.flatMap(({ bytes }) => bytesField(2, bytes))
  return joinBytes(data === undefined ? parts : [...parts, ...bytesField(1, data)])
}

function encodeLink(link: IpldNode): { readonly name: Uint8Array; readonly bytes: Uint8Array } {
  const map = membersOf(link, ['Hash', 'Name', 'Tsize'])
  const hash = map.get('Hash')
  const name = map.get('Name') ?? ''
  const size = map.get('Tsize') ?? 0n
  if (!(hash instanceof CID)) throw unfit('Hash must be a link')
  if (typeof name !== 'string') throw unfit('Name must be a string')
  if (typeof size !== 'bigint' || size < 0n) throw unfit('Tsize must be an integer from 0 on')
  const nameBytes = bytesOfText(name)
  const bytes = joinBytes([
    ...bytesField(1, hash.bytes),
    ...(map.has('Name') ? bytesField(2, nameBytes) : []),
    ...(map.has('Tsize') ? varintField(3, size) : []),
  ])
  return { name: nameBytes, bytes }
}

function membersOf(node: IpldNode, names: readonly string[]): ReadonlyMap<string, IpldNode> {
  if (!(node instanceof Map)) throw unfit('it must be a map')
  const map = node as ReadonlyMap<string, IpldNode>
  for (const name of map.keys()) {
    if (!names.includes(name)) throw unfit(`no member is called ${JSON.stringify(name)}`)
  }
  return map
}

function unfit(what: string): Fault {
  return new Fault('command_failed', { detail: `not a dag-pb node: ${what}` })
}

function decodeLink(bytes: Uint8Array): IpldNode {
  const link = new Map<string, IpldNode>()
  for (const field of decodeFields(bytes)) {
    if (field.number === 1 && field.wire === 2) {
      const cid = decodeCid(field.bytes)
      if (cid === null) throw malformed('link to an invalid cid')
      link.set('Hash', cid)
    }
    if (field.number === 2 && field.wire === 2) link.set('Name', textOfBytes(field.bytes))
    if (field.number === 3 && field.wire === 0) link.set('Tsize', field.value)
  }
  if (!link.has('Hash')) throw malformed('link without a hash')
  return link
}

function malformed(what: string): Fault {
  return new Fault('command_failed', { detail: `malformed dag-pb node: ${what}` })
}

// A dag-pb block in the data model: `Data` and `Links` of `Hash`, `Name`, `Tsize`, each only when it is written.
// Rule: https://ipld.io/specs/codecs/dag-pb/spec/#logical-format
// Tested by src/codec/ipld.test.ts
import { Fault } from '../base/fault.ts'
import { decodeCid } from './cid.ts'
import { containersMax, type IpldNode } from './ipld-node.ts'
import { decodeFields } from './protobuf.ts'

const text = new TextDecoder('utf-8', { ignoreBOM: true })

/** Throws `command_failed` on bytes that are no dag-pb node, and on a link without a CID. */
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

function decodeLink(bytes: Uint8Array): IpldNode {
  const link = new Map<string, IpldNode>()
  for (const field of decodeFields(bytes)) {
    if (field.number === 1 && field.wire === 2) {
      const cid = decodeCid(field.bytes)
      if (cid === null) throw malformed('link to an invalid cid')
      link.set('Hash', cid)
    }
    if (field.number === 2 && field.wire === 2) link.set('Name', text.decode(field.bytes))
    if (field.number === 3 && field.wire === 0) link.set('Tsize', field.value)
  }
  if (!link.has('Hash')) throw malformed('link without a hash')
  return link
}

function malformed(what: string): Fault {
  return new Fault('command_failed', { detail: `malformed dag-pb node: ${what}` })
}

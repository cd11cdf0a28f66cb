// dag-jose: a signed (JWS) or encrypted (JWE) object in the general form, as dag-cbor with bytes where JOSE has base64url.
// Decoding returns JOSE form plus the `link` in the payload of a JWS; encoding accepts the general or the flattened form.
// Rule: https://ipld.io/specs/codecs/dag-jose/spec/
// Tested by src/codec/ipld/dag-jose.test.ts
import { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { decodeCid } from './cid.ts'
import { encodeDagCbor } from './dag-cbor-writer.ts'
import { decodeDagCbor } from './dag-cbor.ts'
import type { IpldNode } from './ipld-node.ts'

type NodeMap = ReadonlyMap<string, IpldNode>
/** Members by name: base64url of bytes, any node, or a list of maps of such members. */
type Shape = ReadonlyMap<string, 'base64' | 'any' | Shape>

const signatures: Shape = new Map([
  ['header', 'any'],
  ['protected', 'base64'],
  ['signature', 'base64'],
])
const jws: Shape = new Map<string, 'base64' | Shape>([
  ['payload', 'base64'],
  ['signatures', signatures],
])
const recipients: Shape = new Map([
  ['encrypted_key', 'base64'],
  ['header', 'any'],
])
const jwe: Shape = new Map<string, 'base64' | 'any' | Shape>([
  ['aad', 'base64'],
  ['ciphertext', 'base64'],
  ['iv', 'base64'],
  ['protected', 'base64'],
  ['recipients', recipients],
  ['tag', 'base64'],
  ['unprotected', 'any'],
])

/** Throws `command_failed` for a node that is neither JWS nor JWE, and for a payload that is not a CID or differs from `link`. */
export function decodeDagJose(block: Uint8Array): IpldNode {
  const map = mapOf(decodeDagCbor(block))
  if (map.has('ciphertext')) return convert(map, jwe, textOf)
  const { link, others } = splitLink(map)
  return new Map<string, IpldNode>([['link', link], ...signed(convert(others, jws, textOf))])
}

/** Throws as `decodeDagJose`. */
export function encodeDagJose(node: IpldNode): Uint8Array {
  const map = mapOf(node)
  if (map.has('ciphertext')) {
    return encodeDagCbor(convert(general(map, 'recipients', jwe), jwe, bytesOf))
  }
  const whole = general(splitLink(map).others, 'signatures', jws)
  return encodeDagCbor(signed(convert(whole, jws, bytesOf)))
}

/** Converts the flattened form, whose only signature or recipient has its members next to the others. */
function general(map: NodeMap, list: 'signatures' | 'recipients', whole: Shape): NodeMap {
  const beside = [...map].filter(([name]) => !whole.has(name))
  if (map.has(list) && beside[0] !== undefined) throw malformed(`${beside[0][0]} beside ${list}`)
  // A JWS has at least one signature; a JWE may have no recipients.
  if (map.has(list) || (list === 'recipients' && beside.length === 0)) return map
  const others = [...map].filter(([name]) => whole.has(name))
  return new Map<string, IpldNode>([...others, [list, [new Map(beside)]]])
}

function convert(map: NodeMap, shape: Shape, base64: (value: IpldNode) => IpldNode): NodeMap {
  const out = new Map<string, IpldNode>()
  for (const [name, value] of map) {
    const member = shape.get(name)
    if (member === undefined) throw malformed(`member ${JSON.stringify(name)}`)
    if (member === 'base64') out.set(name, base64(value))
    else if (member === 'any') out.set(name, value)
    else {
      if (!Array.isArray(value)) throw malformed(`${name} that are not a list`)
      out.set(
        name,
        value.map((each: IpldNode) => convert(mapOf(each), member, base64)),
      )
    }
  }
  return out
}

/** Checks that each signature has the member `signature`, and returns the map. */
function signed(map: NodeMap): NodeMap {
  const list = map.get('signatures') ?? []
  for (const each of list as readonly IpldNode[]) needed(mapOf(each), 'signature')
  return map
}

/** The payload of a JWS as a link; the member `link`, if present, must be equal. */
function splitLink(map: NodeMap): { readonly link: CID; readonly others: NodeMap } {
  const link = decodeCid(bytesOf(needed(map, 'payload')))
  if (link === null) throw malformed('payload that is not a CID')
  const others = new Map(map)
  const written = others.get('link') ?? link
  others.delete('link')
  if (!(written instanceof CID && written.equals(link))) {
    throw malformed('link that is not the payload')
  }
  return { link, others }
}

/** Bytes as in a block, or decoded from base64url as in JOSE. */
function bytesOf(value: IpldNode): Uint8Array {
  if (value instanceof Uint8Array) return value
  if (typeof value === 'string') {
    const bytes = Buffer.from(value, 'base64url')
    if (bytes.toString('base64url') === value) return bytes
  }
  throw malformed('member that is not base64url')
}

function textOf(value: IpldNode): string {
  return Buffer.from(bytesOf(value)).toString('base64url')
}

function needed(map: NodeMap, name: string): IpldNode {
  const value = map.get(name)
  if (value === undefined) throw malformed(`no ${name}`)
  return value
}

function mapOf(node: IpldNode): NodeMap {
  if (!(node instanceof Map)) throw malformed('it must be a map')
  return node as NodeMap
}

function malformed(what: string): Fault {
  return new Fault('command_failed', { detail: `not a dag-jose object: ${what}` })
}

// Writes dag-cbor in its canonical form: shortest heads, map keys sorted by length and then by bytes, 64-bit floats, links as
// tag 42.
// Rule: https://ipld.io/specs/codecs/dag-cbor/spec/
// Tested by src/codec/ipld/ipld.test.ts
import { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { bytesOfText } from '../byte-text.ts'
import type { IpldNode } from './ipld-node.ts'
import { joinBytes } from './protobuf.ts'

const linkHead = Uint8Array.of(0xd8, 42)
const integerEnd = 1n << 64n

/**
 * A new array. Throws `command_failed` for integers of more than 64 bits and a sign, and for numbers that are not finite.
 * Recursive: the decoder of `node` has limited its depth.
 */
export function encodeDagCbor(node: IpldNode): Uint8Array {
  const parts: Uint8Array[] = []
  write(parts, node)
  return joinBytes(parts)
}

function write(parts: Uint8Array[], node: IpldNode): void {
  if (node === null) parts.push(Uint8Array.of(0xf6))
  else if (typeof node === 'boolean') parts.push(Uint8Array.of(node ? 0xf5 : 0xf4))
  else if (typeof node === 'bigint') parts.push(integer(node))
  else if (typeof node === 'number') parts.push(float(node))
  else if (typeof node === 'string') writeBytes(parts, 3, bytesOfText(node))
  else if (node instanceof Uint8Array) writeBytes(parts, 2, node)
  else if (node instanceof CID) {
    // A link is the CID after a zero byte, the historical multibase prefix.
    parts.push(linkHead, head(2, BigInt(node.bytes.length + 1)), Uint8Array.of(0), node.bytes)
  } else if (node instanceof Map) writeMap(parts, node as ReadonlyMap<string, IpldNode>)
  else {
    const items = node as readonly IpldNode[]
    parts.push(head(4, BigInt(items.length)))
    for (const item of items) write(parts, item)
  }
}

function writeMap(parts: Uint8Array[], map: ReadonlyMap<string, IpldNode>): void {
  parts.push(head(5, BigInt(map.size)))
  const entries = [...map].map(([key, value]) => ({ key: bytesOfText(key), value }))
  entries.sort((a, b) => a.key.length - b.key.length || Buffer.compare(a.key, b.key))
  for (const { key, value } of entries) {
    writeBytes(parts, 3, key)
    write(parts, value)
  }
}

function writeBytes(parts: Uint8Array[], major: number, bytes: Uint8Array): void {
  parts.push(head(major, BigInt(bytes.length)), bytes)
}

function integer(value: bigint): Uint8Array {
  if (value >= integerEnd || value < -integerEnd) throw refused('integer of more than 64 bits')
  return value < 0n ? head(1, -1n - value) : head(0, value)
}

function float(value: number): Uint8Array {
  if (!Number.isFinite(value)) throw refused('number that is not finite')
  const out = new Uint8Array(9)
  out[0] = 0xfb
  new DataView(out.buffer).setFloat64(1, value)
  return out
}

/** RFC 8949 section 3: a major type and its argument in the shortest form. */
function head(major: number, argument: bigint): Uint8Array {
  const first = major << 5
  if (argument < 24n) return Uint8Array.of(first | Number(argument))
  const width = argument < 0x100n ? 0 : argument < 0x10000n ? 1 : argument < 0x100000000n ? 2 : 3
  const out = new Uint8Array(1 + 2 ** width)
  out[0] = first | (24 + width)
  let rest = argument
  for (let at = out.length - 1; at > 0; at -= 1) {
    out[at] = Number(rest & 0xffn)
    rest >>= 8n
  }
  return out
}

function refused(what: string): Fault {
  return new Fault('command_failed', { detail: `dag-cbor has no ${what}` })
}

// Fast path for the two most common node shapes, a branch with only hashes and empty children, and a leaf: validated and
// walked on their bytes, without an object per part. trie-node.ts handles all others.
import { nibbleAt } from './nibbles.ts'

/** RLP's first bytes of a string of 32 bytes, and of none. */
const hashPrefix = 0xa0
const nothingPrefix = 0x80
const childrenMax = 16

/** `decodeTrieNode` accepts these bytes: true only then, though not always. Never throws. */
export function isPlainNode(bytes: Uint8Array): boolean {
  return isPlainBranch(bytes) || readLeaf(bytes) !== null
}

function isPlainBranch(bytes: Uint8Array): boolean {
  let at = payloadStart(bytes)
  if (at === 0) return false
  for (let child = 0; child < childrenMax; child += 1) {
    const first = bytes[at]
    if (first === hashPrefix) at += 33
    else if (first === nothingPrefix) at += 1
    else return false
  }
  return bytes[at] === nothingPrefix && at + 1 === bytes.length
}

/**
 * Where the hash of child `nibble` stands in a node that was accepted before; 0 when the node proves that there
 * is no such child; -1 when this is no branch, or none that is plain as far as that child.
 */
export function childHashAt(bytes: Uint8Array, nibble: number): number {
  let at = payloadStart(bytes)
  if (at === 0 || mayHaveTwoItems(bytes, at)) return -1
  for (let child = 0; child < nibble; child += 1) {
    at = endOfChild(bytes, at)
    if (at === 0) return -1
  }
  const first = bytes[at]
  if (first === nothingPrefix) return 0
  return first === hashPrefix ? at + 1 : -1
}

/** True of every leaf and extension: only their first item is a path, which may be as long as a hash. */
function mayHaveTwoItems(bytes: Uint8Array, at: number): boolean {
  const first = endOfChild(bytes, at)
  if (first === 0) return true
  const second = endOfChild(bytes, first)
  return second === 0 || second === bytes.length
}

/** 0: neither a hash nor empty. */
function endOfChild(bytes: Uint8Array, at: number): number {
  const first = bytes[at]
  if (first === hashPrefix) return at + 33
  return first === nothingPrefix ? at + 1 : 0
}

/** Where a leaf's packed path and its value stand in its bytes; ends are exclusive. */
export type LeafParts = {
  readonly pathAt: number
  readonly pathEnd: number
  readonly valueAt: number
}

/** Null when `bytes` are no leaf in its only form. The value goes on to the end. Never throws. */
export function readLeaf(bytes: Uint8Array): LeafParts | null {
  const at = payloadStart(bytes)
  if (at === 0) return null
  const first = bytes[at] ?? 0
  // A packed path of one byte is written as itself, and one of 64 nibbles takes 33 bytes.
  const pathAt = first < nothingPrefix ? at : at + 1
  const pathBytes = first < nothingPrefix ? 1 : first - nothingPrefix
  if (pathBytes === 0 || pathBytes > 33 || (pathAt > at && pathBytes === 1)) return null
  const flag = bytes[pathAt] ?? 0
  if (flag !== 0x20 && flag >> 4 !== 3) return null
  const pathEnd = pathAt + pathBytes
  const valueAt = stringStart(bytes, pathEnd)
  return valueAt === 0 ? null : { pathAt, pathEnd, valueAt }
}

/** True when the nibbles of `key` from `depth` on are the leaf's whole path. */
export function leadsToLeaf(
  bytes: Uint8Array,
  { pathAt, pathEnd }: LeafParts,
  key: Uint8Array,
  depth: number,
): boolean {
  const isOdd = (bytes[pathAt] ?? 0) >> 4 === 3
  const nibbles = (pathEnd - pathAt - 1) * 2 + (isOdd ? 1 : 0)
  if (nibbles !== key.length * 2 - depth) return false
  // The path's nibbles follow a flag of one nibble, or of two.
  const skipped = pathAt * 2 + (isOdd ? 1 : 2)
  for (let index = 0; index < nibbles; index += 1) {
    if (nibbleAt(bytes, skipped + index) !== nibbleAt(key, depth + index)) return false
  }
  return true
}

/** Where the bytes of the string item begin that fills the rest of `bytes`; 0 when it does not, or is empty. */
function stringStart(bytes: Uint8Array, at: number): number {
  const left = bytes.length - at
  const first = bytes[at] ?? 0
  if (first < nothingPrefix) return left === 1 ? at : 0
  if (first < 0xb8) {
    const length = first - nothingPrefix
    if (length === 0 || length + 1 !== left) return 0
    return length === 1 && (bytes[at + 1] ?? 0) < nothingPrefix ? 0 : at + 1
  }
  const length = bytes[at + 1] ?? 0
  return first === 0xb8 && length >= 56 && length + 2 === left ? at + 2 : 0
}

/** Where the items of the list that fills `bytes` begin; 0 when it is no such list, or not in its only form. */
function payloadStart(bytes: Uint8Array): number {
  const first = bytes[0] ?? 0
  if (first < 0xc0) return 0
  if (first < 0xf8) return first - 0xc0 + 1 === bytes.length ? 1 : 0
  const one = bytes[1] ?? 0
  if (first === 0xf8) return one >= 56 && one + 2 === bytes.length ? 2 : 0
  if (first !== 0xf9 || one === 0) return 0
  return one * 256 + (bytes[2] ?? 0) + 3 === bytes.length ? 3 : 0
}

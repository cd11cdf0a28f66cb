// One node of a Merkle Patricia trie (Yellow Paper app. D), and one step of a walk through it. Steps are pure: the caller
// fetches and verifies the next node by the hash that a step returns. Paths are nibbles in hex prefix form (app. C).
// The two most common forms ("plain"), a branch with only hashes and empty children, and a leaf, are validated and walked
// without decoding; the others are decoded.
// Tested by src/codec/ethereum/trie-node.test.ts
import {
  Malformed,
  type RlpItem,
  bytesField,
  decodeRlp,
  encodeRlp,
  endOfItem,
  listField,
  listStart,
} from './rlp.ts'

/** First RLP byte of a string of 32 bytes, and of the empty string. */
const hashPrefix = 0xa0
const nothingPrefix = 0x80
const childrenMax = 16

/** A hash of 32 bytes, a node under 32 bytes embedded in its parent, or empty. */
export type TrieChild = Uint8Array | TrieNode | null

/** Paths have one nibble per element. A branch has 16 children; byte fields are views. */
export type TrieNode =
  | {
      readonly type: 'branch'
      readonly children: readonly TrieChild[]
      readonly value: Uint8Array | null
    }
  | { readonly type: 'extension'; readonly path: Uint8Array; readonly child: Uint8Array | TrieNode }
  | { readonly type: 'leaf'; readonly path: Uint8Array; readonly value: Uint8Array }

type TrieNodeOptions = {
  /** Accept a value in a branch. In state and storage tries all keys have the same length, so no branch has a value. */
  readonly branchValues?: boolean
}

/**
 * Result of a step: the 32-byte hash `next` of the next node and the remaining nibbles `rest`; or the value; or the
 * proof that the key does not exist.
 */
export type Step =
  | { readonly next: Uint8Array; readonly rest: Uint8Array }
  | { readonly value: Uint8Array }
  | 'absent'

/** Throws `Malformed` if `bytes` is not a node, also for `0x80` of the empty trie. */
export function decodeTrieNode(bytes: Uint8Array, options: TrieNodeOptions = {}): TrieNode {
  return nodeOf(decodeRlp(bytes), options)
}

/**
 * Follows `path` (remaining nibbles) from `node` through its embedded nodes to the next hash, the value or absence. Each step
 * except the last consumes nibbles, so a walk of 64 nibbles visits at most 65 nodes.
 */
export function stepThrough(node: TrieNode, path: Uint8Array): Step {
  let at: TrieNode = node
  let rest = path
  for (;;) {
    const step: TrieChild | { readonly value: Uint8Array } = stepInto(at, rest)
    if (step === null) return 'absent'
    if ('value' in step && !('type' in step)) return step
    rest = rest.subarray(at.type === 'extension' ? at.path.length : 1)
    if (step instanceof Uint8Array) return { next: step, rest }
    at = step
  }
}

/**
 * As `stepThrough`, on the bytes of a node that `decodeTrieNode` has accepted: it does not decode a whole branch for
 * one child. Throws `Malformed` if it reads a part that `decodeTrieNode` would refuse.
 */
export function stepThroughBytes(bytes: Uint8Array, path: Uint8Array): Step {
  let at = listStart(bytes)
  if (endOfItem(bytes, endOfItem(bytes, at)) === bytes.length) {
    return stepThrough(decodeTrieNode(bytes), path)
  }
  const nibble = path[0]
  if (nibble === undefined) return 'absent'
  for (let child = 0; child < nibble; child += 1) at = endOfChild(bytes, at)
  const end = endOfChild(bytes, at)
  const rest = path.subarray(1)
  if (end - at === 1) return 'absent'
  if (bytes[at] === hashPrefix) return { next: bytes.subarray(at + 1, end), rest }
  return stepThrough(decodeTrieNode(bytes.subarray(at, end)), rest)
}

/** A branch with two hashes is longer than this. */
const slotLeafBytesMax = 80

/**
 * True for a leaf so short that it contains a storage slot, not an account, so the walk ends with it.
 * `bytes` as above. Throws `Malformed`.
 */
export function isSlotLeaf(bytes: Uint8Array): boolean {
  if (bytes.length > slotLeafBytesMax) return false
  const at = listStart(bytes)
  const first = bytes[at] ?? 0
  // The flag of a packed path: 2 and 3 are leaves.
  const flag = (first < nothingPrefix ? first : (bytes[at + 1] ?? 0)) >> 4
  return (flag === 2 || flag === 3) && endOfItem(bytes, endOfItem(bytes, at)) === bytes.length
}

/** True: a plain branch or leaf that `decodeTrieNode` accepts. False: it must be decoded. Never throws. */
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
 * Position of the hash of child `nibble` in a node that `decodeTrieNode` has accepted. 0: the child is empty. -1: not a branch,
 * or an earlier child is embedded.
 */
export function childHashAt(bytes: Uint8Array, nibble: number): number {
  let at = payloadStart(bytes)
  if (at === 0 || mayHaveTwoItems(bytes, at)) return -1
  for (let child = 0; child < nibble; child += 1) {
    at = endOfPlainChild(bytes, at)
    if (at === 0) return -1
  }
  const first = bytes[at]
  if (first === nothingPrefix) return 0
  return first === hashPrefix ? at + 1 : -1
}

/** True for every leaf and extension: their first item is a path, which may be as long as a hash. */
function mayHaveTwoItems(bytes: Uint8Array, at: number): boolean {
  const first = endOfPlainChild(bytes, at)
  if (first === 0) return true
  const second = endOfPlainChild(bytes, first)
  return second === 0 || second === bytes.length
}

/** 0: neither a hash nor empty. */
function endOfPlainChild(bytes: Uint8Array, at: number): number {
  const first = bytes[at]
  if (first === hashPrefix) return at + 33
  return first === nothingPrefix ? at + 1 : 0
}

/** Positions of the packed path and the value of a leaf in its bytes; ends are exclusive. */
export type LeafParts = {
  readonly pathAt: number
  readonly pathEnd: number
  readonly valueAt: number
}

/** Null: not a leaf in canonical form. The value extends to the end. Never throws. */
export function readLeaf(bytes: Uint8Array): LeafParts | null {
  const at = payloadStart(bytes)
  if (at === 0) return null
  const first = bytes[at] ?? 0
  // A packed path of one byte has no head, and one of 64 nibbles has 33 bytes.
  const pathAt = first < nothingPrefix ? at : at + 1
  const pathBytes = first < nothingPrefix ? 1 : first - nothingPrefix
  if (pathBytes === 0 || pathBytes > 33 || (pathAt > at && pathBytes === 1)) return null
  const flag = bytes[pathAt] ?? 0
  if (flag !== 0x20 && flag >> 4 !== 3) return null
  const pathEnd = pathAt + pathBytes
  const valueAt = stringStart(bytes, pathEnd)
  return valueAt === 0 ? null : { pathAt, pathEnd, valueAt }
}

/** True if the nibbles of `key` from `depth` on are the whole path of the leaf. */
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

/** Start of the content of the string that fills the rest of `bytes`; 0: not such a string, or empty. */
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

/** Start of the items of the list that fills `bytes`; 0: not such a list, or not in canonical form. */
function payloadStart(bytes: Uint8Array): number {
  const first = bytes[0] ?? 0
  if (first < 0xc0) return 0
  if (first < 0xf8) return first - 0xc0 + 1 === bytes.length ? 1 : 0
  const one = bytes[1] ?? 0
  if (first === 0xf8) return one >= 56 && one + 2 === bytes.length ? 2 : 0
  if (first !== 0xf9 || one === 0) return 0
  return one * 256 + (bytes[2] ?? 0) + 3 === bytes.length ? 3 : 0
}

/** One nibble (0..15) per element, twice as many elements as `bytes`. */
export function toNibbles(bytes: Uint8Array): Uint8Array {
  const nibbles = new Uint8Array(bytes.length * 2)
  for (let at = 0; at < nibbles.length; at += 1) nibbles[at] = nibbleAt(bytes, at)
  return nibbles
}

/** The reverse of `toNibbles`. Throws `Malformed` for an odd number of nibbles. */
export function fromNibbles(nibbles: readonly number[]): Uint8Array {
  if (nibbles.length % 2 === 1) throw new Malformed('whole bytes')
  return Uint8Array.from(
    { length: nibbles.length / 2 },
    (_, at) => ((nibbles[at * 2] ?? 0) << 4) | (nibbles[at * 2 + 1] ?? 0),
  )
}

export function nibbleAt(bytes: Uint8Array, index: number): number {
  const byte = bytes[index >> 1] ?? 0
  return index % 2 === 0 ? byte >> 4 : byte & 0x0f
}

/** The nibbles `from`..`to` (exclusive) of `key`, packed for a leaf or an extension. */
export function packPath(key: Uint8Array, from: number, to: number, isLeaf: boolean): Uint8Array {
  const count = to - from
  const flag = (isLeaf ? 0x20 : 0) + (count % 2 === 1 ? 0x10 + nibbleAt(key, from) : 0)
  const packed = new Uint8Array(1 + (count >> 1))
  packed[0] = flag
  let at = from + (count % 2)
  for (let index = 1; index < packed.length; index += 1, at += 2) {
    packed[index] = (nibbleAt(key, at) << 4) | nibbleAt(key, at + 1)
  }
  return packed
}

/** Throws `Malformed` for an invalid flag, or if the padding of an even path is not zero. */
export function unpackPath(packed: Uint8Array): { isLeaf: boolean; path: Uint8Array } {
  const first = packed[0]
  if (first === undefined || first >= 0x40) throw new Malformed('a path with a flag of 0 to 3')
  const isOdd = (first & 0x10) !== 0
  if (!isOdd && (first & 0x0f) !== 0) throw new Malformed('an even path padded with zero')
  return { isLeaf: first >= 0x20, path: toNibbles(packed).subarray(isOdd ? 1 : 2) }
}

function endOfChild(bytes: Uint8Array, at: number): number {
  const first = bytes[at]
  if (first === hashPrefix) return at + 33
  return first === nothingPrefix ? at + 1 : endOfItem(bytes, at)
}

function stepInto(node: TrieNode, path: Uint8Array): TrieChild | { readonly value: Uint8Array } {
  switch (node.type) {
    case 'leaf':
      return isPrefix(node.path, path) && node.path.length === path.length
        ? { value: node.value }
        : null
    case 'extension':
      return isPrefix(node.path, path) ? node.child : null
    case 'branch': {
      const nibble = path[0]
      if (nibble === undefined) return node.value === null ? null : { value: node.value }
      return node.children[nibble] ?? null
    }
  }
}

function isPrefix(prefix: Uint8Array, path: Uint8Array): boolean {
  return prefix.length <= path.length && prefix.every((nibble, index) => path[index] === nibble)
}

function nodeOf(item: RlpItem, options: TrieNodeOptions): TrieNode {
  const items = listField(item, 'trie node')
  if (items.length === 17) return branchOf(items, options)
  if (items.length !== 2) throw new Malformed(`trie node of 2 or 17 items, got ${items.length}`)
  const { isLeaf, path } = unpackPath(bytesField(items[0], 'path'))
  if (isLeaf) {
    const value = bytesField(items[1], 'leaf value')
    if (value.length === 0) throw new Malformed('leaf value that is not empty')
    return { type: 'leaf', path, value }
  }
  if (path.length === 0) throw new Malformed('extension path that is not empty')
  const child = childOf(items[1], options)
  if (child === null) throw new Malformed('extension with a child')
  return { type: 'extension', path, child }
}

function branchOf(items: readonly RlpItem[], options: TrieNodeOptions): TrieNode {
  const value = bytesField(items[16], 'branch value')
  if (value.length > 0 && options.branchValues !== true) {
    throw new Malformed('branch without a value')
  }
  const children = items.slice(0, 16).map((item) => childOf(item, options))
  return { type: 'branch', children, value: value.length === 0 ? null : value }
}

function childOf(item: RlpItem | undefined, options: TrieNodeOptions): TrieChild {
  if (item instanceof Uint8Array) return item.length === 0 ? null : bytesField(item, 'child', 32)
  const node = nodeOf(listField(item, 'child'), options)
  // A longer node must be a hash: otherwise one trie would have two encodings and two roots.
  if (encodeRlp(item ?? []).length >= 32) throw new Malformed('embedded node under 32 bytes')
  return node
}

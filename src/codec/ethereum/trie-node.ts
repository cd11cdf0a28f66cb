// One node of a Merkle Patricia trie (Yellow Paper app. D), decoded, and one step of a walk through it.
// Steps are pure: the caller fetches and verifies the next node by the hash that a step returns.
import { bytesField, listField } from './fields.ts'
import { Malformed } from './malformed.ts'
import { unpackPath } from './nibbles.ts'
import { decodeRlp, encodeRlp, listStart, endOfItem } from './rlp.ts'
import type { RlpItem } from './rlp.ts'

export { toNibbles } from './nibbles.ts'

/** A hash of 32 bytes, a node under 32 bytes embedded in its parent, or empty. */
export type TrieChild = Uint8Array | TrieNode | null

/** Paths hold one nibble an element. A branch has 16 children; byte fields are views. */
export type TrieNode =
  | {
      readonly type: 'branch'
      readonly children: readonly TrieChild[]
      readonly value: Uint8Array | null
    }
  | { readonly type: 'extension'; readonly path: Uint8Array; readonly child: Uint8Array | TrieNode }
  | { readonly type: 'leaf'; readonly path: Uint8Array; readonly value: Uint8Array }

type TrieNodeOptions = {
  /** Accept a value in a branch. State and storage keys have one length, so theirs never have one. */
  readonly branchValues?: boolean
}

/**
 * Where a walk stands: `next` is the 32-byte hash of the node to go on with and `rest` the nibbles left
 * for it; or the value; or the proof that the key has none.
 */
export type Step =
  | { readonly next: Uint8Array; readonly rest: Uint8Array }
  | { readonly value: Uint8Array }
  | 'absent'

/** Throws `Malformed` on all that is not a node, also on the empty trie's `0x80`. */
export function decodeTrieNode(bytes: Uint8Array, options: TrieNodeOptions = {}): TrieNode {
  return nodeOf(decodeRlp(bytes), options)
}

/**
 * Takes `path` (nibbles left) from `node` through the nodes embedded in it to the next hash, the value or
 * absence. Each step but the last uses up nibbles, so a walk of 64 takes at most 65 nodes.
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
 * The same step on the bytes of a node that `decodeTrieNode` has accepted before: a branch is not decoded
 * whole for its one child. Throws `Malformed` where it meets what that would have refused.
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

/** A branch of two hashes is longer. */
const slotLeafBytesMax = 80

/**
 * True for a leaf so short that it contains one storage slot, not an account: no further node is reached through it.
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

/** RLP's first bytes of a string of 32 bytes, and of none. */
const hashPrefix = 0xa0
const nothingPrefix = 0x80

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
  // A longer one must be a hash: two forms of one trie would have two roots.
  if (encodeRlp(item ?? []).length >= 32) throw new Malformed('embedded node under 32 bytes')
  return node
}

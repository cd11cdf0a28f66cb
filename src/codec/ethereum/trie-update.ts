// Updates a Merkle Patricia trie (Yellow Paper app. D) of which only the nodes of some proofs are known, and computes its new
// root. All keys of the trie have the same length. Changing or adding a key needs the nodes on its path. Removing a key may also
// need a sibling node: a branch with one remaining child is merged with that child.
// Tested by src/codec/ethereum/trie-update.test.ts
import { equalBytes, toLatin1 } from '../../base/hex.ts'
import { keccak256 } from '../hash/keccak.ts'
import { emptyTrieRoot } from './account-state.ts'
import { encodeRlp, type RlpItem } from './rlp.ts'
import { decodeTrieNode, toNibbles, type TrieChild, type TrieNode } from './trie-node.ts'

type Branch = TrieNode & { readonly type: 'branch' }
type Extension = TrieNode & { readonly type: 'extension' }

/** The update needs a node that is missing. */
export class UnknownNode extends Error {
  override readonly name = 'UnknownNode'
  /** 32 bytes. */
  readonly hash: Uint8Array
  /** Nibbles from the root to the node: the common prefix of all keys below it. */
  readonly path: Uint8Array

  constructor(hash: Uint8Array, path: Uint8Array) {
    super('the update needs a trie node that is not known')
    this.hash = hash
    this.path = path
  }
}

/** Nodes by their hash. */
export class KnownNodes {
  readonly #nodes = new Map<string, TrieNode>()

  /** Returns the hash. Throws `Malformed` if `bytes` are not a node. */
  add(bytes: Uint8Array): Uint8Array {
    const hash = keccak256(bytes)
    const name = toLatin1(hash)
    if (!this.#nodes.has(name)) this.#nodes.set(name, decodeTrieNode(bytes))
    return hash
  }

  has(hash: Uint8Array): boolean {
    return this.#nodes.has(toLatin1(hash))
  }

  /** The node of `child`. Returns `child` itself if it is embedded or was changed. `path`: its position. Throws UnknownNode. */
  resolve(child: Uint8Array | TrieNode, path: Uint8Array): TrieNode {
    if (!(child instanceof Uint8Array)) return child
    const node = this.#nodes.get(toLatin1(child))
    if (node === undefined) throw new UnknownNode(child, path)
    return node
  }
}

/** `value` null: removes the key. Keys are used as given: hash them for state and storage tries. */
export type TrieChange = { readonly key: Uint8Array; readonly value: Uint8Array | null }

/**
 * The root after `changes` (distinct keys) to the trie `root`. Adds the new nodes to `nodes`. If it throws UnknownNode, `nodes`
 * is unchanged.
 */
export function updateTrie(
  root: Uint8Array,
  changes: readonly TrieChange[],
  nodes: KnownNodes,
): Uint8Array {
  let top: TrieChild = equalBytes(root, emptyTrieRoot) ? null : root
  // Apply additions first: an added key may prevent the merge of a branch.
  for (const { key, value } of changes) {
    if (value !== null) top = put(nodes, top, { key: toNibbles(key), depth: 0 }, value)
  }
  for (const { key, value } of changes) {
    if (value === null) top = remove(nodes, top, { key: toNibbles(key), depth: 0 })
  }
  if (top === null) return emptyTrieRoot
  return top instanceof Uint8Array ? top : nodes.add(encodeRlp(itemOf(top, nodes)))
}

/** A key as nibbles; the first `depth` lead to the current node. */
type Place = { readonly key: Uint8Array; readonly depth: number }

function put(nodes: KnownNodes, at: TrieChild, { key, depth }: Place, value: Uint8Array): TrieNode {
  const path = key.subarray(depth)
  if (at === null) return { type: 'leaf', path, value }
  const node = nodes.resolve(at, key.subarray(0, depth))
  if (node.type === 'branch') {
    const [nibble = 0] = path
    const child = put(nodes, childAt(node, nibble), { key, depth: depth + 1 }, value)
    return withChild(node, nibble, child)
  }
  const shared = sharedLength(node.path, path)
  if (node.type === 'leaf' && shared === path.length) return { ...node, value }
  if (node.type === 'extension' && shared === node.path.length) {
    return { ...node, child: put(nodes, node.child, { key, depth: depth + shared }, value) }
  }
  const own = { type: 'leaf', path: path.subarray(shared + 1), value } as const
  const forked: Branch = { type: 'branch', children: noChildren, value: null }
  const other = withChild(forked, node.path[shared] ?? 0, shortened(node, shared + 1))
  const branch = withChild(other, path[shared] ?? 0, own)
  if (shared === 0) return branch
  return { type: 'extension', path: path.subarray(0, shared), child: branch }
}

/** Returns `at` itself if the key does not exist. */
function remove(nodes: KnownNodes, at: TrieChild, { key, depth }: Place): TrieChild {
  if (at === null) return null
  const path = key.subarray(depth)
  const node = nodes.resolve(at, key.subarray(0, depth))
  switch (node.type) {
    case 'leaf':
      return equalBytes(node.path, path) ? null : at
    case 'extension': {
      const { length } = node.path
      if (sharedLength(node.path, path) < length) return at
      const child = remove(nodes, node.child, { key, depth: depth + length })
      // A branch has at least two children, so one remains.
      if (child === node.child || child === null) return at
      return joined(nodes, { key, depth }, node.path, child)
    }
    case 'branch': {
      const [nibble = 0] = path
      const before = childAt(node, nibble)
      const child = remove(nodes, before, { key, depth: depth + 1 })
      if (child === before) return at
      const changed = withChild(node, nibble, child)
      if (child !== null) return changed
      const left = changed.children.flatMap((one, index) => (one === null ? [] : [index]))
      const [only = 0] = left
      const last = childAt(changed, only)
      if (left.length > 1 || last === null) return changed
      return joined(nodes, { key, depth }, Uint8Array.of(only), last)
    }
  }
}

/** The node at `place` with `path` to `child`. */
function joined(
  nodes: KnownNodes,
  { key, depth }: Place,
  path: Uint8Array,
  child: Uint8Array | TrieNode,
): TrieNode {
  const node = nodes.resolve(child, concatenated(key.subarray(0, depth), path))
  if (node.type === 'branch') return { type: 'extension', path, child }
  return { ...node, path: concatenated(path, node.path) }
}

function concatenated(first: Uint8Array, second: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat([first, second]))
}

/** The node without the first `count` nibbles of its path. */
function shortened(node: Exclude<TrieNode, Branch>, count: number): Uint8Array | TrieNode {
  const path = node.path.subarray(count)
  if (node.type === 'leaf') return { ...node, path }
  return path.length === 0 ? node.child : ({ ...node, path } satisfies Extension)
}

const noChildren: readonly TrieChild[] = Array.from({ length: 16 }, () => null)

function childAt({ children }: Branch, nibble: number): TrieChild {
  return children[nibble] ?? null
}

function withChild(branch: Branch, nibble: number, child: TrieChild): Branch {
  return { ...branch, children: branch.children.with(nibble, child) }
}

function sharedLength(one: Uint8Array, other: Uint8Array): number {
  const end = Math.min(one.length, other.length)
  let at = 0
  while (at < end && one[at] === other[at]) at += 1
  return at
}

const nothing = new Uint8Array(0)

function itemOf(node: TrieNode, nodes: KnownNodes): RlpItem {
  switch (node.type) {
    case 'leaf':
      return [packed(node.path, 0x20), node.value]
    case 'extension':
      return [packed(node.path, 0), referenceOf(node.child, nodes)]
    case 'branch':
      return [
        ...node.children.map((child) => (child === null ? nothing : referenceOf(child, nodes))),
        node.value ?? nothing,
      ]
  }
}

function referenceOf(child: Uint8Array | TrieNode, nodes: KnownNodes): RlpItem {
  if (child instanceof Uint8Array) return child
  const item = itemOf(child, nodes)
  const bytes = encodeRlp(item)
  return bytes.length < 32 ? item : nodes.add(bytes)
}

/** App. C. `flag`: 0x20 for a leaf. */
function packed(path: Uint8Array, flag: number): Uint8Array {
  const isOdd = path.length % 2 === 1
  const bytes = new Uint8Array(1 + (path.length >> 1))
  bytes[0] = flag + (isOdd ? 0x10 + (path[0] ?? 0) : 0)
  let at = isOdd ? 1 : 0
  for (let index = 1; index < bytes.length; index += 1, at += 2) {
    bytes[index] = ((path[at] ?? 0) << 4) | (path[at + 1] ?? 0)
  }
  return bytes
}

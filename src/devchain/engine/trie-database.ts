// The EVM's trie database over the BlockStore. Writes go to `pending`, which every trie of the chain reads. A block's commit
// takes the nodes that its state root reaches, and the rest is dropped.
import type { BatchDBOp, DB } from '@ethereumjs/util'
import { equalBytes, fromHex, toBareHex, toHex } from '../../base/hex.ts'
import {
  decodeAccountState,
  emptyCodeHash,
  emptyTrieRoot,
} from '../../codec/ethereum/account-state.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import { type TrieChild, type TrieNode, decodeTrieNode } from '../../codec/ethereum/trie-node.ts'
import type { ContentRef, UnverifiedItem } from '../../content/ref.ts'
import type { LocalStore } from '../../content/block-store.ts'
import { NotLoaded } from '../fork/fork-reads.ts'

/** Key prefix of contract code (`c`). Without it, the code 0x80 would have the key of the empty trie. */
const codePrefix = '63'

export type TrieDatabase = DB<string, Uint8Array> & {
  /** The nodes and code that are reachable from `stateRoot` and not in the BlockStore, root first. */
  reachable(stateRoot: Uint8Array): UnverifiedItem[]
  /** Drops pending nodes that no commit has taken. */
  clear(): void
  /** Drops, in addition, nodes of recent commits: call after a failed commit. */
  forget(): void
}

/**
 * Nodes of recent commits are read from memory until commits took this many more bytes: the next block reads mostly these nodes,
 * and while a commit is in flight its nodes are not in the BlockStore yet.
 */
export const recentBytesMax = 8 * 1024 * 1024

/**
 * Throws on a value whose hash is not its key, and on any delete: content is never deleted. `isForked`: reads throw `NotLoaded`
 * for content that is not stored, instead of reporting it as absent.
 */
export function createTrieDatabase(
  store: LocalStore,
  { isForked = false }: { readonly isForked?: boolean } = {},
): TrieDatabase {
  const pending = new Map<string, Uint8Array>()
  /** Start of each pending hash. Most children of a new node are not pending: this check avoids building their string keys. */
  const pendingStarts = new Set<number>()
  let recent = new Map<string, Uint8Array>()
  let earlier = new Map<string, Uint8Array>()
  let recentBytes = 0

  function moveToRecent(key: string): Uint8Array | undefined {
    const bytes = pending.get(key)
    if (bytes === undefined) return undefined
    pending.delete(key)
    recent.set(key, bytes)
    recentBytes += bytes.length
    return bytes
  }

  function find(key: string): Uint8Array | undefined {
    const buffered = pending.get(key) ?? recent.get(key) ?? earlier.get(key)
    const found = buffered ?? store.peek(refOf(key)) ?? undefined
    if (found === undefined && isForked) throw new NotLoaded(nameOf(key))
    return found
  }

  function put(key: string, value: Uint8Array): void {
    const { hash } = refOf(key)
    if (!equalBytes(keccak256(value), hash)) throw new Error(`the EVM wrote a bad node ${key}`)
    pending.set(key, value)
    pendingStarts.add(startOf(hash))
  }

  function* walk(
    root: Uint8Array,
    onLeaf: (value: Uint8Array) => Iterable<UnverifiedItem>,
  ): Iterable<UnverifiedItem> {
    if (equalBytes(root, emptyTrieRoot)) return
    // If a node is already stored, so is its whole subtree.
    const bytes = pendingStarts.has(startOf(root)) ? moveToRecent(toBareHex(root)) : undefined
    if (bytes === undefined) return
    yield { ref: { kind: 'trie-node', hash: root }, bytes }
    yield* inside(decodeTrieNode(bytes), onLeaf)
  }

  function* inside(
    node: TrieNode,
    onLeaf: (value: Uint8Array) => Iterable<UnverifiedItem>,
  ): Iterable<UnverifiedItem> {
    if (node.type === 'leaf') return yield* onLeaf(node.value)
    const children: readonly TrieChild[] = node.type === 'branch' ? node.children : [node.child]
    for (const child of children) {
      if (child === null) continue
      yield* child instanceof Uint8Array ? walk(child, onLeaf) : inside(child, onLeaf)
    }
  }

  function* account(value: Uint8Array): Iterable<UnverifiedItem> {
    const { storageRoot, codeHash } = decodeAccountState(value)
    yield* walk(storageRoot, () => [])
    if (equalBytes(codeHash, emptyCodeHash)) return
    const key = codePrefix + toBareHex(codeHash)
    const bytes = moveToRecent(key)
    if (bytes === undefined) return
    yield { ref: { kind: 'code', hash: codeHash }, bytes }
  }

  function drop(): void {
    pending.clear()
    pendingStarts.clear()
  }

  const database: TrieDatabase = {
    get: async (key) => find(key),
    put: async (key, value) => put(key, value),
    del: async (key) => refuseDelete(key),
    async batch(operations: BatchDBOp<string, Uint8Array>[]) {
      for (const operation of operations) {
        if (operation.type === 'del') refuseDelete(operation.key)
        else put(operation.key, operation.value)
      }
    },
    // Copies must see each other's writes.
    shallowCopy: () => database,
    open: async () => {},
    reachable(stateRoot) {
      if (recentBytes >= recentBytesMax) {
        earlier = recent
        recent = new Map()
        recentBytes = 0
      }
      return [...walk(stateRoot, account)]
    },
    clear: drop,
    forget() {
      drop()
      recent.clear()
      earlier.clear()
      recentBytes = 0
    },
  }
  return database
}

/** The first four bytes of a hash. */
function startOf(hash: Uint8Array): number {
  return ((hash[0] ?? 0) << 24) | ((hash[1] ?? 0) << 16) | ((hash[2] ?? 0) << 8) | (hash[3] ?? 0)
}

function refOf(key: string): ContentRef {
  if (key.length === 64) return { kind: 'trie-node', hash: fromHex(key) }
  if (key.length === 66 && key.startsWith(codePrefix)) {
    return { kind: 'code', hash: fromHex(key.slice(2)) }
  }
  throw new Error(`the EVM asked for a key of another form: ${key}`)
}

function nameOf(key: string): string {
  const { kind, hash } = refOf(key)
  return `${kind} ${toHex(hash)}`
}

function refuseDelete(key: string): never {
  throw new Error(`the EVM asked to delete ${key}`)
}

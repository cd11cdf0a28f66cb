// Checks a reply to eth_getProof. The traversal starts at the state root and follows the requested keys, never those in the reply.
// A node off the path contradicts the root, and so does a value other than the leaf's. A path that ends early is incomplete, not
// invalid. An account's node list that was verified before is only compared as text.
import { equalBytes, joinLatin1, toHex, toLatin1, toQuantity } from '../../../base/hex.ts'
import { createLruCache } from '../../../base/lru-cache.ts'
import {
  type AccountState,
  absentAccount,
  decodeAccountState,
  decodeStorageValue,
  emptyCodeHash,
} from '../../../codec/ethereum/account-state.ts'
import type { JsonRecord } from '../../../codec/ethereum/json-fields.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import { Malformed } from '../../../codec/ethereum/rlp.ts'
import { walkProof } from '../../../codec/ethereum/trie-walk.ts'
import type { PeekNode } from '../../../content/ref.ts'
import { type NodeBag, type ProofNodes, type ProofReply, bagOf } from './proof-reply.ts'

type VerifiedAccount = {
  /** The nodes as received, from the state root to the leaf. */
  readonly texts: readonly string[]
  /** Null: proved absent. */
  readonly account: AccountState | null
}

/** `stateRoot`: 32 bytes; `address`: 20. Null: not in the cache. */
export type AccountProofMemory = {
  find(stateRoot: Uint8Array, address: Uint8Array): VerifiedAccount | null
  add(stateRoot: Uint8Array, address: Uint8Array, verified: VerifiedAccount): void
}

/** About a hundred accounts with the ten nodes that each has on mainnet. */
const textsMax = 2 * 1024 * 1024

export function createAccountProofMemory(): AccountProofMemory {
  const verified = createLruCache<VerifiedAccount>({
    sizeMax: textsMax,
    sizeOf: (_key, { texts }) => texts.reduce((total, text) => total + text.length, 0),
  })
  return {
    find: (stateRoot, address) => verified.find(joinLatin1(stateRoot, address)),
    add: (stateRoot, address, one) => verified.add(joinLatin1(stateRoot, address), one),
  }
}

/** The request. `stateRoot`, `slots`: 32 bytes; `address`: 20. */
export type RequestedProof = {
  readonly stateRoot: Uint8Array
  readonly address: Uint8Array
  readonly slots: readonly Uint8Array[]
}

/** As text, for the log of invalid replies. */
export type Contradiction = { readonly expected: string; readonly computed: string }

/** `complete`: it proves the account and all slots. `short`: nodes are missing at the end of a path. */
export type ProofCheck = 'complete' | 'short' | Contradiction

/** Caches that avoid repeated work: nodes and accounts verified before. */
export type AccountProofs = {
  readonly peekNode: PeekNode
  readonly accounts: AccountProofMemory
}

/** `before`: caches that save work and do not change the result. Never throws, for any reply. */
export function checkProof(
  reply: ProofReply,
  request: RequestedProof,
  before: AccountProofs | null = null,
): ProofCheck {
  if (reply.excess !== null) return { expected: 'a proof', computed: reply.excess }
  const { nodes } = reply
  const walks = new Walks(nodes, before?.peekNode ?? peekNothing)
  try {
    const account = findAccount(reply, request, walks, before?.accounts ?? null)
    // Without the account, Cairn cannot tell which storage nodes are off the path.
    if (account === undefined) {
      return walks.stray(reply.accountNodes, request.stateRoot) ?? 'short'
    }
    const values = request.slots.map((slot) => walks.slot(account ?? absentAccount, slot))
    return (
      walks.stray(nodes.length, request.stateRoot) ??
      accountContradiction(reply.json, account) ??
      slotContradiction(reply, request.slots, values) ??
      (values.includes(null) ? 'short' : 'complete')
    )
  } catch (thrown) {
    // The root itself commits to these undecodable nodes, so the upstream is not at fault.
    if (thrown instanceof Malformed) return 'short'
    throw thrown
  }
}

const peekNothing: PeekNode = () => null

/** Null: proved absent; undefined: a node is missing. */
function findAccount(
  { nodes, accountNodes }: ProofReply,
  { stateRoot, address }: RequestedProof,
  walks: Walks,
  accounts: AccountProofMemory | null,
): AccountState | null | undefined {
  const cached = accounts?.find(stateRoot, address) ?? null
  if (cached?.texts.length === accountNodes && nodes.beginsWith(cached.texts)) {
    walks.skip(accountNodes)
    return cached.account
  }
  const account = walks.account(stateRoot, address)
  if (account !== undefined && walks.inOrder === accountNodes) {
    accounts?.add(stateRoot, address, { texts: nodes.spelled(accountNodes), account })
  }
  return account
}

/**
 * Traverses the nodes of one reply and records the nodes used. An honest reply lists them in the order of the traversal, so each is
 * first compared with the cached node of the expected hash. Only if that fails are all nodes hashed.
 */
class Walks {
  readonly #nodes: ProofNodes
  readonly #peekNode: PeekNode
  /** Created when a node is not at its expected index. */
  #bag: NodeBag | null = null
  /** Index of the next node in an honest reply; the traversal used all nodes before it in order. */
  #next = 0
  readonly #needed = new Set<string>()
  /** The hash at which the first incomplete traversal stopped. */
  #missing: Uint8Array | null = null

  constructor(nodes: ProofNodes, peekNode: PeekNode) {
    this.#nodes = nodes
    this.#peekNode = peekNode
  }

  /** Number of leading nodes that traversals used in order, if they used no others. */
  get inOrder(): number {
    return this.#needed.size === 0 ? this.#next : 0
  }

  /** Skips the first nodes, which belong to a known traversal. */
  skip(count: number): void {
    this.#next = Math.max(this.#next, count)
  }

  /** Null: proved absent; undefined: a node is missing. */
  account(stateRoot: Uint8Array, address: Uint8Array): AccountState | null | undefined {
    const leaf = this.#walk(stateRoot, keccak256(address))
    return leaf === undefined || leaf === null ? leaf : decodeAccountState(leaf)
  }

  /** 32 bytes, also of an absent slot; null: a node is missing. */
  slot({ storageRoot }: AccountState, position: Uint8Array): Uint8Array | null {
    const leaf = this.#walk(storageRoot, keccak256(position))
    if (leaf === undefined) return null
    return leaf === null ? new Uint8Array(32) : decodeStorageValue(leaf)
  }

  /** The first of `count` nodes that no traversal used, with the expected hash where the paths diverge. */
  stray(count: number, root: Uint8Array): Contradiction | null {
    for (let index = this.#next; index < count; index += 1) {
      const node = this.#nodes.at(index)
      // Some clients list nodes under 32 bytes although they are embedded in their parent, and 0x80 for an empty trie.
      if (node.length < 32) continue
      if (this.#isNeeded(index)) continue
      return { expected: toHex(this.#missing ?? root), computed: toHex(keccak256(node)) }
    }
    return null
  }

  /** Compares by hash, because a node may be listed twice. */
  #isNeeded(index: number): boolean {
    const { names } = this.#named()
    const name = names[index] ?? null
    if (name === null) return false
    return this.#needed.has(name) || names.indexOf(name) < this.#next
  }

  #named(): NodeBag {
    this.#bag ??= bagOf(this.#nodes.all())
    return this.#bag
  }

  #find(hash: Uint8Array): Uint8Array | null {
    const peeked = this.#next < this.#nodes.length ? this.#peekNode(hash, 0) : null
    if (peeked !== null && this.#nodes.isAt(this.#next, peeked)) {
      this.#next += 1
      return peeked
    }
    const name = toLatin1(hash)
    this.#needed.add(name)
    return this.#named().nodes.get(name) ?? null
  }

  #walk(root: Uint8Array, key: Uint8Array): Uint8Array | null | undefined {
    const end = walkProof(root, key, (hash) => this.#find(hash))
    if (end === 'absent') return null
    if ('value' in end) return end.value
    this.#missing ??= end.missing
    return undefined
  }
}

/** Compares the members that repeat the leaf, as numbers: spelling does not matter. */
function accountContradiction(json: JsonRecord, found: AccountState | null): Contradiction | null {
  const account = found ?? absentAccount
  const { balance, nonce, storageRoot, codeHash } = account
  // The spelling of nearly all nodes.
  const isSpelledSo =
    json['balance'] === toQuantity(balance) &&
    json['nonce'] === toQuantity(nonce) &&
    json['storageHash'] === toHex(storageRoot) &&
    json['codeHash'] === toHex(codeHash)
  if (isSpelledSo) return null
  const named: readonly (readonly [string, bigint])[] = [
    ['balance', balance],
    ['nonce', nonce],
    ['storageHash', numberOf(storageRoot)],
    ['codeHash', numberOf(codeHash)],
  ]
  for (const [name, truth] of named) {
    const reported = readNumber(json[name])
    if (reported === null || reported === truth) continue
    // An absent account has no hashes: nodes return zero or the hash of nothing.
    if (found === null && reported === 0n) continue
    if (name === 'codeHash' && reported === 0n && equalBytes(codeHash, emptyCodeHash)) continue
    return { expected: `${name} ${toQuantity(truth)}`, computed: `${name} ${toQuantity(reported)}` }
  }
  return null
}

/** `values`: of `slots`, null if unknown. Entries are matched by their key, in any order. */
function slotContradiction(
  { storage }: ProofReply,
  slots: readonly Uint8Array[],
  values: readonly (Uint8Array | null)[],
): Contradiction | null {
  const isSpelledSo = storage.every((json, index) => {
    const [slot, value] = [slots[index], values[index] ?? null]
    if (slot === undefined || value === null || json['key'] !== toHex(slot)) return false
    return json['value'] === toQuantity(numberOf(value))
  })
  if (isSpelledSo) return null
  const truths = new Map(slots.map((slot, index) => [numberOf(slot), values[index] ?? null]))
  for (const json of storage) {
    const key = readNumber(json['key'])
    const value = key === null ? null : (truths.get(key) ?? null)
    const reported = readNumber(json['value'])
    if (value === null || reported === null || reported === numberOf(value)) continue
    return { expected: `value ${toHex(value)}`, computed: `value ${toQuantity(reported)}` }
  }
  return null
}

function numberOf(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(toHex(bytes))
}

const numberTextMax = 256

/** Null if it is not a number; then the member is ignored. */
function readNumber(value: unknown): bigint | null {
  if (typeof value !== 'string' || value.length > numberTextMax) return null
  return /^0x[0-9a-fA-F]+$/.test(value) ? BigInt(value) : null
}

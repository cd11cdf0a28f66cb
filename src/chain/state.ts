// State reads as a walk over `obtain`: header's state root -> account -> storage root -> slot. The walk reads each node by
// hash, so the nodes on the path also prove absence.
import { Fault, hasCode } from '../base/fault.ts'
import { equalBytes, toBareHex } from '../base/hex.ts'
import {
  absentAccount,
  type AccountState,
  decodeAccountState,
  decodeStorageValue,
  emptyCodeHash,
} from '../codec/ethereum/account-state.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import { Malformed } from '../codec/ethereum/rlp.ts'
import { TrieWalk } from '../codec/ethereum/trie-walk.ts'
import type { ContentRef, FetchContext, PeekNode } from '../content/ref.ts'
import type { ProvedHeader } from './blocks.ts'
import type { Network } from './network.ts'
import { fetched, type Read } from './read.ts'

/** An account at a block. `address`: 20 bytes. */
export type AccountAt = {
  readonly network: Network
  readonly block: ProvedHeader
  readonly address: Uint8Array
}

/**
 * The account, or null if the walk proves that it does not exist. `slots`: positions of the following reads, so that one proof
 * includes them. Throws `no_state` if no source has a node of that state, `unverified` if no source proved one, and the other
 * errors of `obtain`.
 */
export function* findAccount(
  at: AccountAt,
  slots: readonly Uint8Array[] = [],
): Read<AccountState | null> {
  const { accounts } = at.network
  const { stateRoot } = at.block.header
  const cached = accounts?.find(stateRoot, at.address) ?? null
  if (cached !== null) return cached === absentAccount ? null : cached
  const leaf = yield* walkState(at, stateRoot, keccak256(at.address), { slots })
  const account = leaf === null ? null : decodeProved(() => decodeAccountState(leaf))
  accounts?.add(stateRoot, at.address, account ?? absentAccount)
  return account
}

/** `position`: 32 bytes. Always 32 bytes: an absent account or slot is a proved zero. Throws as above. */
export function* readStorage(at: AccountAt, position: Uint8Array): Read<Uint8Array> {
  const slots = [position]
  const { storageRoot } = (yield* findAccount(at, slots)) ?? absentAccount
  const leaf = yield* walkState(at, storageRoot, keccak256(position), { slots })
  return leaf === null ? new Uint8Array(32) : decodeProved(() => decodeStorageValue(leaf))
}

/** The account's code; no bytes when the account or its code is absent. Throws as above. */
export function* readCode(at: AccountAt): Read<Uint8Array> {
  const { codeHash } = (yield* findAccount(at)) ?? absentAccount
  if (equalBytes(codeHash, emptyCodeHash)) return new Uint8Array(0)
  return yield* readState(at, { kind: 'code', hash: codeHash }, {})
}

/**
 * `key`: 32 bytes. Returns the leaf's value, or null if the nodes on the path prove that there is none. `proof`: receives these
 * nodes.
 */
export function* walkState(
  at: AccountAt,
  root: Uint8Array,
  key: Uint8Array,
  context: FetchContext,
  proof: Uint8Array[] | null = null,
): Read<Uint8Array | null> {
  const { peekNode } = at.network
  const find: PeekNode = proof === null ? peekNode : (from, at) => pushed(proof, peekNode(from, at))
  const walk = new TrieWalk(root, key)
  let leaf = decodeProved(() => walk.run(find))
  while (leaf === undefined) {
    const ref: ContentRef = { kind: 'trie-node', hash: walk.missing }
    const bytes = yield* fetched((signal) => obtainState(at, ref, context, signal))
    if (proof !== null) proof.push(bytes)
    leaf = decodeProved(() => walk.run(find, bytes))
  }
  return leaf
}

function pushed(proof: Uint8Array[], node: Uint8Array | null): Uint8Array | null {
  if (node !== null) proof.push(node)
  return node
}

/** Throws `unverified` for bytes with the right hash that cannot be decoded: the root itself commits to invalid data. */
export function decodeProved<T>(decode: () => T): T {
  try {
    return decode()
  } catch (thrown) {
    if (thrown instanceof Malformed) throw new Fault('unverified', { cause: thrown })
    throw thrown
  }
}

/** A node or code of the state `at`; throws `no_state` if no source has it. */
function* readState(at: AccountAt, ref: ContentRef, context: FetchContext): Read<Uint8Array> {
  const bytes = at.network.peek(ref)
  if (bytes !== null) return bytes
  return yield* fetched((signal) => obtainState(at, ref, context, signal))
}

async function obtainState(
  { network, block, address }: AccountAt,
  ref: ContentRef,
  context: FetchContext,
  signal: AbortSignal,
): Promise<Uint8Array> {
  try {
    const { stateRoot, number } = block.header
    const at = { blockHash: block.hash, blockNumber: number, stateRoot, address }
    const where = { ...network.hint, ...context, ...at }
    return await network.obtain(ref, where, signal)
  } catch (thrown) {
    if (!hasCode(thrown, 'not_found')) throw thrown
    const root = toBareHex(block.header.stateRoot)
    const detail = `missing trie node ${root} (path ) state 0x${root} is not available`
    throw new Fault('no_state', { detail, cause: thrown })
  }
}

// State reads as a walk over `obtain`: header's state root -> account -> storage root -> slot. The walk asks
// for each node by hash, so absence is a result proved by the nodes on the way (verification 1.5).
import { Fault } from '../base/fault.ts'
import { equalBytes, toBareHex } from '../base/hex.ts'
import {
  absentAccount,
  type AccountState,
  decodeAccountState,
  decodeStorageValue,
  emptyCodeHash,
  emptyTrieRoot,
} from '../codec/account-state.ts'
import { keccak256 } from '../codec/keccak.ts'
import { Malformed } from '../codec/malformed.ts'
import { type Step, stepThroughBytes, toNibbles } from '../codec/trie-node.ts'
import type { ContentRef, Hint } from '../content/ref.ts'
import type { ProvedHeader } from './blocks.ts'
import type { Network } from './network.ts'

/** A walk of 64 nibbles: each node but the last uses up at least one. */
export const walkNodesMax = 65

/** Which account of which block. `address`: 20 bytes. */
export type AccountAt = {
  readonly network: Network
  readonly block: ProvedHeader
  readonly address: Uint8Array
}

/**
 * The account, or null when the walk proves it absent. `slots`: positions that will be read next, so that one
 * proof brings them too. Throws `no_state` when no source has a node of
 * that state, `unverified` when none proved one, and what else `obtain` throws.
 */
export async function findAccount(
  at: AccountAt,
  signal: AbortSignal,
  slots: readonly Uint8Array[] = [],
): Promise<AccountState | null> {
  const leaf = await walk(at, at.block.header.stateRoot, keccak256(at.address), { slots }, signal)
  return leaf === null ? null : decodeProved(decodeAccountState, leaf)
}

/** `position`: 32 bytes. Always 32 bytes: an absent account or slot is a proved zero. Throws as above. */
export async function readStorage(
  at: AccountAt,
  position: Uint8Array,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const slots = [position]
  const { storageRoot } = (await findAccount(at, signal, slots)) ?? absentAccount
  const leaf = await walk(at, storageRoot, keccak256(position), { slots }, signal)
  return leaf === null ? new Uint8Array(32) : decodeProved(decodeStorageValue, leaf)
}

/** The account's code; no bytes when the account or its code is absent. Throws as above. */
export async function readCode(at: AccountAt, signal: AbortSignal): Promise<Uint8Array> {
  const { codeHash } = (await findAccount(at, signal)) ?? absentAccount
  if (equalBytes(codeHash, emptyCodeHash)) return new Uint8Array(0)
  return await obtainState(at, { kind: 'code', hash: codeHash }, {}, signal)
}

/** `key`: 32 bytes. The leaf's value, or null when the nodes on the way prove there is none. */
async function walk(
  at: AccountAt,
  root: Uint8Array,
  key: Uint8Array,
  hint: Hint,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  if (equalBytes(root, emptyTrieRoot)) return null
  let hash = root
  let path = toNibbles(key)
  for (let nodes = 0; nodes < walkNodesMax; nodes += 1) {
    const ref: ContentRef = { kind: 'trie-node', hash }
    // Most nodes are at hand; only for the others the walk waits.
    const bytes = at.network.held(ref) ?? (await obtainState(at, ref, hint, signal))
    const step = stepProved(bytes, path)
    if (step === 'absent') return null
    if ('value' in step) return step.value
    hash = step.next
    path = step.rest
  }
  throw new Fault('unverified', { cause: new Malformed(`a walk of at most ${walkNodesMax} nodes`) })
}

/** A node or code of the state `at`; one that no source has is `no_state`. */
export async function obtainState(
  { network, block, address }: AccountAt,
  ref: ContentRef,
  hint: Hint,
  signal: AbortSignal,
): Promise<Uint8Array> {
  try {
    const { stateRoot } = block.header
    const where = { ...network.hint, ...hint, blockHash: block.hash, stateRoot, address }
    return await network.obtain(ref, where, signal)
  } catch (thrown) {
    if (!(thrown instanceof Fault && thrown.code === 'not_found')) throw thrown
    const root = toBareHex(block.header.stateRoot)
    const detail = `missing trie node ${root} (path ) state 0x${root} is not available`
    throw new Fault('no_state', { detail, cause: thrown })
  }
}

/** One step of a walk through a node's bytes. Throws `unverified`. */
export function stepProved(bytes: Uint8Array, path: Uint8Array): Step {
  return decodeProved((raw) => stepThroughBytes(raw, path), bytes)
}

/** Bytes of the right hash that are no such thing: the root itself commits to nonsense (`unverified`). */
export function decodeProved<T>(decode: (bytes: Uint8Array) => T, bytes: Uint8Array): T {
  try {
    return decode(bytes)
  } catch (thrown) {
    if (thrown instanceof Malformed) throw new Fault('unverified', { cause: thrown })
    throw thrown
  }
}

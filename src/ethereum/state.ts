// State reads as a walk over `obtain`: header's state root -> account -> storage root -> slot. The walk asks
// for each node by hash, so absence is a result proved by the nodes on the way (verification 1.5).
import { Fault, hasCode } from '../base/fault.ts'
import { equalBytes, toBareHex } from '../base/hex.ts'
import {
  absentAccount,
  type AccountState,
  decodeAccountState,
  decodeStorageValue,
  emptyCodeHash,
} from '../codec/account-state.ts'
import { keccak256 } from '../codec/keccak.ts'
import type { ContentRef, FetchContext } from '../content/ref.ts'
import type { ProvedHeader } from './blocks.ts'
import type { Network } from './network.ts'
import { decodeProved, Walker } from './walker.ts'

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
  const { accounts } = at.network
  const { stateRoot } = at.block.header
  const known = accounts?.find(stateRoot, at.address) ?? null
  if (known !== null) return known === absentAccount ? null : known
  const leaf = await walk(at, stateRoot, keccak256(at.address), { slots }, signal)
  const account = leaf === null ? null : decodeProved(decodeAccountState, leaf)
  accounts?.add(stateRoot, at.address, account ?? absentAccount)
  return account
}

/** `findAccount` when all of its nodes are at hand, `absentAccount` for none; null when one is not. */
export function heldAccount({ network, block, address }: AccountAt): AccountState | null {
  const { stateRoot } = block.header
  const known = network.accounts?.find(stateRoot, address)
  if (known !== undefined && known !== null) return known
  const leaf = new Walker(stateRoot, keccak256(address)).walk(network.heldNode)
  if (leaf === undefined) return null
  const account = leaf === null ? absentAccount : decodeProved(decodeAccountState, leaf)
  network.accounts?.add(stateRoot, address, account)
  return account
}

/**
 * `readStorage` when all of its nodes are at hand, else the walk as far as they are; null when the account's are not.
 * Throws `unverified`.
 */
export function heldStorage(at: AccountAt, position: Uint8Array): Uint8Array | Walker | null {
  const account = heldAccount(at)
  if (account === null) return null
  const walker = new Walker(account.storageRoot, keccak256(position))
  const leaf = walker.walk(at.network.heldNode)
  return leaf === undefined ? walker : storageOf(leaf)
}

/** `readStorage` from where `heldStorage` of the same stopped. Throws as `readStorage`. */
export async function goOnToStorage(
  at: AccountAt,
  position: Uint8Array,
  walker: Walker,
  signal: AbortSignal,
): Promise<Uint8Array> {
  return storageOf(await goOn(at, walker, { slots: [position] }, signal))
}

function storageOf(leaf: Uint8Array | null): Uint8Array {
  return leaf === null ? new Uint8Array(32) : decodeProved(decodeStorageValue, leaf)
}

/** `readCode` when all of it is at hand, else null. Throws `unverified`. */
export function heldCode(at: AccountAt): Uint8Array | null {
  const account = heldAccount(at)
  if (account === null) return null
  const hash = account.codeHash
  return equalBytes(hash, emptyCodeHash)
    ? new Uint8Array(0)
    : at.network.held({ kind: 'code', hash })
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
  return storageOf(leaf)
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
  hint: FetchContext,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const walker = new Walker(root, key)
  const leaf = walker.walk(at.network.heldNode)
  return leaf === undefined ? await goOn(at, walker, hint, signal) : leaf
}

/** `walk` from the node on that `walker` lacks. */
async function goOn(
  at: AccountAt,
  walker: Walker,
  hint: FetchContext,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  let leaf: Uint8Array | null | undefined
  while (leaf === undefined) {
    const ref: ContentRef = { kind: 'trie-node', hash: walker.missing }
    const bytes = await obtainState(at, ref, hint, signal)
    leaf = walker.walk(at.network.heldNode, bytes)
  }
  return leaf
}

/** A node or code of the state `at`; one that no source has is `no_state`. */
export async function obtainState(
  { network, block, address }: AccountAt,
  ref: ContentRef,
  hint: FetchContext,
  signal: AbortSignal,
): Promise<Uint8Array> {
  try {
    const { stateRoot, number } = block.header
    const at = { blockHash: block.hash, blockNumber: number, stateRoot, address }
    const where = { ...network.hint, ...hint, ...at }
    return await network.obtain(ref, where, signal)
  } catch (thrown) {
    if (!hasCode(thrown, 'not_found')) throw thrown
    const root = toBareHex(block.header.stateRoot)
    const detail = `missing trie node ${root} (path ) state 0x${root} is not available`
    throw new Fault('no_state', { detail, cause: thrown })
  }
}

// An account and some of its slots with the nodes that prove them (EIP-1186): the walk of state.ts with its nodes recorded. All
// slots share one walk to the account.
// Tested by src/rpc/methods/state/eth_getProof.test.ts
import {
  absentAccount,
  type AccountState,
  decodeAccountState,
  decodeStorageValue,
} from '../codec/ethereum/account-state.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import { completeRead } from './read.ts'
import { type AccountAt, decodeProved, walkState } from './state.ts'

/** Nodes from the root down; embedded nodes are part of their parent. Empty for an empty trie. */
type Proof = readonly Uint8Array[]

export type ProvedAccount = {
  /** `absentAccount` if the proof shows that the account does not exist. */
  readonly account: AccountState
  readonly proof: Proof
  /** In the order of the requested positions; `value`: 32 bytes. */
  readonly slots: readonly { readonly value: Uint8Array; readonly proof: Proof }[]
}

/** `positions`: 32 bytes each. Throws like `findAccount`. */
export async function proveAccount(
  at: AccountAt,
  positions: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<ProvedAccount> {
  const proof: Uint8Array[] = []
  const { stateRoot } = at.block.header
  const walk = walkState(at, stateRoot, keccak256(at.address), { slots: positions }, proof)
  const leaf = await completeRead(walk, signal)
  const account = leaf === null ? absentAccount : decodeProved(() => decodeAccountState(leaf))
  const slots = await Promise.all(
    positions.map((position) => proveSlot(at, account, position, signal)),
  )
  return { account, proof, slots }
}

async function proveSlot(
  at: AccountAt,
  { storageRoot }: AccountState,
  position: Uint8Array,
  signal: AbortSignal,
): Promise<ProvedAccount['slots'][number]> {
  const proof: Uint8Array[] = []
  const walk = walkState(at, storageRoot, keccak256(position), { slots: [position] }, proof)
  const leaf = await completeRead(walk, signal)
  return { value: leaf === null ? absentSlot : decodeProved(() => decodeStorageValue(leaf)), proof }
}

const absentSlot = new Uint8Array(32)

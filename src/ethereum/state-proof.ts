// An account and some of its slots together with the nodes that prove them (EIP-1186): the walk of state.ts,
// remembering what it walked through. One walk to the account serves all its slots.
// Tested by src/gateway/operations/rpc/state/eth_getProof.test.ts
import { Fault } from '../base/fault.ts'
import { equalBytes } from '../base/hex.ts'
import {
  absentAccount,
  type AccountState,
  decodeAccountState,
  decodeStorageValue,
  emptyTrieRoot,
} from '../codec/account-state.ts'
import { keccak256 } from '../codec/keccak.ts'
import { Malformed } from '../codec/malformed.ts'
import { toNibbles } from '../codec/trie-node.ts'
import type { ContentRef, FetchContext } from '../content/ref.ts'
import { completeRead, type Read } from './read.ts'
import { type AccountAt, readState } from './state.ts'
import { decodeProved, stepProved, walkNodesMax } from './walker.ts'

/** Nodes from the root down; nodes embedded in another are part of it. Empty for an empty trie. */
type Proof = readonly Uint8Array[]

export type ProvedAccount = {
  /** `absentAccount` when the proof shows that there is none. */
  readonly account: AccountState
  readonly proof: Proof
  /** In the order of the positions asked; `value`: 32 bytes. */
  readonly slots: readonly { readonly value: Uint8Array; readonly proof: Proof }[]
}

type Walked = { readonly leaf: Uint8Array | null; readonly proof: Proof }

/** `positions`: 32 bytes each. Throws as `findAccount`. */
export async function proveAccount(
  at: AccountAt,
  positions: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<ProvedAccount> {
  const trie = { root: at.block.header.stateRoot, key: keccak256(at.address) }
  const { leaf, proof } = await completeRead(walk(at, trie, { slots: positions }), signal)
  const account = leaf === null ? absentAccount : decodeProved(decodeAccountState, leaf)
  const slots = await Promise.all(
    positions.map(async (position) => {
      const trie = { root: account.storageRoot, key: keccak256(position) }
      const slot = await completeRead(walk(at, trie, { slots: [position] }), signal)
      const value =
        slot.leaf === null ? new Uint8Array(32) : decodeProved(decodeStorageValue, slot.leaf)
      return { value, proof: slot.proof }
    }),
  )
  return { account, proof, slots }
}

/** `leaf` null: the nodes of `proof` show that `key` (32 bytes) is absent. */
function* walk(
  at: AccountAt,
  { root, key }: { readonly root: Uint8Array; readonly key: Uint8Array },
  hint: FetchContext,
): Read<Walked> {
  const proof: Uint8Array[] = []
  if (equalBytes(root, emptyTrieRoot)) return { leaf: null, proof }
  let hash = root
  let path = toNibbles(key)
  while (proof.length < walkNodesMax) {
    const ref: ContentRef = { kind: 'trie-node', hash }
    const bytes = yield* readState(at, ref, hint)
    proof.push(bytes)
    const step = stepProved(bytes, path)
    if (step === 'absent') return { leaf: null, proof }
    if ('value' in step) return { leaf: step.value, proof }
    hash = step.next
    path = step.rest
  }
  throw new Fault('unverified', { cause: new Malformed(`a walk of at most ${walkNodesMax} nodes`) })
}

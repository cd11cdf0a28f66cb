// Creates an EVM over the stored state: one that runs block after block, or one for a single call.
// Tested by src/devchain/engine/engine.test.ts
import { Caches, type MerkleStateManager } from '@ethereumjs/statemanager'
import { ValueEncoding } from '@ethereumjs/util'
import type { Common } from '@ethereumjs/common'
import { type ForkedReads, ForkedState, ForkedTrie } from '../fork/forked-state.ts'
import { StateTrie } from './state-trie.ts'
import type { TrieDatabase } from './trie-database.ts'
import type { TimeSlice } from '../../evm/time-slice.ts'
import { SenderAwareState } from '../../evm/unsigned-sender.ts'
import { type BlockHashes, createVmOver, type StateVm } from '../../evm/vm-over-state.ts'

/** Over stored tries. */
export type TrieStateVm = StateVm<MerkleStateManager>

/**
 * Throws if `stateRoot` is not stored, unless the chain is a fork, for which it throws `ForkReadFailed`. The new EVM takes
 * ownership of `common`.
 */
export async function createStateVm(parts: {
  readonly common: Common
  readonly tries: TrieDatabase
  readonly index: BlockHashes
  readonly stateRoot: Uint8Array
  /** For a computation that shares its thread. */
  readonly slice?: TimeSlice
  /** For a forked chain, whose `tries` must allow missing nodes; null: every node is stored. */
  readonly forked?: ForkedReads | null
}): Promise<TrieStateVm> {
  const { common, tries, index, stateRoot, slice, forked = null } = parts
  const options = {
    db: tries,
    common,
    useKeyHashing: true,
    useRootPersistence: false,
    valueEncoding: ValueEncoding.Bytes,
  }
  // Without caches, the library would write the intermediate trie nodes of every transaction.
  const caches = new Caches()
  const state =
    forked === null
      ? new SenderAwareState({ common, trie: new StateTrie(options), caches })
      : new ForkedState({ common, trie: new ForkedTrie(options, forked), caches }, forked)
  await state.setStateRoot(stateRoot)
  return createVmOver(state, { common, index, ...(slice === undefined ? {} : { slice }) })
}

// Makes an EVM over the stored state: one that goes on from block to block, or one for a single call.
// Tested by src/devchain/vm/engine.test.ts
import { Caches, type MerkleStateManager } from '@ethereumjs/statemanager'
import { ValueEncoding } from '@ethereumjs/util'
import type { Common } from '@ethereumjs/common'
import { type ForkedReads, ForkedState, ForkedTrie } from '../fork/forked-state.ts'
import { StateTrie } from './state-trie.ts'
import type { TrieDatabase } from './trie-database.ts'
import type { TimeSlice } from './time-slice.ts'
import { SenderAwareState } from './unsigned-sender.ts'
import { type BlockHashes, createVmOver, type StateVm } from './vm-over-state.ts'

/** Over stored tries. */
export type TrieStateVm = StateVm<MerkleStateManager>

/**
 * `stateRoot` must be stored, unless the chain is a fork: throws otherwise, and `ForkReadFailed`. `common` belongs to the new EVM
 * from here on.
 */
export async function createStateVm(parts: {
  readonly common: Common
  readonly tries: TrieDatabase
  readonly index: BlockHashes
  readonly stateRoot: Uint8Array
  /** A computation that shares its thread. */
  readonly turn?: TimeSlice
  /** Of a forked chain, whose `tries` are made for one; null: every node is stored. */
  readonly forked?: ForkedReads | null
}): Promise<TrieStateVm> {
  const { common, tries, index, stateRoot, turn, forked = null } = parts
  const options = {
    db: tries,
    common,
    useKeyHashing: true,
    useRootPersistence: false,
    valueEncoding: ValueEncoding.Bytes,
  }
  // Without caches every transaction writes the nodes between it and the next.
  const caches = new Caches()
  const state =
    forked === null
      ? new SenderAwareState({ common, trie: new StateTrie(options), caches })
      : new ForkedState({ common, trie: new ForkedTrie(options, forked), caches }, forked)
  await state.setStateRoot(stateRoot)
  return createVmOver(state, { common, index, ...(turn === undefined ? {} : { turn }) })
}

// Makes an EVM over the stored state: one that goes on from block to block, or one for a single call.
// Tested by src/devchain/vm/engine.test.ts
import { Caches, type MerkleStateManager } from '@ethereumjs/statemanager'
import { ValueEncoding } from '@ethereumjs/util'
import type { Common, StateManagerInterface } from '@ethereumjs/common'
import type { EVMMockBlockchainInterface } from '@ethereumjs/evm'
import { createVM } from '@ethereumjs/vm'
import type { VM } from '@ethereumjs/vm'
import { StateTrie } from './state-trie.ts'
import type { TrieDatabase } from './trie-database.ts'
import type { TimeSlice } from './time-slice.ts'
import { SenderAwareState } from './unsigned-sender.ts'
import { stopForOthers } from './watch-opcodes.ts'

export type StateVm<State extends StateManagerInterface = StateManagerInterface> = {
  readonly vm: VM
  readonly state: State
}

/** Over stored tries. */
export type TrieStateVm = StateVm<MerkleStateManager>

/** The hash of a block by number, for BLOCKHASH; null: no such block. */
export type BlockHashes = { hashOf(number: bigint): Uint8Array | null | Promise<Uint8Array | null> }

/** `stateRoot` must be stored: throws otherwise. `common` belongs to the new EVM from here on. */
export async function createStateVm(parts: {
  readonly common: Common
  readonly tries: TrieDatabase
  readonly index: BlockHashes
  readonly stateRoot: Uint8Array
  /** A computation that shares its thread. */
  readonly turn?: TimeSlice
}): Promise<TrieStateVm> {
  const { common, tries, index, stateRoot, turn } = parts
  const trie = new StateTrie({
    db: tries,
    common,
    useKeyHashing: true,
    useRootPersistence: false,
    valueEncoding: ValueEncoding.Bytes,
  })
  // Without caches every transaction writes the nodes between it and the next.
  const state = new SenderAwareState({ common, trie, caches: new Caches() })
  await state.setStateRoot(stateRoot)
  return createVmOver(state, { common, index, ...(turn === undefined ? {} : { turn }) })
}

/** A fresh EVM over a state that others have worked on, maybe under other rules. */
export async function createVmOver<State extends StateManagerInterface>(
  state: State,
  parts: {
    readonly common: Common
    readonly index: BlockHashes
    readonly turn?: TimeSlice
  },
): Promise<StateVm<State>> {
  const { common, index, turn } = parts
  const vm = await createVM({ common, stateManager: state, blockchain: blockHashes(index) })
  if (turn !== undefined) stopForOthers(vm, turn)
  return { vm, state }
}

/** All that the EVM asks of a chain: the hash at a number, for BLOCKHASH. */
function blockHashes(index: BlockHashes): EVMMockBlockchainInterface {
  const chain: EVMMockBlockchainInterface = {
    async getBlock(number) {
      const hash = await index.hashOf(BigInt(number))
      if (hash === null) throw new Error(`no block ${number} on the chain`)
      return { hash: () => hash }
    },
    putBlock: async () => {},
    shallowCopy: () => chain,
  }
  return chain
}

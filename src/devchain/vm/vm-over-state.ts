// An EVM over any state.
// Tested by src/devchain/vm/engine.test.ts
import type { Common, StateManagerInterface } from '@ethereumjs/common'
import type { EVMMockBlockchainInterface } from '@ethereumjs/evm'
import { createVM, type VM } from '@ethereumjs/vm'
import type { PrecompileChanges } from './precompiles/op-precompiles.ts'
import type { TimeSlice } from './time-slice.ts'
import { stopForOthers } from './watch-opcodes.ts'

export type StateVm<State extends StateManagerInterface = StateManagerInterface> = {
  readonly vm: VM
  readonly state: State
}

/** The hash of a block by number, for BLOCKHASH; null: no such block. */
export type BlockHashes = { hashOf(number: bigint): Uint8Array | null | Promise<Uint8Array | null> }

/** A fresh EVM over a state that others have worked on, maybe under other rules. */
export async function createVmOver<State extends StateManagerInterface>(
  state: State,
  parts: {
    readonly common: Common
    readonly index: BlockHashes
    readonly turn?: TimeSlice
    /** To those of `common`. */
    readonly precompiles?: PrecompileChanges | null
  },
): Promise<StateVm<State>> {
  const { common, index, turn, precompiles = null } = parts
  const vm = await createVM({
    common,
    stateManager: state,
    blockchain: blockHashes(index),
    evmOpts: { customPrecompiles: precompiles?.added ?? [] },
  })
  if (turn !== undefined) stopForOthers(vm, turn)
  precompiles?.limitInputs(vm)
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

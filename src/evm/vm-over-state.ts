// Creates an EVM over any state.
// Tested by src/devchain/engine/engine.test.ts
import type { Common, StateManagerInterface } from '@ethereumjs/common'
import {
  EVM,
  type EVMMockBlockchainInterface,
  type getOpcodesForHF,
  NobleBN254,
} from '@ethereumjs/evm'
import { createVM, type VM } from '@ethereumjs/vm'
import type { PrecompileChanges } from './precompiles/op-precompiles.ts'
import type { TimeSlice } from './time-slice.ts'
import { addYieldPoints } from './watch-opcodes.ts'

export type StateVm<State extends StateManagerInterface = StateManagerInterface> = {
  readonly vm: VM
  readonly state: State
}

/** Returns the hash of a block by number, for BLOCKHASH; null: no such block. */
export type BlockHashes = { hashOf(number: bigint): Uint8Array | null | Promise<Uint8Array | null> }

/** A new EVM over an existing state, possibly under other rules. */
export async function createVmOver<State extends StateManagerInterface>(
  state: State,
  parts: {
    readonly common: Common
    readonly index: BlockHashes
    readonly slice?: TimeSlice
    /** Changes relative to those of `common`. */
    readonly precompiles?: PrecompileChanges | null
  },
): Promise<StateVm<State>> {
  const { common, index, slice, precompiles = null } = parts
  const blockchain = blockHashes(index)
  const evm = new TabledEvm({
    common,
    stateManager: state,
    blockchain,
    bn254: new NobleBN254(),
    customPrecompiles: precompiles?.added ?? [],
  })
  const vm = await createVM({ common, stateManager: state, blockchain, evm })
  if (slice !== undefined) addYieldPoints(vm, slice)
  precompiles?.limitInputs(vm)
  return { vm, state }
}

/**
 * Instruction tables by fork, for each schedule (all copies of its rules share the list of forks). The library builds the tables
 * for each EVM, which takes longer than a short call.
 */
const tables = new WeakMap<object, Map<string, ReturnType<typeof getOpcodesForHF>>>()

class TabledEvm extends EVM {
  override getActiveOpcodes(): ReturnType<typeof getOpcodesForHF>['opcodes'] {
    const forks = this.common.hardforks()
    const byFork = tables.get(forks) ?? new Map<string, ReturnType<typeof getOpcodesForHF>>()
    tables.set(forks, byFork)
    const fork = this.common.hardfork()
    const cached = byFork.get(fork)
    if (cached === undefined) {
      const opcodes = super.getActiveOpcodes()
      byFork.set(fork, {
        opcodes,
        dynamicGasHandlers: this._dynamicGasHandlers,
        handlers: this._handlers,
        opcodeMap: this._opcodeMap.slice(),
      })
      return opcodes
    }
    this._opcodes = cached.opcodes
    this._dynamicGasHandlers = cached.dynamicGasHandlers
    this._handlers = cached.handlers
    // Copy it, because watches replace its entries.
    this._opcodeMap = cached.opcodeMap.slice()
    return cached.opcodes
  }
}

/** The only chain access of the EVM: block hashes by number, for BLOCKHASH. */
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

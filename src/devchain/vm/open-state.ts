// The state after a kept block, for whatever only works things out: nothing of it is ever kept.
// Tested by src/devchain/vm/engine.test.ts
import type { Common } from '@ethereumjs/common'
import { Fault, hasCode } from '../../base/fault.ts'
import { toHex } from '../../base/hex.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import type { Header } from '../../codec/ethereum/header.ts'
import type { LocalStore } from '../../content/block-store.ts'
import type { ChainIndex } from '../chain-index.ts'
import type { ChainRules } from './chain-rules.ts'
import { createStateVm } from './chain-vm.ts'
import type { TrieStateVm } from './chain-vm.ts'
import { createTrieDatabase } from './trie-database.ts'
import type { TrieDatabase } from './trie-database.ts'
import type { PrecompileChanges } from './precompiles/op-precompiles.ts'
import type { TimeSlice } from './time-slice.ts'
import type { StateVm } from './vm-over-state.ts'

/** What every computation needs. */
export type CallParts = {
  readonly rules: ChainRules
  readonly callGasMax: bigint
  readonly states: States
}

/** The states that calls run on. */
type States = {
  /** Throws `unknown_block`. */
  headerOf(blockHash: Uint8Array): Header
  /** An EVM on the state after `header`, under the rules `common` with these changes. Throws `no_state`. */
  open(parts: {
    readonly common: Common
    readonly precompiles: PrecompileChanges | null
    readonly header: Header
    readonly turn: TimeSlice
  }): Promise<StateVm>
}

/** For computations that read the blocks and tries of the embedded chain. */
export type StoredParts = CallParts & { readonly store: LocalStore; readonly index: ChainIndex }

export function storedParts(parts: Omit<StoredParts, 'states'>): StoredParts {
  const stored: StoredParts = {
    ...parts,
    states: {
      headerOf: (blockHash) => headerOf(stored, blockHash),
      open: (asked) => openState(stored, asked),
    },
  }
  return stored
}

/** `tries`: the nodes of the state, also those that it has come to. */
export type OpenState = TrieStateVm & { readonly tries: TrieDatabase }

/** Throws `unknown_block`. */
export function headerOf({ store }: Pick<StoredParts, 'store'>, blockHash: Uint8Array): Header {
  const header = store.peek({ kind: 'header', hash: blockHash })
  if (header === null) throw new Fault('unknown_block')
  return decodeHeader(header)
}

/**
 * An EVM on the state after `header`, which knows the hashes of blocks `below` (default: the header's number).
 * Throws `no_state`.
 */
export async function openState(
  { store, index }: Pick<StoredParts, 'store' | 'index'>,
  parts: {
    readonly common: Common
    readonly header: Header
    readonly below?: bigint
    readonly turn: TimeSlice
  },
): Promise<OpenState> {
  const { common, header, below = header.number, turn } = parts
  const { stateRoot } = header
  // A block that a call only pretends to be in asks for hashes that no block has: zeros, as go-ethereum.
  const hashOf = (number: bigint) =>
    (number < below ? index.hashOf(number) : null) ?? new Uint8Array(32)
  const tries = createTrieDatabase(store)
  try {
    const machine = await createStateVm({ common, tries, index: { hashOf }, stateRoot, turn })
    return { ...machine, tries }
  } catch (cause) {
    if (hasCode(cause, 'damaged')) throw cause
    throw new Fault('no_state', { detail: `missing trie node ${toHex(stateRoot).slice(2)}`, cause })
  }
}

// Opens the state after a stored block for read-only executions: changes are never stored.
// Tested by src/devchain/engine/engine.test.ts
import type { Common } from '@ethereumjs/common'
import { Fault, hasCode } from '../../base/fault.ts'
import { toHex } from '../../base/hex.ts'
import { decodeHeader, encodeHeader } from '../../codec/ethereum/header.ts'
import type { Header } from '../../codec/ethereum/header.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import type { LocalStore } from '../../content/block-store.ts'
import type { ChainIndex } from '../chain-index.ts'
import type { ForkPoint } from '../fork/fork-point.ts'
import { ForkReadFailed, type ReadFork } from '../fork/fork-reads.ts'
import type { CallParts } from '../../evm/call-parts.ts'
import { createStateVm } from './chain-vm.ts'
import type { TrieStateVm } from './chain-vm.ts'
import { createTrieDatabase } from './trie-database.ts'
import type { TrieDatabase } from './trie-database.ts'
import type { TimeSlice } from '../../evm/time-slice.ts'

/** Dependencies of calls that read blocks and tries of the embedded chain. */
export type StoredParts = CallParts & {
  readonly store: LocalStore
  readonly index: ChainIndex
  /** Null: the chain has a genesis block of its own. */
  readonly fork: StoredFork | null
}

/** A fork and the function that reads its missing content. */
export type StoredFork = { readonly point: ForkPoint; readonly read: ReadFork }

export function storedParts(parts: Omit<StoredParts, 'states'>): StoredParts {
  const stored: StoredParts = {
    ...parts,
    states: {
      headerOf: (blockHash) => headerOf(stored, blockHash),
      open: (options) => openState(stored, options),
    },
  }
  return stored
}

/** `tries`: nodes of the state, including those of uncommitted changes. */
export type OpenState = TrieStateVm & { readonly tries: TrieDatabase }

/** Throws `unknown_block`. */
export function headerOf({ store }: Pick<StoredParts, 'store'>, blockHash: Uint8Array): Header {
  const header = store.peek({ kind: 'header', hash: blockHash })
  if (header === null) throw new Fault('unknown_block')
  return decodeHeader(header)
}

/**
 * An EVM on the state after `header`. BLOCKHASH works for numbers smaller than `below` (default: the header's number). Throws
 * `no_state`, and `ForkReadFailed`.
 */
export async function openState(
  { store, index, fork }: Pick<StoredParts, 'store' | 'index' | 'fork'>,
  parts: {
    readonly common: Common
    readonly header: Header
    readonly below?: bigint
    readonly slice: TimeSlice
  },
): Promise<OpenState> {
  const { common, header, below = header.number, slice } = parts
  const { stateRoot } = header
  // A call may run in a hypothetical block and read hashes of blocks that do not exist: zeros, as in go-ethereum.
  const hashOf = async (number: bigint) =>
    (number < below ? await hashAt(index, fork, number) : null) ?? new Uint8Array(32)
  const tries = createTrieDatabase(store, { isForked: fork !== null })
  const forked = fork === null ? null : { block: forkedBlockOf(header, fork), read: fork.read }
  try {
    const parts = { common, tries, index: { hashOf }, stateRoot, slice, forked }
    const machine = await createStateVm(parts)
    return { ...machine, tries }
  } catch (cause) {
    if (cause instanceof ForkReadFailed || hasCode(cause, 'damaged')) throw cause
    throw new Fault('no_state', { detail: `missing trie node ${toHex(stateRoot).slice(2)}`, cause })
  }
}

/** The hash of a canonical block; null: no such block. Throws `ForkReadFailed`. */
export async function hashAt(
  index: Pick<ChainIndex, 'hashOf'>,
  fork: StoredFork | null,
  number: bigint,
): Promise<Uint8Array | null> {
  if (fork === null || number >= fork.point.number) return index.hashOf(number)
  return await fork.read({ kind: 'hash', number })
}

/** `ForkRead.block` for a state: null for the forked block and later ones, whose missing content belongs to the forked state. */
function forkedBlockOf(header: Header, { point }: StoredFork): Uint8Array | null {
  return header.number < point.number ? keccak256(encodeHeader(header)) : null
}

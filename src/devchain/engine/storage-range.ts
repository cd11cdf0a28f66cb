// debug_storageRangeAt: a page of an account's storage directly before a transaction of a block of the chain.
// Tested by src/devchain/engine/storage-range.test.ts
import { runBlock } from '@ethereumjs/vm'
import { createAddressFromString } from '@ethereumjs/util'
import { Fault } from '../../base/fault.ts'
import { equalBytes, toBareHex, toHex } from '../../base/hex.ts'
import { emptyTrieRoot } from '../../codec/ethereum/account-state.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import { decodeEntries } from '../../codec/ethereum/list.ts'
import {
  type TrieChild,
  decodeTrieNode,
  fromNibbles,
  toNibbles,
} from '../../codec/ethereum/trie-node.ts'
import { decodeRlp } from '../../codec/ethereum/rlp.ts'
import type { StorageRange } from '../../chain/computation.ts'
import { NotLoaded } from '../fork/fork-reads.ts'
import { viewBlock } from '../../evm/block-view.ts'
import { headerOf, openState } from './open-state.ts'
import type { StoredParts, OpenState } from './open-state.ts'
import { beginBlock } from '../../evm/simulate/system-calls.ts'
import { Enough, readBlock } from './trace-block.ts'
import type { TimeSlice } from '../../evm/time-slice.ts'

/** `index`: of the transaction. `address`: 20 bytes. `start`: the first hashed key, 32 bytes. `max`: maximum number of slots. */
export type StorageRangeTask = {
  readonly blockHash: Uint8Array
  readonly index: number
  readonly address: Uint8Array
  readonly start: Uint8Array
  readonly max: number
}

/**
 * Null for an account without storage. Throws `unknown_block`, `pruned`, `no_state`, and `execution_failed` for the first
 * block of the chain or if the block has no transaction `index`.
 */
export async function readStorageRange(
  parts: StoredParts,
  task: StorageRangeTask,
  slice: TimeSlice,
): Promise<StorageRange | null> {
  const { blockHash, index } = task
  const stored = readBlock(parts, blockHash)
  const header = decodeHeader(stored.header)
  if (header.number === 0n) throw refused('no transaction in genesis')
  const count = decodeEntries(stored.transactions).length
  // For a block without transactions, index 0 means the state before a first transaction would run.
  if (index < 0 || index >= Math.max(count, 1)) {
    throw refused(`transaction index ${index} out of range for block ${toHex(blockHash)}`)
  }
  const common = parts.rules.at(header)
  const parent = headerOf(parts, header.parentHash)
  const machine = await openState(parts, { common, header: parent, below: header.number, slice })
  const block = viewBlock(stored, common)
  if (count === 0) {
    await beginBlock(machine, block, header)
    return await readPage(machine, task, slice)
  }
  let at = -1
  let page: Promise<StorageRange | null> | null = null
  // If a listener takes a second argument, the library waits until the listener calls it.
  machine.vm.events.on('beforeTx', (_transaction, next) => {
    at += 1
    if (at !== index) {
      next?.()
      return
    }
    page = readPage(machine, task, slice)
    // A failure is reported to the caller, which awaits `page`.
    page.then(
      () => next?.(),
      () => next?.(),
    )
  })
  machine.vm.events.on('beforeTx', () => {
    if (page !== null) throw new Enough()
  })
  try {
    await runBlock(machine.vm, {
      block,
      skipBlockValidation: true,
      skipHeaderValidation: true,
      clearCache: false,
    })
  } catch (error) {
    if (!(error instanceof Enough)) throw error
  }
  return await (page as Promise<StorageRange | null> | null)
}

function refused(detail: string): Fault {
  return new Fault('execution_failed', { detail })
}

async function readPage(
  { state, tries }: OpenState,
  { address, start, max }: StorageRangeTask,
  slice: TimeSlice,
): Promise<StorageRange | null> {
  // Changes of the replay are in caches: flush them to trie nodes, which are discarded together with this state.
  await state.flush()
  const account = await state.getAccount(createAddressFromString(toHex(address)))
  if (account === undefined || equalBytes(account.storageRoot, emptyTrieRoot)) return null
  const first = toNibbles(start)
  const slots: { readonly hashedKey: Uint8Array; readonly value: Uint8Array }[] = []

  /** Visits leaves in key order. Returns the hashed key after the page once it is known. */
  async function walk(child: TrieChild, path: readonly number[]): Promise<Uint8Array | null> {
    if (child === null || isBefore(path, first)) return null
    const node = child instanceof Uint8Array ? await load(child) : child
    switch (node.type) {
      case 'leaf': {
        const fullPath = [...path, ...node.path]
        if (isBefore(fullPath, first)) return null
        const hashedKey = fromNibbles(fullPath)
        if (slots.length >= max) return hashedKey
        slots.push({ hashedKey, value: wordOf(node.value) })
        return null
      }
      case 'extension':
        return await walk(node.child, [...path, ...node.path])
      case 'branch':
        for (const [nibble, below] of node.children.entries()) {
          const next = await walk(below, [...path, nibble])
          if (next !== null) return next
        }
        return null
    }
  }

  async function load(hash: Uint8Array) {
    await slice.yieldIfDue()
    const missing = (cause?: unknown): Fault =>
      new Fault('no_state', { detail: `missing trie node ${toBareHex(hash)}`, cause })
    try {
      const bytes = await tries.get(toBareHex(hash))
      if (bytes !== undefined) return decodeTrieNode(bytes)
    } catch (thrown) {
      // A fork cannot list unread storage: no proof of a known key contains the node.
      throw thrown instanceof NotLoaded ? missing(thrown) : thrown
    }
    throw missing()
  }

  const next = await walk(account.storageRoot, [])
  return { slots, next }
}

/** True if all keys that begin with `path` are before `first`. */
function isBefore(path: readonly number[], first: Uint8Array): boolean {
  for (const [at, nibble] of path.entries()) {
    const other = first[at] ?? 0
    if (nibble !== other) return nibble < other
  }
  return false
}

/** Decodes the RLP of a slot's value, which has no leading zeros, to 32 bytes. */
function wordOf(value: Uint8Array): Uint8Array {
  const bytes = decodeRlp(value) as Uint8Array
  const word = new Uint8Array(32)
  word.set(bytes, 32 - bytes.length)
  return word
}

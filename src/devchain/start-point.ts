// Finds the block at which an embedded chain resumes: the head of its row, or the last complete block below it if the content
// of the head is incomplete. Makes the first block if there is none.
import { equalBytes, toHex } from '../base/hex.ts'
import type { Log } from '../base/log.ts'
import { emptyTrieRoot } from '../codec/ethereum/account-state.ts'
import { decodeHeader } from '../codec/ethereum/header.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import type { ContentKind, ContentRef } from '../content/ref.ts'
import type { BlockStore } from '../content/block-store.ts'
import { firstBlockRows, rewindRows } from './chain-index.ts'
import type { BlockId, ChainIndex } from './chain-index.ts'
import { buildFirstBlock } from './first-block.ts'
import type { ForkPoint } from './fork/fork-point.ts'
import type { Genesis } from '../evm/genesis.ts'

/** Attempts to read a header. */
const headerReads = 3

export type StartOptions = {
  readonly network: string
  readonly genesis: Genesis
  readonly store: BlockStore
  readonly index: ChainIndex
  readonly log: Log
}

/** Throws an Error with a message for the operator if the data belongs to another genesis or is lost. */
export async function findStart(options: StartOptions): Promise<BlockId> {
  const { network, genesis, store, index } = options
  const first = buildFirstBlock(genesis)
  const head = index.head()
  if (head === null) {
    const block = { number: 0n, hash: first.hash }
    await store.put(first.items, firstBlockRows(network, block))
    return block
  }
  refuseOtherChain(network, index, first.hash)
  return await completeStart(options, head, { number: 0n, hash: first.hash })
}

/** The block at which a fork resumes. Throws as `findStart`. */
export async function resumeFork(
  options: Omit<StartOptions, 'genesis'>,
  point: ForkPoint,
): Promise<BlockId> {
  const head = options.index.head()
  if (head === null) throw new Error(`the fork of network "${options.network}" has no head`)
  return await completeStart(options, head, point)
}

/** `head`, or the last complete block below it, which becomes the head. `first`: the lowest block. */
async function completeStart(
  options: Omit<StartOptions, 'genesis'>,
  head: BlockId,
  first: BlockId,
): Promise<BlockId> {
  const { network, store, log } = options
  const complete = await lastComplete(options, head, first)
  if (complete !== null && complete.number === head.number) return head
  if (complete === null) {
    throw new Error(
      `no block of network "${network}" is complete in the data folder: restore a backup`,
    )
  }
  log('error', 'chain.rewound', {
    network,
    from: head.number,
    to: complete.number,
    reason: 'the head block is incomplete; blocks above the last complete one are discarded',
  })
  await store.put([], rewindRows(network, complete))
  return complete
}

/**
 * Throws an Error with a message for the operator if the first block of the stored chain is not `firstHash`, the hash of the
 * configured genesis.
 */
export function refuseOtherChain(network: string, index: ChainIndex, firstHash: Uint8Array): void {
  const stored = index.hashOf(0n)
  if (stored !== null && equalBytes(stored, firstHash)) return
  throw new Error(
    `the data folder holds another chain for network "${network}": its first block is ` +
      `${stored === null ? 'missing' : toHex(stored)}, the configured genesis gives ${toHex(firstHash)}. ` +
      'Use the genesis the folder was made with, or another data folder.',
  )
}

async function lastComplete(
  { store, index }: Omit<StartOptions, 'genesis'>,
  head: BlockId,
  first: BlockId,
): Promise<BlockId | null> {
  for (let at: BlockId | null = head; at !== null; at = below(index, at, first)) {
    // Of the forked block, which belongs to another chain, only the header and the state root are stored.
    const hasLists = at.number > first.number || first.number === 0n
    if (await isComplete(store, at, hasLists)) return at
  }
  return null
}

function below(
  index: ChainIndex,
  { number }: BlockId,
  { number: lowest }: BlockId,
): BlockId | null {
  for (let lower = number - 1n; lower >= lowest; lower -= 1n) {
    const hash = index.hashOf(lower)
    if (hash !== null) return { number: lower, hash }
  }
  return null
}

/** True if the header (with a correct hash), the state root, transactions and receipts are stored. */
async function isComplete(
  store: BlockStore,
  { number, hash }: BlockId,
  hasLists: boolean,
): Promise<boolean> {
  const bytes = await findProved(store, hash)
  if (bytes === null) return false
  const header = decodeHeader(bytes)
  const has = async (kind: ContentKind, root: Uint8Array) =>
    equalBytes(root, emptyTrieRoot) || (await isStored(store, { kind, hash: root }))
  return (
    header.number === number &&
    (await has('trie-node', header.stateRoot)) &&
    (!hasLists ||
      ((await has('transactions', header.transactionsRoot)) &&
        (await has('receipts', header.receiptsRoot))))
  )
}

/** Also true for a copy in quarantine: it may turn out to be intact, and then no block is discarded. */
async function isStored(store: BlockStore, ref: ContentRef): Promise<boolean> {
  return (await store.has(ref)) || (await store.get(ref, 'quarantined')) !== null
}

/** Reads the header several times, so that a transient read error does not discard blocks. */
async function findProved(store: BlockStore, hash: Uint8Array): Promise<Uint8Array | null> {
  const ref = { kind: 'header', hash } as const
  for (let read = 0; read < headerReads; read += 1) {
    const bytes = await (read === 0 ? store.get(ref) : store.get(ref, 'reread'))
    if (bytes !== null && equalBytes(keccak256(bytes), hash)) return bytes
  }
  const quarantined = await store.get(ref, 'quarantined')
  return quarantined !== null && equalBytes(keccak256(quarantined), hash) ? quarantined : null
}

// Finds where an embedded chain goes on: at its head row, or, when what that names is incomplete, at the last
// block below it that is whole. Makes the first block when there is none.
import { equalBytes, toHex } from '../base/hex.ts'
import type { Log } from '../base/log.ts'
import { emptyTrieRoot } from '../codec/ethereum/account-state.ts'
import { decodeHeader } from '../codec/ethereum/header.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import type { ContentKind, ContentRef } from '../content/ref.ts'
import type { BlockStore } from '../content/block-store.ts'
import { firstBlockRows, rewindRows } from './chain-index.ts'
import type { BlockPlace, ChainIndex } from './chain-index.ts'
import { buildFirstBlock } from './first-block.ts'
import type { ForkPoint } from './fork/fork-point.ts'
import type { Genesis } from './genesis.ts'

/** How often a header is read. */
const headerReads = 3

export type StartOptions = {
  readonly network: string
  readonly genesis: Genesis
  readonly store: BlockStore
  readonly index: ChainIndex
  readonly log: Log
}

/** Throws an Error with a sentence for the operator when the data belongs to another genesis or is lost. */
export async function findStart(options: StartOptions): Promise<BlockPlace> {
  const { network, genesis, store, index } = options
  const first = buildFirstBlock(genesis)
  const head = index.head()
  if (head === null) {
    const block = { number: 0n, hash: first.hash }
    await store.put(first.items, firstBlockRows(network, block))
    return block
  }
  refuseOtherChain(network, index, first.hash)
  return await wholeStart(options, head, { number: 0n, hash: first.hash })
}

/** Where a fork goes on. Throws as `findStart`. */
export async function resumeFork(
  options: Omit<StartOptions, 'genesis'>,
  point: ForkPoint,
): Promise<BlockPlace> {
  const head = options.index.head()
  if (head === null) throw new Error(`the fork of network "${options.network}" has no head`)
  return await wholeStart(options, head, point)
}

/** `head`, or the last block below it that is complete, which becomes the head; `first` is the lowest one. */
async function wholeStart(
  options: Omit<StartOptions, 'genesis'>,
  head: BlockPlace,
  first: BlockPlace,
): Promise<BlockPlace> {
  const { network, store, log } = options
  const whole = await lastWhole(options, head, first)
  if (whole !== null && whole.number === head.number) return head
  if (whole === null) {
    throw new Error(
      `no block of network "${network}" is complete in the data folder: restore a backup`,
    )
  }
  log('error', 'chain.rewound', {
    network,
    from: head.number,
    to: whole.number,
    reason: 'the head block is incomplete; blocks above the last complete one are given up',
  })
  await store.put([], rewindRows(network, whole))
  return whole
}

/**
 * Throws an Error with a sentence for the operator when the chain that is kept begins with another block than
 * `firstHash`, which the genesis of the settings gives.
 */
export function refuseOtherChain(network: string, index: ChainIndex, firstHash: Uint8Array): void {
  const kept = index.hashOf(0n)
  if (kept !== null && equalBytes(kept, firstHash)) return
  throw new Error(
    `the data folder holds another chain for network "${network}": its first block is ` +
      `${kept === null ? 'missing' : toHex(kept)}, the configured genesis gives ${toHex(firstHash)}. ` +
      'Use the genesis the folder was made with, or another data folder.',
  )
}

async function lastWhole(
  { store, index }: Omit<StartOptions, 'genesis'>,
  head: BlockPlace,
  first: BlockPlace,
): Promise<BlockPlace | null> {
  for (let at: BlockPlace | null = head; at !== null; at = below(index, at, first)) {
    // Of the block of another chain that this one is forked from, only the header and the root of the state are stored.
    const hasLists = at.number > first.number || first.number === 0n
    if (await isWhole(store, at, hasLists)) return at
  }
  return null
}

function below(
  index: ChainIndex,
  { number }: BlockPlace,
  { number: lowest }: BlockPlace,
): BlockPlace | null {
  for (let lower = number - 1n; lower >= lowest; lower -= 1n) {
    const hash = index.hashOf(lower)
    if (hash !== null) return { number: lower, hash }
  }
  return null
}

/** Header that hashes right, state root, transactions and receipts are there. */
async function isWhole(
  store: BlockStore,
  { number, hash }: BlockPlace,
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

/** A copy in quarantine may be good again, and costs no block. */
async function isStored(store: BlockStore, ref: ContentRef): Promise<boolean> {
  return (await store.has(ref)) || (await store.get(ref, 'quarantined')) !== null
}

/** A wrong read must not cost blocks: read again before the header is believed to be damaged. */
async function findProved(store: BlockStore, hash: Uint8Array): Promise<Uint8Array | null> {
  const ref = { kind: 'header', hash } as const
  for (let read = 0; read < headerReads; read += 1) {
    const bytes = await (read === 0 ? store.get(ref) : store.get(ref, 'reread'))
    if (bytes !== null && equalBytes(keccak256(bytes), hash)) return bytes
  }
  const quarantined = await store.get(ref, 'quarantined')
  return quarantined !== null && equalBytes(keccak256(quarantined), hash) ? quarantined : null
}

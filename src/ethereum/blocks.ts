// Reads blocks by hash over `obtain`: header, and the lists its roots commit to. Every byte given here was
// verified against the block hash the caller holds; empty lists are known by their roots, without asking.
import { Fault, hasCode } from '../base/fault.ts'
import { equalBytes } from '../base/hex.ts'
import { emptyTrieRoot, emptyUnclesHash } from '../codec/account-state.ts'
import { decodeHeader } from '../codec/header.ts'
import { entryAt } from '../codec/list.ts'
import { emptyRlpList } from '../codec/rlp.ts'
import { depositType } from '../codec/transaction.ts'
import type { ContentKind, ContentRef } from '../content/ref.ts'
import type { BlockRef } from './head.ts'
import type { Network } from './network.ts'
import type { BlockLists } from './block-object.ts'
import type { ProvedHeader } from './proved-header.ts'

export type { ProvedHeader } from './proved-header.ts'

/**
 * The header of `hash`, or null when no source knows that block. Throws what `obtain` throws except
 * `not_found`.
 */
export async function findHeader(
  network: Network,
  hash: Uint8Array,
  signal: AbortSignal,
): Promise<ProvedHeader | null> {
  const known = network.headers.find(hash)
  if (known !== null) return known
  try {
    const ref: ContentRef = { kind: 'header', hash }
    const hint = { ...network.hint, blockHash: hash }
    const bytes = network.held(ref) ?? (await network.obtain(ref, hint, signal))
    const block = { hash, bytes, header: decodeHeader(bytes) }
    network.headers.add(block)
    return block
  } catch (thrown) {
    if (hasCode(thrown, 'not_found')) return null
    throw thrown
  }
}

/** `findHeader` when it is at hand, else null. */
export function heldHeader(network: Network, hash: Uint8Array): ProvedHeader | null {
  const known = network.headers.find(hash)
  if (known !== null) return known
  const bytes = network.held({ kind: 'header', hash })
  if (bytes === null) return null
  const block = { hash, bytes, header: decodeHeader(bytes) }
  network.headers.add(block)
  return block
}

/** `readTransactionList` when it is at hand, else null. */
export function heldTransactionList(network: Network, { header }: ProvedHeader): Uint8Array | null {
  if (equalBytes(header.transactionsRoot, emptyTrieRoot)) return emptyRlpList
  return network.held({ kind: 'transactions', hash: header.transactionsRoot })
}

/**
 * Takes a new block that is at hand into memory, verified: most calls that follow ask about it. Whoever asks
 * finds out why when it is not; this never throws.
 */
export function rememberBlock(network: Network, { hash }: BlockRef): void {
  const bytes = network.held({ kind: 'header', hash })
  if (bytes === null) return
  const header = decodeHeader(bytes)
  network.headers.add({ hash, bytes, header })
  const lists = [
    { kind: 'transactions', hash: header.transactionsRoot },
    { kind: 'receipts', hash: header.receiptsRoot },
  ] as const
  for (const list of lists) if (!equalBytes(list.hash, emptyTrieRoot)) network.held(list)
}

/** As `findHeader`, but an unknown block is `unknown_block`. */
export async function getHeader(
  network: Network,
  hash: Uint8Array,
  signal: AbortSignal,
): Promise<ProvedHeader> {
  const found = await findHeader(network, hash, signal)
  if (found !== null) return found
  throw new Fault('unknown_block', { detail: 'header for hash not found' })
}

/** The transaction list as kept: one RLP list (see codec/list). Throws `pruned` when nobody has it. */
export async function readTransactionList(
  network: Network,
  block: ProvedHeader,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (equalBytes(block.header.transactionsRoot, emptyTrieRoot)) return emptyRlpList
  return await readBody(network, block, 'transactions', block.header.transactionsRoot, signal)
}

/** The receipts as kept: one RLP list. Throws `pruned` when nobody has it. */
export async function readReceiptList(
  network: Network,
  block: ProvedHeader,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (equalBytes(block.header.receiptsRoot, emptyTrieRoot)) return emptyRlpList
  return await readBody(network, block, 'receipts', block.header.receiptsRoot, signal)
}

/** The uncle headers as one RLP list. Throws `pruned` when nobody has it. */
export async function readUncleList(
  network: Network,
  block: ProvedHeader,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (equalBytes(block.header.unclesHash, emptyUnclesHash)) return emptyRlpList
  return await readBody(network, block, 'uncles', block.header.unclesHash, signal)
}

/** The withdrawals as one RLP list, or null for a block from before Shanghai. Throws `pruned`. */
export async function readWithdrawalList(
  network: Network,
  block: ProvedHeader,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const root = block.header.withdrawalsRoot
  if (root === undefined) return null
  if (equalBytes(root, emptyTrieRoot)) return emptyRlpList
  return await readBody(network, block, 'withdrawals', root, signal)
}

/**
 * All lists of a block, each as above; withdrawals null before Shanghai. One after the other: the reply that brings
 * the transactions has the others in it. Throws `pruned`.
 */
export async function readBlockLists(
  network: Network,
  block: ProvedHeader,
  signal: AbortSignal,
): Promise<BlockLists> {
  const transactions = await readTransactionList(network, block, signal)
  const [uncles, withdrawals] = await Promise.all([
    readUncleList(network, block, signal),
    isOfOpStack(transactions) && block.header.withdrawalsRoot !== undefined
      ? emptyRlpList
      : readWithdrawalList(network, block, signal),
  ])
  return { transactions, uncles, withdrawals }
}

/**
 * Every block of the OP stack begins with a deposit. Its blocks never have withdrawals; since Isthmus the header has
 * a storage root in their place, which says nothing about the list.
 */
function isOfOpStack(transactions: Uint8Array): boolean {
  return entryAt(transactions, 0)?.[0] === depositType
}

async function readBody(
  network: Network,
  block: ProvedHeader,
  kind: ContentKind,
  hash: Uint8Array,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const ref: ContentRef = { kind, hash }
  const held = network.held(ref)
  if (held !== null) return held
  try {
    const at = { blockHash: block.hash, blockNumber: block.header.number }
    return await network.obtain(ref, { ...network.hint, ...at }, signal)
  } catch (thrown) {
    // The block exists, so its body exists: a source that lacks it has pruned it (EIP-4444).
    if (hasCode(thrown, 'not_found')) {
      throw new Fault('pruned', { cause: thrown })
    }
    throw thrown
  }
}

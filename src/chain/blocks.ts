// Reads blocks by hash over `obtain`: the header, and the lists that its roots commit to. All returned bytes were
// verified against the caller's block hash; an empty list is recognized by its root, without a request.
import { Fault, hasCode } from '../base/fault.ts'
import { equalBytes } from '../base/hex.ts'
import { emptyTrieRoot, emptyUnclesHash } from '../codec/ethereum/account-state.ts'
import { decodeHeader } from '../codec/ethereum/header.ts'
import { entryAt } from '../codec/ethereum/list.ts'
import { emptyRlpList } from '../codec/ethereum/rlp.ts'
import { depositType } from '../codec/ethereum/system-transaction.ts'
import type { ContentRef } from '../content/ref.ts'
import type { BlockRef } from './head.ts'
import type { Network } from './network.ts'
import type { BlockLists } from './block-object.ts'
import type { ProvedHeader } from './proved-memory.ts'
import { fetched, type Read } from './read.ts'

export type { ProvedHeader } from './proved-memory.ts'

/**
 * The header of `hash`, or null when no source knows that block. Throws what `obtain` throws except
 * `not_found`.
 */
export function* findHeader(network: Network, hash: Uint8Array): Read<ProvedHeader | null> {
  const cached = network.headers.find(hash)
  if (cached !== null) return cached
  const ref: ContentRef = { kind: 'header', hash }
  const hint = { ...network.hint, blockHash: hash }
  try {
    const bytes =
      network.peek(ref) ?? (yield* fetched((signal) => network.obtain(ref, hint, signal)))
    const block = { hash, bytes, header: decodeHeader(bytes) }
    network.headers.add(block)
    return block
  } catch (thrown) {
    if (hasCode(thrown, 'not_found')) return null
    throw thrown
  }
}

/**
 * Caches a new block in memory, verified, because most calls that follow read it. Never throws: if the block is not
 * available, the call that reads it reports the reason.
 */
export function rememberBlock(network: Network, { hash }: BlockRef): void {
  const bytes = network.peek({ kind: 'header', hash })
  if (bytes === null) return
  const header = decodeHeader(bytes)
  network.headers.add({ hash, bytes, header })
  const lists = [
    { kind: 'transactions', hash: header.transactionsRoot },
    { kind: 'receipts', hash: header.receiptsRoot },
  ] as const
  for (const list of lists) if (!equalBytes(list.hash, emptyTrieRoot)) network.peek(list)
}

/** As `findHeader`, but an unknown block is `unknown_block`. */
export function* getHeader(network: Network, hash: Uint8Array): Read<ProvedHeader> {
  const found = yield* findHeader(network, hash)
  if (found !== null) return found
  throw new Fault('unknown_block', { detail: 'header for hash not found' })
}

/**
 * Throws `unprovable` for a block from before the first one whose roots contain its lists as nodes show them: classic blocks of
 * Arbitrum, the legacy chain of OP Mainnet, and Polygon until state sync was put under the roots (PIP-74).
 */
function refuseEarlyLists({ known }: Network, { header }: ProvedHeader): void {
  if (known === undefined || header.number >= known.listsFrom) return
  const detail = `lists of blocks before ${known.listsFrom} cannot be proved on ${known.title}`
  throw new Fault('unprovable', { detail })
}

/** The stored transaction list: one RLP list (see codec/list). Throws `unprovable`, and `pruned` if no source has it. */
export function* readTransactionList(network: Network, block: ProvedHeader): Read<Uint8Array> {
  refuseEarlyLists(network, block)
  const hash = block.header.transactionsRoot
  if (equalBytes(hash, emptyTrieRoot)) return emptyRlpList
  return yield* readBody(network, block, { kind: 'transactions', hash })
}

/** The stored receipts: one RLP list. Throws `unprovable`, and `pruned` if no source has it. */
export function* readReceiptList(network: Network, block: ProvedHeader): Read<Uint8Array> {
  refuseEarlyLists(network, block)
  const hash = block.header.receiptsRoot
  if (equalBytes(hash, emptyTrieRoot)) return emptyRlpList
  return yield* readBody(network, block, { kind: 'receipts', hash })
}

/** The uncle headers as one RLP list. Throws `pruned` if no source has it. */
export function* readUncleList(network: Network, block: ProvedHeader): Read<Uint8Array> {
  const hash = block.header.unclesHash
  if (equalBytes(hash, emptyUnclesHash)) return emptyRlpList
  return yield* readBody(network, block, { kind: 'uncles', hash })
}

/** The withdrawals as one RLP list, or null for a block before Shanghai. Throws `pruned`. */
export function* readWithdrawalList(
  network: Network,
  block: ProvedHeader,
): Read<Uint8Array | null> {
  const hash = block.header.withdrawalsRoot
  if (hash === undefined) return null
  if (equalBytes(hash, emptyTrieRoot)) return emptyRlpList
  return yield* readBody(network, block, { kind: 'withdrawals', hash })
}

/**
 * All lists of a block, each as above; withdrawals null before Shanghai. Read sequentially, because the reply with the
 * transactions contains the others. Throws `pruned`.
 */
export function* readBlockLists(network: Network, block: ProvedHeader): Read<BlockLists> {
  const transactions = yield* readTransactionList(network, block)
  const uncles = yield* readUncleList(network, block)
  const withdrawals =
    isOfOpStack(transactions) && block.header.withdrawalsRoot !== undefined
      ? emptyRlpList
      : yield* readWithdrawalList(network, block)
  return { transactions, uncles, withdrawals }
}

/**
 * True if the first transaction is a deposit, as in every block of the OP stack. Its blocks never have withdrawals;
 * since Isthmus the header has a storage root in place of their root.
 */
function isOfOpStack(transactions: Uint8Array): boolean {
  return entryAt(transactions, 0)?.[0] === depositType
}

function* readBody(network: Network, block: ProvedHeader, ref: ContentRef): Read<Uint8Array> {
  const bytes = network.peek(ref)
  if (bytes !== null) return bytes
  const at = { blockHash: block.hash, blockNumber: block.header.number }
  try {
    return yield* fetched((signal) => network.obtain(ref, { ...network.hint, ...at }, signal))
  } catch (thrown) {
    // The block exists, so its body exists: a source that lacks it has pruned it (EIP-4444).
    if (hasCode(thrown, 'not_found')) throw new Fault('pruned', { cause: thrown })
    throw thrown
  }
}

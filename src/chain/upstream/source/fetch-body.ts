// The lists of a block: transactions, withdrawals, uncles. Taken from the raw block, which contains all of them, if the upstream
// supplies it; otherwise encoded from JSON. Both are proved by the root in their header.
// Tested by src/chain/upstream/source/upstream-source.test.ts
import { equalBytes, toHex } from '../../../base/hex.ts'
import { emptyTrieRoot, emptyUnclesHash } from '../../../codec/ethereum/account-state.ts'
import { type BlockParts, splitBlock } from '../../../codec/ethereum/block.ts'
import { decodeHeader } from '../../../codec/ethereum/header.ts'
import { encodeUnclesJson } from '../../../codec/ethereum/header-json.ts'
import { arrayOf, bytesOf, type JsonRecord, recordOf } from '../../../codec/ethereum/json-fields.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import { Malformed } from '../../../codec/ethereum/rlp.ts'
import { encodeTransactionsJson } from '../../../codec/ethereum/transaction-json.ts'
import { encodeWithdrawalsJson } from '../../../codec/ethereum/withdrawal-json.ts'
import type { UnverifiedItem } from '../../../content/ref.ts'
import { auditHeader, auditTransactions } from './audit-json.ts'
import type { Contradiction } from './check-proof.ts'
import {
  invalidReplyOf,
  type RequestedList,
  type ListKind,
  offerList,
  type Reply,
  rootOf,
} from './offer-list.ts'
import type { RawCalls } from './raw-calls.ts'
import type { Upstream } from '../node/upstream.ts'
import type { AttemptOutcome } from '../pool/race-attempts.ts'

export type FetchBodyParts = {
  readonly raw: RawCalls
  /** Index of the transaction whose sender is recovered and compared. */
  readonly pick: (count: number) => number
}

/**
 * The header is proved before its lists are fetched, so an upstream that lacks the block has pruned it. Throws UpstreamError,
 * `Malformed`, `UnsupportedTransaction`.
 */
export async function fetchBody(
  { raw, pick }: FetchBodyParts,
  upstream: Upstream,
  request: RequestedList,
  signal: AbortSignal,
): Promise<AttemptOutcome | 'short'> {
  const { ref, block } = request
  const first = await raw.byHash(upstream, 'debug_getRawBlock', block.hash, signal)
  if (first !== null) return await offerRaw({ method: 'debug_getRawBlock', ...first }, request)
  const isFull = ref.kind === 'transactions'
  const call = { method: 'eth_getBlockByHash', params: [toHex(block.hash), isFull] }
  const result = await upstream.call(call.method, call.params, signal)
  if (result === null) return 'cannot'
  const json = recordOf(result, 'block')
  if (ref.kind === 'uncles') {
    const uncles = await callUncles(upstream, block.hash, json['uncles'], signal)
    if (uncles === null) return 'cannot'
    const reply = { method: uncleMethod, params: call.params.slice(0, 1), result: uncles }
    return await offerList(reply, request, { bytes: encodeUnclesJson(uncles) })
  }
  const reply = { ...call, result }
  if (ref.kind === 'withdrawals') {
    return await offerList(reply, request, { bytes: encodeWithdrawalsJson(json['withdrawals']) })
  }
  const bytes = encodeTransactionsJson(json['transactions'])
  const transactions = json['transactions'] as readonly JsonRecord[]
  return await offerList(reply, request, {
    bytes,
    more: withdrawalsOf(json),
    audit: () =>
      auditHeader(json, block.hash) ?? auditTransactions(transactions, bytes, block, pick),
  })
}

/** Bytes that are not a block also contradict its hash. */
async function offerRaw(reply: Reply, request: RequestedList): Promise<AttemptOutcome | 'short'> {
  const { ref, block } = request
  const bytes = bytesOf(reply.result, 'block')
  const parts = orNull(() => splitBlock(bytes))
  const expected = toHex(block.hash)
  if (parts === null) return invalidReplyOf(reply, request, { expected, computed: 'no block' })
  const computed = toHex(keccak256(parts.header))
  if (computed !== expected) return invalidReplyOf(reply, request, { expected, computed })
  const list = parts[ref.kind as Exclude<ListKind, 'receipts'>]
  if (list === null) {
    return invalidReplyOf(reply, request, { expected: toHex(ref.hash), computed: 'no withdrawals' })
  }
  const others = partsOf(parts, ref.kind)
  return await offerList(reply, request, {
    bytes: list,
    more: [
      { kind: 'header', bytes: parts.header },
      ...others.filter(({ ref }) => !isEmptyName(ref)),
    ],
    audit: () => firstContradiction(others),
  })
}

/** The first invalid list among those that were not requested. Ignores an empty list under another root (OP Stack: withdrawals). */
function firstContradiction(items: readonly UnverifiedItem[]): Contradiction | null {
  for (const { ref, bytes } of items) {
    const expected = toHex(ref.hash)
    const computed = rootOf(ref.kind, bytes)
    const isEmptyList = ref.kind === 'withdrawals' && bytes.length === 1
    if (!isEmptyList && computed !== expected) return { expected, computed }
  }
  return null
}

/** The other lists of a raw block. */
function partsOf(parts: BlockParts, kind: ListKind): UnverifiedItem[] {
  const { transactionsRoot, unclesHash, withdrawalsRoot } = decodeHeader(parts.header)
  const items: UnverifiedItem[] = [
    { ref: { kind: 'transactions', hash: transactionsRoot }, bytes: parts.transactions },
    { ref: { kind: 'uncles', hash: unclesHash }, bytes: parts.uncles },
  ]
  if (parts.withdrawals !== null && withdrawalsRoot !== undefined) {
    items.push({ ref: { kind: 'withdrawals', hash: withdrawalsRoot }, bytes: parts.withdrawals })
  }
  return items.filter(({ ref }) => ref.kind !== kind)
}

/** True for the hash of an empty list. Empty lists are never requested. */
function isEmptyName({ kind, hash }: UnverifiedItem['ref']): boolean {
  return equalBytes(hash, kind === 'uncles' ? emptyUnclesHash : emptyTrieRoot)
}

/** The withdrawals in a block's JSON with transactions, under the root in that JSON. */
function withdrawalsOf(json: Readonly<Record<string, unknown>>): UnverifiedItem[] {
  const { withdrawals, withdrawalsRoot } = json
  const item = orNull((): UnverifiedItem => {
    const hash = bytesOf(withdrawalsRoot, 'withdrawalsRoot', 32)
    return { ref: { kind: 'withdrawals', hash }, bytes: encodeWithdrawalsJson(withdrawals) }
  })
  return item === null || isEmptyName(item.ref) ? [] : [item]
}

/** A block has at most 2 uncles. Null if one of them is missing. */
async function callUncles(
  upstream: Upstream,
  blockHash: Uint8Array,
  hashes: unknown,
  signal: AbortSignal,
): Promise<readonly unknown[] | null> {
  const count = arrayOf(hashes, 'uncles', unclesMax).length
  const uncles: unknown[] = []
  for (let index = 0; index < count; index += 1) {
    const params = [toHex(blockHash), `0x${index.toString(16)}`]
    const uncle = await upstream.call(uncleMethod, params, signal)
    if (uncle === null) return null
    uncles.push(uncle)
  }
  return uncles
}

const uncleMethod = 'eth_getUncleByBlockHashAndIndex'
const unclesMax = 16

function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch (thrown) {
    if (thrown instanceof Malformed) return null
    throw thrown
  }
}

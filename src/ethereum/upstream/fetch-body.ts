// The lists of a block: transactions, withdrawals, uncles. Cut out of the raw block where the upstream gives it,
// which brings them all, else encoded out of JSON; both are proved by the root their header states.
// Tested by src/ethereum/upstream/upstream-source.test.ts
import { equalBytes, toHex } from '../../base/hex.ts'
import { emptyTrieRoot, emptyUnclesHash } from '../../codec/account-state.ts'
import { type BlockParts, splitBlock } from '../../codec/block.ts'
import { decodeHeader } from '../../codec/header.ts'
import { encodeUnclesJson } from '../../codec/header-json.ts'
import { arrayOf, bytesOf, recordOf } from '../../codec/json-fields.ts'
import { keccak256 } from '../../codec/keccak.ts'
import { decodeEntries } from '../../codec/list.ts'
import { Malformed } from '../../codec/malformed.ts'
import { orderedRoot } from '../../codec/ordered-trie.ts'
import { encodeTransactionsJson } from '../../codec/transaction-json.ts'
import { encodeWithdrawalsJson } from '../../codec/withdrawal-json.ts'
import type { Item } from '../../content/ref.ts'
import type { Nameless, Offer } from '../../content/source.ts'
import type { RawCalls } from './raw-calls.ts'
import type { Upstream } from './upstream.ts'
import type { Verdict } from './verdict.ts'

export type ListKind = 'transactions' | 'withdrawals' | 'uncles' | 'receipts'

/** One list of one block. `ref.hash`: the root, or for uncles the hash, that the block's header states. */
export type ListAsked = {
  readonly ref: { readonly kind: ListKind; readonly hash: Uint8Array }
  readonly blockHash: Uint8Array
  readonly offer: Offer
}

type Reply = {
  readonly method: string
  readonly params: readonly unknown[]
  readonly result: unknown
}

/** A header is known before its lists are: a block that is not there has only been pruned. Throws as above. */
export async function fetchBody(
  raw: RawCalls,
  upstream: Upstream,
  asked: ListAsked,
  signal: AbortSignal,
): Promise<Verdict> {
  const method = 'debug_getRawBlock'
  const first = await raw.byHash(upstream, method, asked.blockHash, signal)
  if (first !== null) return offerRaw({ method, ...first }, asked)
  const isFull = asked.ref.kind === 'transactions'
  const params = [toHex(asked.blockHash), isFull]
  const reply = {
    method: 'eth_getBlockByHash',
    params,
    result: await upstream.call('eth_getBlockByHash', params, signal),
  }
  if (reply.result === null) return 'cannot'
  const json = recordOf(reply.result, 'block')
  if (asked.ref.kind === 'uncles') {
    const uncles = await callUncles(upstream, asked.blockHash, json['uncles'], signal)
    if (uncles === null) return 'cannot'
    return offerList({ ...reply, result: uncles }, asked, encodeUnclesJson(uncles))
  }
  if (asked.ref.kind === 'withdrawals') {
    return offerList(reply, asked, encodeWithdrawalsJson(json['withdrawals']))
  }
  return offerList(reply, asked, encodeTransactionsJson(json['transactions']), withdrawalsOf(json))
}

/** Throws nothing on bytes that are no block: they contradict the hash too. */
function offerRaw(reply: Reply, asked: ListAsked): Verdict {
  const bytes = bytesOf(reply.result, 'block')
  const parts = orNull(() => splitBlock(bytes))
  if (parts === null) return lieOf(reply, asked, 'no block')
  const computed = keccak256(parts.header)
  if (!equalBytes(computed, asked.blockHash)) {
    const expected = toHex(asked.blockHash)
    return lieOf(reply, asked, toHex(computed), expected)
  }
  const list = parts[asked.ref.kind as Exclude<ListKind, 'receipts'>]
  if (list === null) return lieOf(reply, asked, 'no withdrawals')
  return offerList(reply, asked, list, partsOf(parts, asked.ref.kind))
}

/** What else a raw block brings. */
function partsOf(parts: BlockParts, kind: ListKind): (Item | Nameless)[] {
  const header = decodeHeader(parts.header)
  const { transactionsRoot, unclesHash, withdrawalsRoot } = header
  const items: (Item | Nameless)[] = [{ kind: 'header', bytes: parts.header }]
  const add = (ref: Item['ref'], bytes: Uint8Array, empty: Uint8Array): void => {
    if (ref.kind !== kind && !equalBytes(ref.hash, empty)) items.push({ ref, bytes })
  }
  add({ kind: 'transactions', hash: transactionsRoot }, parts.transactions, emptyTrieRoot)
  add({ kind: 'uncles', hash: unclesHash }, parts.uncles, emptyUnclesHash)
  if (parts.withdrawals !== null && withdrawalsRoot !== undefined) {
    add({ kind: 'withdrawals', hash: withdrawalsRoot }, parts.withdrawals, emptyTrieRoot)
  }
  return items
}

/** The withdrawals that a block with its transactions has in it anyway, under the name it gives them. */
function withdrawalsOf(json: Readonly<Record<string, unknown>>): Item[] {
  const { withdrawals, withdrawalsRoot } = json
  const item = orNull((): Item => {
    const hash = bytesOf(withdrawalsRoot, 'withdrawalsRoot', 32)
    return { ref: { kind: 'withdrawals', hash }, bytes: encodeWithdrawalsJson(withdrawals) }
  })
  return item === null || equalBytes(item.ref.hash, emptyTrieRoot) ? [] : [item]
}

/** A block has at most 2; null when one of them is not there. */
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
    const uncle = await upstream.call('eth_getUncleByBlockHashAndIndex', params, signal)
    if (uncle === null) return null
    uncles.push(uncle)
  }
  return uncles
}

const unclesMax = 16

/** Offers a list under the name asked for, and what else came with it. */
export function offerList(
  reply: Reply,
  asked: ListAsked,
  bytes: Uint8Array,
  more: readonly (Item | Nameless)[] = [],
): Verdict {
  if (asked.offer([{ ref: asked.ref, bytes }, ...more]) === 'taken') return 'taken'
  const root =
    asked.ref.kind === 'uncles' ? keccak256(bytes) : orNull(() => orderedRoot(decodeEntries(bytes)))
  return lieOf(reply, asked, root === null ? 'no list' : toHex(root))
}

function lieOf(
  { method, params, result }: Reply,
  { ref, blockHash }: ListAsked,
  computed: string,
  expected = toHex(ref.hash),
): Verdict {
  return { lie: { method, params, response: result, expected, computed, blockHash } }
}

function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch (thrown) {
    if (thrown instanceof Malformed) return null
    throw thrown
  }
}

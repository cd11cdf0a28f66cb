// Offers a list of a block: proved by the root in its header, or recorded as an invalid reply.
// Tested by src/chain/upstream/source/source-traps.test.ts
import { setImmediate } from 'node:timers/promises'
import { toHex } from '../../../base/hex.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import { decodeEntries } from '../../../codec/ethereum/list.ts'
import { Malformed } from '../../../codec/ethereum/rlp.ts'
import { orderedRoot } from '../../../codec/ethereum/ordered-trie.ts'
import type { ContentKind, UnverifiedItem } from '../../../content/ref.ts'
import type { Nameless, Offer } from '../../../content/source.ts'
import type { Contradiction } from './check-proof.ts'
import type { AttemptOutcome } from '../pool/race-attempts.ts'

export type ListKind = 'transactions' | 'withdrawals' | 'uncles' | 'receipts'

/** One list of one block. `ref.hash`: the root, or for uncles the hash, in the block's header. */
export type RequestedList = {
  readonly ref: { readonly kind: ListKind; readonly hash: Uint8Array }
  readonly block: { readonly hash: Uint8Array; readonly number: bigint | null }
  readonly offer: Offer
}

/** A call and its result. */
export type Reply = {
  readonly method: string
  readonly params: readonly unknown[]
  readonly result: unknown
}

export type ListOffer = {
  readonly bytes: Uint8Array
  /** Other content of the same reply. */
  readonly more?: readonly (UnverifiedItem | Nameless)[]
  /** Checks the rest of the reply after the list was taken and its readers have continued. */
  readonly audit?: () => Contradiction | null
}

/** `short`: the root matches, but the receiver refuses the list. */
export async function offerList(
  reply: Reply,
  request: RequestedList,
  { bytes, more = [], audit }: ListOffer,
): Promise<AttemptOutcome | 'short'> {
  if (request.offer([{ ref: request.ref, bytes }, ...more]) === 'taken') {
    if (audit === undefined) return 'taken'
    await setImmediate()
    const wrong = audit()
    return wrong === null ? 'taken' : invalidReplyOf(reply, request, wrong)
  }
  const computed = rootOf(request.ref.kind, bytes)
  const expected = toHex(request.ref.hash)
  return computed === expected ? 'short' : invalidReplyOf(reply, request, { expected, computed })
}

export function invalidReplyOf(
  { method, params, result }: Reply,
  { block }: RequestedList,
  differs: Contradiction,
): AttemptOutcome {
  return { invalidReply: { method, params, response: result, blockHash: block.hash, ...differs } }
}

/** The hash that names a list, as text: its root, or for uncles its hash. */
export function rootOf(kind: ContentKind, bytes: Uint8Array): string {
  if (kind === 'uncles') return toHex(keccak256(bytes))
  try {
    return toHex(orderedRoot(decodeEntries(bytes)))
  } catch (thrown) {
    if (thrown instanceof Malformed) return 'no list'
    throw thrown
  }
}

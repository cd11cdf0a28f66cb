// The transaction at an index of a proved block, for the operations that ask by place.
// Tested by src/gateway/operations/rpc/state/golden.test.ts
import { toHex } from '../../base/hex.ts'
import { entryAt } from '../../codec/list.ts'
import { heldTransactionList, type ProvedHeader } from '../../ethereum/blocks.ts'
import { readEntry } from '../../ethereum/list-entries.ts'
import type { FindSender } from '../../ethereum/sender-cache.ts'
import { renderTransaction } from '../../ethereum/transaction-object.ts'
import { placeIn, readTransaction } from '../../ethereum/transactions.ts'
import type { CallNow, RpcCall } from '../operation.ts'

/** The JSON object, or null when the proved list has no such index. Throws `pruned`, `unprovable`. */
export async function transactionAt(
  call: RpcCall,
  block: ProvedHeader,
  index: bigint,
  findSender: FindSender,
): Promise<unknown> {
  return renderAt(await entryOf(call, block, index), block, placeOf(index), findSender)
}

/** The same when the list is at hand, else undefined. */
export function transactionNow(
  call: CallNow,
  block: ProvedHeader,
  index: bigint,
  findSender: FindSender,
): unknown {
  const raw = entryNow(call, block, index)
  return raw === undefined ? undefined : renderAt(raw, block, placeOf(index), findSender)
}

/** The raw entry as hex; as in geth `0x`, not null, when the proved list has no such index. Throws as `transactionAt`. */
export async function rawTransactionAt(
  call: RpcCall,
  block: ProvedHeader,
  index: bigint,
): Promise<string> {
  return rawReply(await entryOf(call, block, index))
}

/** The same when the list is at hand, else undefined. */
export function rawTransactionNow(
  call: CallNow,
  block: ProvedHeader,
  index: bigint,
): string | undefined {
  const raw = entryNow(call, block, index)
  return raw === undefined ? undefined : rawReply(raw)
}

/** What geth answers for raw bytes: `0x` for none. */
export function rawReply(raw: Uint8Array | null): string {
  return raw === null ? '0x' : toHex(raw)
}

async function entryOf(
  call: RpcCall,
  block: ProvedHeader,
  index: bigint,
): Promise<Uint8Array | null> {
  const raw = await readEntry(call.network, block, 'transactions', placeOf(index), call.signal)
  call.labels.level('proof')
  return raw
}

function entryNow(
  call: CallNow,
  block: ProvedHeader,
  index: bigint,
): Uint8Array | null | undefined {
  const list = heldTransactionList(call.network, block)
  if (list === null) return undefined
  call.labels.level('proof')
  return entryAt(list, placeOf(index))
}

/** No list is as long as 2^53, above which a number would come back as another one. */
function placeOf(index: bigint): number {
  return index > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(index)
}

function renderAt(
  raw: Uint8Array | null,
  block: ProvedHeader,
  at: number,
  findSender: FindSender,
): unknown {
  if (raw === null) return null
  return renderTransaction(readTransaction(raw, findSender), placeIn(block, at))
}

// The transaction at an index of a proved block.
// Tested by src/rpc/methods/state/golden.test.ts
import { toHex } from '../../base/hex.ts'
import type { ProvedHeader } from '../../chain/blocks.ts'
import { readEntry } from '../../chain/list-entries.ts'
import type { Read } from '../../chain/read.ts'
import type { FindSender } from '../../chain/sender-cache.ts'
import type { ReadCall } from '../operation.ts'
import { shownTransaction } from './shown-transaction.ts'

/** The JSON object, or null if the proved list has no such index. Throws `pruned`, `unprovable`. */
export function* transactionAt(
  call: ReadCall,
  block: ProvedHeader,
  index: bigint,
  findSender: FindSender,
): Read<unknown> {
  const raw = yield* entryOf(call, block, index)
  if (raw === null) return null
  return yield* shownTransaction(call, block, { raw, index: clampIndex(index) }, findSender)
}

/** The raw entry as hex. As in geth `0x`, not null, if the proved list has no such index. Throws as `transactionAt`. */
export function* rawTransactionAt(
  call: ReadCall,
  block: ProvedHeader,
  index: bigint,
): Read<string> {
  return rawReply(yield* entryOf(call, block, index))
}

/** geth's result for raw bytes: `0x` if there are none. */
export function rawReply(raw: Uint8Array | null): string {
  return raw === null ? '0x' : toHex(raw)
}

function* entryOf(call: ReadCall, block: ProvedHeader, index: bigint): Read<Uint8Array | null> {
  const raw = yield* readEntry(call.network, block, 'transactions', clampIndex(index))
  call.labels.level('proof')
  return raw
}

/** Clamps the index: above 2^53 a number would change its value, and no list is that long. */
function clampIndex(index: bigint): number {
  return index > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(index)
}

// The receipts of a block: as bytes where the upstream gives them, else encoded out of JSON.
// Tested by src/ethereum/upstream/upstream-source.test.ts
import { toHex } from '../../base/hex.ts'
import { arrayOf, bytesOf } from '../../codec/json-fields.ts'
import { encodeEntries, entriesMax } from '../../codec/list.ts'
import { encodeReceiptsJson } from '../../codec/receipt-json.ts'
import { type ListAsked, offerList } from './fetch-body.ts'
import type { RawCalls } from './raw-calls.ts'
import type { Upstream } from './upstream.ts'
import type { Verdict } from './verdict.ts'

/** A block that is not there has only been pruned. Throws UpstreamError, `Malformed`. */
export async function fetchReceipts(
  raw: RawCalls,
  upstream: Upstream,
  asked: ListAsked,
  signal: AbortSignal,
): Promise<Verdict> {
  const method = 'debug_getRawReceipts'
  const first = await raw.byHash(upstream, method, asked.blockHash, signal)
  if (first !== null) {
    const entries = arrayOf(first.result, 'receipts', entriesMax)
    const bytes = encodeEntries(entries.map((entry) => bytesOf(entry, 'receipt')))
    return offerList({ method, ...first }, asked, bytes)
  }
  const params = [toHex(asked.blockHash)]
  const result = await upstream.call('eth_getBlockReceipts', params, signal)
  if (result === null) return 'cannot'
  const reply = { method: 'eth_getBlockReceipts', params, result }
  return offerList(reply, asked, encodeReceiptsJson(result))
}

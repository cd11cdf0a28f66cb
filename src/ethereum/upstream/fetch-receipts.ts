// The receipts of a block: as bytes where the upstream gives them, else encoded out of JSON.
// Tested by src/ethereum/upstream/upstream-source.test.ts
import { toHex } from '../../base/hex.ts'
import { arrayOf, bytesOf, type JsonRecord } from '../../codec/json-fields.ts'
import { encodeEntries, entriesMax } from '../../codec/list.ts'
import { encodeReceiptsJson } from '../../codec/receipt-json.ts'
import { auditReceipts } from './audit-json.ts'
import { type ListAsked, offerList } from './offer-list.ts'
import type { RawCalls } from './raw-calls.ts'
import type { Upstream } from './upstream.ts'
import type { Verdict } from './verdict.ts'

/** A block that is not there has only been pruned. Throws UpstreamError, `Malformed`, `UnsupportedTransaction`. */
export async function fetchReceipts(
  raw: RawCalls,
  upstream: Upstream,
  asked: ListAsked,
  signal: AbortSignal,
): Promise<Verdict | 'short'> {
  const { block } = asked
  const method = 'debug_getRawReceipts'
  const first = await raw.byHash(upstream, method, block.hash, signal)
  if (first !== null) {
    const entries = arrayOf(first.result, 'receipts', entriesMax)
    const bytes = encodeEntries(entries.map((entry) => bytesOf(entry, 'receipt')))
    return await offerList({ method, ...first }, asked, { bytes })
  }
  const call = { method: 'eth_getBlockReceipts', params: [toHex(block.hash)] }
  const result = await upstream.call(call.method, call.params, signal)
  if (result === null) return 'cannot'
  const bytes = encodeReceiptsJson(result)
  const audit = () => auditReceipts(result as readonly JsonRecord[], block)
  return await offerList({ ...call, result }, asked, { bytes, audit })
}

// The receipts of a block: as bytes if the upstream supplies them, otherwise encoded from JSON, block by block or, from
// nodes without that method (development chains), transaction by transaction.
// Tested by src/chain/upstream/source/upstream-source.test.ts
import { toHex } from '../../../base/hex.ts'
import { arrayOf, bytesOf, type JsonRecord, recordOf } from '../../../codec/ethereum/json-fields.ts'
import { encodeEntries, entriesMax } from '../../../codec/ethereum/list.ts'
import { encodeReceiptsJson } from '../../../codec/ethereum/receipt-json.ts'
import { auditReceipts } from './audit-json.ts'
import { type RequestedList, offerList, type Reply } from './offer-list.ts'
import type { RawCalls } from './raw-calls.ts'
import { UpstreamError } from '../node/upstream-error.ts'
import type { Upstream } from '../node/upstream.ts'
import type { AttemptOutcome } from '../pool/race-attempts.ts'

/** An upstream that lacks the block has pruned it. Throws UpstreamError, `Malformed`, `UnsupportedTransaction`. */
export async function fetchReceipts(
  raw: RawCalls,
  upstream: Upstream,
  request: RequestedList,
  signal: AbortSignal,
): Promise<AttemptOutcome | 'short'> {
  const { block } = request
  const method = 'debug_getRawReceipts'
  const first = await raw.byHash(upstream, method, block.hash, signal)
  if (first !== null) {
    const entries = arrayOf(first.result, 'receipts', entriesMax)
    const bytes = encodeEntries(entries.map((entry) => bytesOf(entry, 'receipt')))
    return await offerList({ method, ...first }, request, { bytes })
  }
  const reply = await callReceipts(upstream, toHex(block.hash), signal)
  if (reply === null) return 'cannot'
  const bytes = encodeReceiptsJson(reply.result)
  const audit = () => auditReceipts(reply.result as readonly JsonRecord[], block)
  return await offerList(reply, request, { bytes, audit })
}

/** Null if the upstream does not return them. */
async function callReceipts(
  upstream: Upstream,
  blockHash: string,
  signal: AbortSignal,
): Promise<Reply | null> {
  const blockReceipts = { method: 'eth_getBlockReceipts', params: [blockHash] }
  try {
    const result = await upstream.call(blockReceipts.method, blockReceipts.params, signal)
    return result === null ? null : { ...blockReceipts, result }
  } catch (thrown) {
    if (!(thrown instanceof UpstreamError) || thrown.kind !== 'unsupported') throw thrown
    return await callOneByOne(upstream, blockHash, signal)
  }
}

/** Limit for blocks requested one receipt at a time; a full mainnet block has some hundreds. */
const receiptsMax = 2_048
const atOnce = 16

/** The upstream's transaction list is not proved; the receipts root decides. */
async function callOneByOne(
  upstream: Upstream,
  blockHash: string,
  signal: AbortSignal,
): Promise<Reply | null> {
  const block = await upstream.call('eth_getBlockByHash', [blockHash, false], signal)
  if (block === null) return null
  const hashes = arrayOf(recordOf(block, 'block')['transactions'], 'transactions', receiptsMax)
  const method = 'eth_getTransactionReceipt'
  const receipts: unknown[] = []
  for (let at = 0; at < hashes.length; at += atOnce) {
    const some = hashes.slice(at, at + atOnce)
    receipts.push(...(await Promise.all(some.map((hash) => upstream.call(method, [hash], signal)))))
  }
  return receipts.includes(null) ? null : { method, params: hashes, result: receipts }
}

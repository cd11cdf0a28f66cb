// How a method may be treated when an upstream fails (verification.md 4). Listing a method only adds rights: what is
// not listed may be a write, so it is sent once, to one upstream, and shared with nobody.
import type { UpstreamErrorKind } from './upstream-error.ts'

/**
 * - `content`: brings bytes that are proved. `read`: a known read that cannot be proved. `trace`: `debug_`, `trace_`.
 * - `send`: a signed transaction. `sticky`: lives on one upstream (filters, subscriptions). `unlisted`: anything else.
 */
export type MethodClass = 'content' | 'read' | 'send' | 'sticky' | 'trace' | 'unlisted'

export const methodClasses: readonly MethodClass[] = [
  'content',
  'read',
  'send',
  'sticky',
  'trace',
  'unlisted',
]

const content: ReadonlySet<string> = new Set([
  'debug_getRawBlock',
  'debug_getRawHeader',
  'debug_getRawReceipts',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getCode',
  'eth_getProof',
  'eth_getUncleByBlockHashAndIndex',
])

const read: ReadonlySet<string> = new Set([
  'debug_getRawTransaction',
  'eth_baseFee',
  'eth_blobBaseFee',
  'eth_blockNumber',
  'eth_call',
  'eth_capabilities',
  'eth_chainId',
  'eth_config',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_fillTransaction',
  'eth_getHeaderByHash',
  'eth_getHeaderByNumber',
  'eth_getLogs',
  'eth_getRawTransactionByBlockHashAndIndex',
  'eth_getRawTransactionByBlockNumberAndIndex',
  'eth_getRawTransactionByHash',
  'eth_getStorageAt',
  'eth_getStorageValues',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_getUncleByBlockNumberAndIndex',
  'eth_getUncleCountByBlockHash',
  'eth_getUncleCountByBlockNumber',
  'eth_maxPriorityFeePerGas',
  'eth_syncing',
  'net_listening',
  'net_peerCount',
  'net_version',
  'txpool_content',
  'txpool_contentFrom',
  'txpool_inspect',
  'txpool_status',
  'web3_clientVersion',
])

const sticky: ReadonlySet<string> = new Set([
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_newBlockFilter',
  'eth_newFilter',
  'eth_newPendingTransactionFilter',
  'eth_subscribe',
  'eth_uninstallFilter',
  'eth_unsubscribe',
])

/** `debug_setHead` and its like change the node: only these names are traces. */
const tracePrefixes: readonly string[] = ['debug_trace', 'trace_']

/** Other methods that only read, and that can take as long as a trace. */
const longReads: ReadonlySet<string> = new Set([
  'debug_accountRange',
  'debug_getAccessibleState',
  'debug_getBadBlocks',
  'debug_getModifiedAccountsByHash',
  'debug_getModifiedAccountsByNumber',
  'debug_intermediateRoots',
  'debug_printBlock',
  'debug_storageRangeAt',
  'eth_simulateV1',
])

export function classOf(method: string): MethodClass {
  if (content.has(method)) return 'content'
  if (read.has(method)) return 'read'
  if (method === 'eth_sendRawTransaction') return 'send'
  if (sticky.has(method)) return 'sticky'
  const isTrace = tracePrefixes.some((prefix) => method.startsWith(prefix))
  return isTrace || longReads.has(method) ? 'trace' : 'unlisted'
}

/** Callers of the same may share one exchange. Content is shared by its hash, above. */
export function isShared(methodClass: MethodClass): boolean {
  return methodClass === 'read' || methodClass === 'trace'
}

/** A reset of a reused socket may be answered by asking again. */
export function isRead(methodClass: MethodClass): boolean {
  return methodClass === 'content' || methodClass === 'read' || methodClass === 'trace'
}

/** What another upstream may do better. Nothing that is the EVM's or the caller's own doing. */
const elsewhere: ReadonlySet<UpstreamErrorKind> = new Set([
  'rate_limit',
  'billing',
  'credentials',
  'no_tag',
  'proof_window',
  'pruned',
  'missing_state',
  'unknown_block',
  'not_canonical',
  'unsupported',
  'trouble',
  'not_asked',
])
/** It refused before it worked. */
const refusals: ReadonlySet<UpstreamErrorKind> = new Set([
  'rate_limit',
  'billing',
  'credentials',
  'unsupported',
  'not_asked',
])

/** May the same call be sent to another upstream after this failure? */
export function mayRetryElsewhere(
  methodClass: MethodClass,
  failure: { readonly kind: UpstreamErrorKind; readonly phase: 'unsent' | 'sent' | 'answering' },
): boolean {
  const { kind, phase } = failure
  switch (methodClass) {
    case 'content':
      // Proved by hash, so odd nodes are worth passing by too.
      return kind !== 'execution'
    case 'read':
      return elsewhere.has(kind)
    case 'trace':
      return refusals.has(kind) || (kind === 'trouble' && phase !== 'answering')
    case 'unlisted':
      return kind === 'unsupported' || phase === 'unsent'
    case 'send':
    case 'sticky':
      return false
  }
}

// The reads that a network of upstreams hands on, and how each names its block. Listing a method
// only adds rights: what is not here is relayed as if it could write.
// Tested by src/rpc/relay/upstream-operations.test.ts
import type { PinForm, RelayClass } from '../../chain/relay.ts'
import type { CallPlace } from '../params/relayed-calls.ts'

/** `hash`: the caller names the block by its hash, so that it is pinned as it is. */
type BlockForm = PinForm | 'hash'

export type RelayedMethod = {
  readonly name: string
  readonly units: number
  readonly class: RelayClass
  /** Position and spelling of the block parameter; absent: the method names none. */
  readonly block?: { readonly at: number; readonly form: BlockForm }
  /** Where an address list finds the accounts that it judges; absent: the list does not apply. */
  readonly calls?: CallPlace
  /** Most params it takes. Absent: the upstream checks them. */
  readonly paramsMax?: number
}

const onState = (at: number): Pick<RelayedMethod, 'block'> => ({ block: { at, form: 'object' } })
const byNumber = (at: number): Pick<RelayedMethod, 'block'> => ({ block: { at, form: 'number' } })

function row(
  name: string,
  units: number,
  rest: Partial<Omit<RelayedMethod, 'name' | 'units'>> = {},
): RelayedMethod {
  return { name, units, class: 'read', ...rest }
}

const trace = { class: 'trace' } as const

/** Never proved: what needs an EVM, a pool, or the node itself. */
export const relayedMethods: readonly RelayedMethod[] = [
  row('eth_call', 80, { ...onState(1), calls: 'first' }),
  row('eth_estimateGas', 300, { ...onState(1), calls: 'first' }),
  row('eth_createAccessList', 80, { ...onState(1), calls: 'first' }),
  row('eth_capabilities', 80),
  row('eth_fillTransaction', 300, { calls: 'first' }),
  row('eth_gasPrice', 80),
  row('eth_maxPriorityFeePerGas', 80),
  row('eth_feeHistory', 80, byNumber(1)),
  row('eth_baseFee', 80),
  row('eth_blobBaseFee', 300),
  row('eth_config', 80),
  row('txpool_status', 80),
  row('txpool_content', 80),
  row('txpool_contentFrom', 80),
  row('txpool_inspect', 80),
  row('eth_simulateV1', 1000, { ...trace, ...onState(1), calls: 'simulated' }),
  row('debug_accountRange', 1000, { ...trace, ...onState(0), calls: 'anywhere' }),
  row('debug_getAccessibleState', 1000, trace),
  // Nodes of geth write a file for its param.
  row('debug_getBadBlocks', 1000, { ...trace, paramsMax: 0 }),
  row('debug_getModifiedAccountsByHash', 1000, trace),
  row('debug_getModifiedAccountsByNumber', 1000, trace),
  row('debug_intermediateRoots', 1000, trace),
  row('debug_printBlock', 1000, trace),
  row('debug_storageRangeAt', 1000, { ...trace, calls: 'anywhere' }),
  row('debug_traceBadBlock', 1000, trace),
  row('debug_traceBlock', 1000, trace),
  row('debug_traceBlockByHash', 1000, trace),
  row('debug_traceBlockByNumber', 1000, { ...trace, ...byNumber(0) }),
  row('debug_traceCall', 1000, { ...trace, ...onState(1), calls: 'first' }),
  row('debug_traceTransaction', 1000, trace),
  row('trace_block', 300, { ...trace, ...byNumber(0) }),
  row('trace_call', 300, { ...trace, ...byNumber(2), calls: 'first' }),
  row('trace_callMany', 300, { ...trace, ...byNumber(1), calls: 'anywhere' }),
  row('trace_filter', 300, { ...trace, calls: 'anywhere' }),
  row('trace_transaction', 300, trace),
]

/** What is proved where it can be, and how the same is asked for where it cannot. */
export const provableMethods: ReadonlyMap<string, RelayedMethod['block'] | null> = new Map([
  ['eth_getStorageAt', { at: 2, form: 'object' }],
  ['eth_getBalance', { at: 1, form: 'object' }],
  ['eth_getCode', { at: 1, form: 'object' }],
  ['eth_getTransactionCount', { at: 1, form: 'object' }],
  ['eth_getProof', { at: 2, form: 'object' }],
  ['eth_getStorageValues', { at: 1, form: 'object' }],
  ['eth_getBlockReceipts', { at: 0, form: 'object' }],
  ['eth_getBlockByNumber', { at: 0, form: 'number' }],
  ['eth_getBlockTransactionCountByNumber', { at: 0, form: 'number' }],
  ['eth_getTransactionByBlockNumberAndIndex', { at: 0, form: 'number' }],
  ['eth_getUncleCountByBlockNumber', { at: 0, form: 'number' }],
  ['eth_getUncleByBlockNumberAndIndex', { at: 0, form: 'number' }],
  ['debug_getRawBlock', { at: 0, form: 'object' }],
  ['debug_getRawHeader', { at: 0, form: 'object' }],
  ['debug_getRawReceipts', { at: 0, form: 'object' }],
  ['eth_getBlockByHash', { at: 0, form: 'hash' }],
  ['eth_getBlockTransactionCountByHash', { at: 0, form: 'hash' }],
  ['eth_getTransactionByBlockHashAndIndex', { at: 0, form: 'hash' }],
  ['eth_getUncleCountByBlockHash', { at: 0, form: 'hash' }],
  ['eth_getUncleByBlockHashAndIndex', { at: 0, form: 'hash' }],
  ['eth_getHeaderByHash', { at: 0, form: 'hash' }],
  ['eth_getHeaderByNumber', { at: 0, form: 'number' }],
  ['eth_getRawTransactionByBlockHashAndIndex', { at: 0, form: 'hash' }],
  ['eth_getRawTransactionByBlockNumberAndIndex', { at: 0, form: 'number' }],
  ['eth_getRawTransactionByHash', null],
  ['eth_getTransactionByHash', null],
  ['eth_getTransactionReceipt', null],
  ['debug_getRawTransaction', null],
])

/** The reads above that walk the state, which default nodes can prove near the head only. */
export const stateMethods: ReadonlySet<string> = new Set([
  'eth_getStorageAt',
  'eth_getBalance',
  'eth_getCode',
  'eth_getTransactionCount',
  'eth_getProof',
  'eth_getStorageValues',
])

/** Those that a header alone answers. */
export const headerMethods: ReadonlySet<string> = new Set([
  'debug_getRawHeader',
  'eth_getHeaderByHash',
  'eth_getHeaderByNumber',
])

// The signature of every JSON-RPC operation: what it is given, what it answers, in one line each.
// Tested by src/rpc/open-rpc/open-rpc.test.ts
import * as of from './types.ts'
import type { WireType } from './types.ts'

export type ParamShape = {
  readonly name: string
  readonly type: WireType
  readonly required: boolean
}

export type MethodShape = {
  readonly summary: string
  readonly params: readonly ParamShape[]
  readonly result: WireType
}

const needs = (name: string, type: WireType): ParamShape => ({ name, type, required: true })
const takes = (name: string, type: WireType): ParamShape => ({ name, type, required: false })

function shape(summary: string, params: readonly ParamShape[], result: WireType): MethodShape {
  return { summary, params, result }
}

const atBlock = takes('block', of.block)
const call = needs('call', of.callRequest)
const overrides = [takes('stateOverrides', of.stateOverrides)]
const bothOverrides = [...overrides, takes('blockOverrides', of.blockOverrides)]
const byHash = needs('blockHash', of.blockHash)
const byNumber = needs('block', of.blockNumber)
const byTransaction = needs('transactionHash', of.transactionHash)
const index = needs('index', of.quantity)
const full = needs('fullTransactions', of.flag)
const account = needs('address', of.address)
const filter = needs('filter', of.filterId)
const traced = takes('config', of.traceConfig)
const changes = of.list(of.either('Change', of.log, of.blockHash))

/** By wire name. */
export const methodShapes: Readonly<Record<string, MethodShape>> = {
  debug_getRawBlock: shape('RLP of a block.', [needs('block', of.block)], of.bytes),
  debug_getRawHeader: shape('RLP of a header.', [needs('block', of.block)], of.bytes),
  debug_getRawReceipts: shape(
    'Receipts of a block as they are hashed.',
    [needs('block', of.block)],
    of.list(of.bytes),
  ),
  debug_getRawTransaction: shape('A transaction as it was signed.', [byTransaction], of.bytes),
  debug_storageRangeAt: shape(
    'Slots of an account before a transaction, by the hash of their keys.',
    [
      needs('block', of.block),
      needs('index', of.integer),
      account,
      needs('start', of.bytes),
      needs('max', of.integer),
    ],
    of.object,
  ),
  debug_traceBlock: shape(
    'How a block would run that is given as RLP.',
    [needs('block', of.bytes), traced],
    of.list(of.object),
  ),
  debug_traceBlockByHash: shape('How a block ran.', [byHash, traced], of.list(of.object)),
  debug_traceBlockByNumber: shape('How a block ran.', [byNumber, traced], of.list(of.object)),
  debug_traceCall: shape(
    'How a call would run.',
    [call, needs('block', of.block), traced],
    of.object,
  ),
  debug_traceTransaction: shape('How a transaction ran.', [byTransaction, traced], of.object),
  eth_accounts: shape('Always none: keys are not held here.', [], of.list(of.address)),
  eth_baseFee: shape('Base fee of the next block.', [], of.quantity),
  eth_blobBaseFee: shape('Blob base fee of the next block.', [], of.quantity),
  eth_blockNumber: shape('Number of the newest block.', [], of.quantity),
  eth_call: shape('What a call would answer.', [call, atBlock, ...bothOverrides], of.bytes),
  eth_capabilities: shape(
    'The newest block, and since which block each kind of data is there.',
    [],
    of.object,
  ),
  eth_chainId: shape('The chain id (EIP-155).', [], of.quantity),
  eth_config: shape('Forks and what they turn on (EIP-7910).', [], of.object),
  eth_createAccessList: shape(
    'The accounts and slots that a call reads (EIP-2930).',
    [call, atBlock, ...overrides],
    of.object,
  ),
  eth_estimateGas: shape(
    'The gas that a call needs.',
    [call, atBlock, ...bothOverrides],
    of.quantity,
  ),
  eth_feeHistory: shape(
    'Fees of the last blocks.',
    [
      needs('blockCount', of.quantity),
      needs('newestBlock', of.blockNumber),
      needs('rewardPercentiles', of.percentiles),
    ],
    of.object,
  ),
  eth_fillTransaction: shape(
    'A transaction with the nonce, gas and fees that it lacks, to be signed.',
    [needs('transaction', of.callRequest)],
    of.object,
  ),
  eth_gasPrice: shape('A price that is likely to be taken.', [], of.quantity),
  eth_getBalance: shape('Balance of an account, in wei.', [account, atBlock], of.quantity),
  eth_getBlockByHash: shape('A block.', [byHash, full], of.orNull(of.blockObject)),
  eth_getBlockByNumber: shape('A block.', [byNumber, full], of.orNull(of.blockObject)),
  eth_getBlockReceipts: shape(
    'Receipts of a block.',
    [needs('block', of.block)],
    of.orNull(of.list(of.receipt)),
  ),
  eth_getBlockTransactionCountByHash: shape(
    'How many transactions a block has.',
    [byHash],
    of.orNull(of.quantity),
  ),
  eth_getBlockTransactionCountByNumber: shape(
    'How many transactions a block has.',
    [byNumber],
    of.orNull(of.quantity),
  ),
  eth_getCode: shape('Code of an account.', [account, atBlock], of.bytes),
  eth_getFilterChanges: shape('What is new since the last poll.', [filter], changes),
  eth_getFilterLogs: shape('All logs of a filter.', [filter], of.list(of.log)),
  eth_getHeaderByHash: shape('A header.', [byHash], of.orNull(of.headerObject)),
  eth_getHeaderByNumber: shape('A header.', [byNumber], of.orNull(of.headerObject)),
  eth_getLogs: shape(
    'Logs of a range of blocks.',
    [needs('filter', of.logFilter)],
    of.list(of.log),
  ),
  eth_getProof: shape(
    'An account and slots with the trie nodes that prove them (EIP-1186).',
    [account, needs('storageKeys', of.storageKeys), atBlock],
    of.accountProof,
  ),
  eth_getRawTransactionByBlockHashAndIndex: shape(
    'One transaction of a block as it was signed; 0x for none.',
    [byHash, index],
    of.bytes,
  ),
  eth_getRawTransactionByBlockNumberAndIndex: shape(
    'One transaction of a block as it was signed; 0x for none.',
    [byNumber, index],
    of.bytes,
  ),
  eth_getRawTransactionByHash: shape(
    'A transaction as it was signed; 0x for none.',
    [byTransaction],
    of.bytes,
  ),
  eth_getStorageAt: shape(
    'The 32 bytes in a slot.',
    [account, needs('position', of.position), atBlock],
    of.word,
  ),
  eth_getStorageValues: shape(
    'Slots of many accounts at one block.',
    [needs('slots', of.slotsByAddress), atBlock],
    of.object,
  ),
  eth_getTransactionByBlockHashAndIndex: shape(
    'One transaction of a block.',
    [byHash, index],
    of.orNull(of.transaction),
  ),
  eth_getTransactionByBlockNumberAndIndex: shape(
    'One transaction of a block.',
    [byNumber, index],
    of.orNull(of.transaction),
  ),
  eth_getTransactionByHash: shape('A transaction.', [byTransaction], of.orNull(of.transaction)),
  eth_getTransactionCount: shape('Nonce of an account.', [account, atBlock], of.quantity),
  eth_getTransactionReceipt: shape(
    'What became of a transaction.',
    [byTransaction],
    of.orNull(of.receipt),
  ),
  eth_getUncleByBlockHashAndIndex: shape(
    'An uncle of a block.',
    [byHash, index],
    of.orNull(of.object),
  ),
  eth_getUncleByBlockNumberAndIndex: shape(
    'An uncle of a block.',
    [byNumber, index],
    of.orNull(of.object),
  ),
  eth_getUncleCountByBlockHash: shape('How many uncles.', [byHash], of.orNull(of.quantity)),
  eth_getUncleCountByBlockNumber: shape('How many uncles.', [byNumber], of.orNull(of.quantity)),
  eth_hashrate: shape('Always 0.', [], of.quantity),
  eth_maxPriorityFeePerGas: shape('A tip that is likely to be taken.', [], of.quantity),
  eth_mining: shape('Always false.', [], of.flag),
  eth_newBlockFilter: shape('A filter of new blocks.', [], of.filterId),
  eth_newFilter: shape('A filter of logs.', [needs('filter', of.logFilter)], of.filterId),
  eth_newPendingTransactionFilter: shape(
    'A filter of what waits for a block.',
    [takes('fullTransactions', of.flag)],
    of.filterId,
  ),
  eth_pendingTransactions: shape(
    'Always none: what waits of accounts whose keys the server holds.',
    [],
    of.list(of.transaction),
  ),
  eth_protocolVersion: shape('The version of the wire protocol.', [], of.anything),
  eth_requestAccounts: shape('Always none: keys are not held here.', [], of.list(of.address)),
  eth_sendRawTransaction: shape(
    'Takes a signed transaction.',
    [needs('transaction', of.bytes)],
    of.transactionHash,
  ),
  eth_sendRawTransactionSync: shape(
    'Takes a signed transaction and answers with its receipt (EIP-7966).',
    [needs('transaction', of.bytes), takes('timeoutMs', of.milliseconds)],
    of.receipt,
  ),
  eth_simulateV1: shape(
    'Blocks of calls, one upon the other, on top of a block.',
    [needs('simulation', of.simulation), atBlock],
    of.list(of.object),
  ),
  eth_subscribe: shape(
    'Events over a WebSocket: newHeads, logs, newPendingTransactions, syncing.',
    [needs('name', of.text), takes('options', of.subscription)],
    of.filterId,
  ),
  eth_syncing: shape('False: there is nothing to catch up with.', [], of.anything),
  eth_uninstallFilter: shape('Ends a filter.', [filter], of.flag),
  eth_unsubscribe: shape('Ends a subscription.', [filter], of.flag),
  evm_mine: shape('Makes a block now, on the embedded chain.', [], of.text),
  net_listening: shape('Always true.', [], of.flag),
  net_peerCount: shape('How many peers.', [], of.quantity),
  net_version: shape('The chain id in decimal.', [], of.text),
  'rpc.discover': shape('This document (OpenRPC).', [], of.object),
  txpool_content: shape('All that waits for a block.', [], of.object),
  txpool_contentFrom: shape('What an account has waiting.', [account], of.object),
  txpool_inspect: shape('What waits, a line each.', [], of.object),
  txpool_status: shape('How many wait.', [], of.object),
  web3_clientVersion: shape('Which software answers.', [], of.text),
  web3_sha3: shape('keccak256.', [needs('data', of.bytes)], of.word),
}

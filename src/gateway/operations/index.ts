// The table of JSON-RPC operations Cairn answers itself. A new method is one file and one line here.
import type { Clock } from '../../base/clock.ts'
import type { FindSender } from '../../ethereum/sender-cache.ts'
import { createFilters } from '../filters.ts'
import { openRpc } from '../open-rpc/open-rpc.ts'
import type { RpcOperation } from '../operation.ts'
import { debugGetRawBlock } from './rpc/debug/debug_getRawBlock.ts'
import { debugGetRawHeader } from './rpc/debug/debug_getRawHeader.ts'
import { debugGetRawReceipts } from './rpc/debug/debug_getRawReceipts.ts'
import { debugGetRawTransaction } from './rpc/debug/debug_getRawTransaction.ts'
import { debugStorageRangeAt } from './rpc/debug/debug_storageRangeAt.ts'
import { debugTraceBlock } from './rpc/debug/debug_traceBlock.ts'
import { debugTraceBlockByHash } from './rpc/debug/debug_traceBlockByHash.ts'
import { debugTraceBlockByNumber } from './rpc/debug/debug_traceBlockByNumber.ts'
import { debugTraceCall } from './rpc/debug/debug_traceCall.ts'
import { debugTraceTransaction } from './rpc/debug/debug_traceTransaction.ts'
import { ethAccounts } from './rpc/transactions/eth_accounts.ts'
import { ethBaseFee } from './rpc/fees/eth_baseFee.ts'
import { ethBlobBaseFee } from './rpc/fees/eth_blobBaseFee.ts'
import { ethBlockNumber } from './rpc/blocks/eth_blockNumber.ts'
import { ethCall } from './rpc/calls/eth_call.ts'
import { ethCapabilities } from './rpc/net/eth_capabilities.ts'
import { ethChainId } from './rpc/net/eth_chainId.ts'
import { ethConfig } from './rpc/net/eth_config.ts'
import { ethCreateAccessList } from './rpc/calls/eth_createAccessList.ts'
import { ethEstimateGas } from './rpc/calls/eth_estimateGas.ts'
import { ethFeeHistory } from './rpc/fees/eth_feeHistory.ts'
import { ethFillTransaction } from './rpc/transactions/eth_fillTransaction.ts'
import { ethGasPrice } from './rpc/fees/eth_gasPrice.ts'
import { ethGetBalance } from './rpc/state/eth_getBalance.ts'
import { createEthGetBlockByHash } from './rpc/blocks/eth_getBlockByHash.ts'
import { createEthGetBlockByNumber } from './rpc/blocks/eth_getBlockByNumber.ts'
import { createEthGetBlockReceipts } from './rpc/blocks/eth_getBlockReceipts.ts'
import { ethGetBlockTransactionCountByHash } from './rpc/blocks/eth_getBlockTransactionCountByHash.ts'
import { ethGetBlockTransactionCountByNumber } from './rpc/blocks/eth_getBlockTransactionCountByNumber.ts'
import { ethGetCode } from './rpc/state/eth_getCode.ts'
import { ethGetHeaderByHash } from './rpc/blocks/eth_getHeaderByHash.ts'
import { ethGetHeaderByNumber } from './rpc/blocks/eth_getHeaderByNumber.ts'
import { createEthGetLogs } from './rpc/logs/eth_getLogs.ts'
import { ethGetProof } from './rpc/state/eth_getProof.ts'
import { ethGetRawTransactionByBlockHashAndIndex } from './rpc/transactions/eth_getRawTransactionByBlockHashAndIndex.ts'
import { ethGetRawTransactionByBlockNumberAndIndex } from './rpc/transactions/eth_getRawTransactionByBlockNumberAndIndex.ts'
import { ethGetRawTransactionByHash } from './rpc/transactions/eth_getRawTransactionByHash.ts'
import { ethGetStorageAt } from './rpc/state/eth_getStorageAt.ts'
import { ethGetStorageValues } from './rpc/state/eth_getStorageValues.ts'
import { createEthGetTransactionByBlockHashAndIndex } from './rpc/transactions/eth_getTransactionByBlockHashAndIndex.ts'
import { createEthGetTransactionByBlockNumberAndIndex } from './rpc/transactions/eth_getTransactionByBlockNumberAndIndex.ts'
import { createEthGetTransactionByHash } from './rpc/transactions/eth_getTransactionByHash.ts'
import { ethGetTransactionCount } from './rpc/state/eth_getTransactionCount.ts'
import { createEthGetTransactionReceipt } from './rpc/transactions/eth_getTransactionReceipt.ts'
import { ethGetUncleByBlockHashAndIndex } from './rpc/blocks/eth_getUncleByBlockHashAndIndex.ts'
import { ethGetUncleByBlockNumberAndIndex } from './rpc/blocks/eth_getUncleByBlockNumberAndIndex.ts'
import { ethGetUncleCountByBlockHash } from './rpc/blocks/eth_getUncleCountByBlockHash.ts'
import { ethGetUncleCountByBlockNumber } from './rpc/blocks/eth_getUncleCountByBlockNumber.ts'
import { ethHashrate } from './rpc/blocks/eth_hashrate.ts'
import { ethMaxPriorityFeePerGas } from './rpc/fees/eth_maxPriorityFeePerGas.ts'
import { ethMining } from './rpc/blocks/eth_mining.ts'
import { ethPendingTransactions } from './rpc/transactions/eth_pendingTransactions.ts'
import { ethProtocolVersion } from './rpc/net/eth_protocolVersion.ts'
import { ethRequestAccounts } from './rpc/transactions/eth_requestAccounts.ts'
import { ethSendRawTransaction } from './rpc/transactions/eth_sendRawTransaction.ts'
import { createEthSendRawTransactionSync } from './rpc/transactions/eth_sendRawTransactionSync.ts'
import { ethSimulateV1 } from './rpc/calls/eth_simulateV1.ts'
import { ethSubscribe } from './rpc/logs/eth_subscribe.ts'
import { ethSyncing } from './rpc/net/eth_syncing.ts'
import { ethUnsubscribe } from './rpc/logs/eth_unsubscribe.ts'
import { createEthGetFilterChanges } from './rpc/logs/eth_getFilterChanges.ts'
import { createEthGetFilterLogs } from './rpc/logs/eth_getFilterLogs.ts'
import { createEthNewBlockFilter } from './rpc/logs/eth_newBlockFilter.ts'
import { createEthNewFilter } from './rpc/logs/eth_newFilter.ts'
import { createEthNewPendingTransactionFilter } from './rpc/logs/eth_newPendingTransactionFilter.ts'
import { createEthUninstallFilter } from './rpc/logs/eth_uninstallFilter.ts'
import { evmMine } from './rpc/blocks/evm_mine.ts'
import { netListening } from './rpc/net/net_listening.ts'
import { netPeerCount } from './rpc/net/net_peerCount.ts'
import { netVersion } from './rpc/net/net_version.ts'
import { createRpcDiscover } from './rpc/net/rpc_discover.ts'
import { txpoolContent } from './rpc/txpool/txpool_content.ts'
import { txpoolContentFrom } from './rpc/txpool/txpool_contentFrom.ts'
import { txpoolInspect } from './rpc/txpool/txpool_inspect.ts'
import { txpoolStatus } from './rpc/txpool/txpool_status.ts'
import { createWeb3ClientVersion } from './rpc/net/web3_clientVersion.ts'
import { web3Sha3 } from './rpc/net/web3_sha3.ts'

export type RpcOperationsOptions = {
  /** The whole answer of web3_clientVersion: `Cairn/v<version>/...`. */
  readonly clientVersion: string
  /** Bounds how long a search may take. */
  readonly clock: Clock
  readonly findSender: FindSender
}

/** Operations by wire name. Those of filters share one memory of them. */
export function createRpcOperations({
  clientVersion,
  clock,
  findSender,
}: RpcOperationsOptions): ReadonlyMap<string, RpcOperation<unknown>> {
  const filters = createFilters(clock)
  let document: unknown = null
  const operations: readonly RpcOperation<unknown>[] = [
    debugGetRawBlock,
    debugGetRawHeader,
    debugGetRawReceipts,
    debugGetRawTransaction,
    debugStorageRangeAt,
    debugTraceBlock,
    debugTraceBlockByHash,
    debugTraceBlockByNumber,
    debugTraceCall,
    debugTraceTransaction,
    ethAccounts,
    ethBaseFee,
    ethBlobBaseFee,
    ethBlockNumber,
    ethCall,
    ethCapabilities,
    ethChainId,
    ethConfig,
    ethCreateAccessList,
    ethEstimateGas,
    ethFeeHistory,
    ethFillTransaction,
    ethGasPrice,
    ethGetBalance,
    createEthGetBlockByHash(findSender),
    createEthGetBlockByNumber(findSender),
    createEthGetBlockReceipts(findSender),
    ethGetBlockTransactionCountByHash,
    ethGetBlockTransactionCountByNumber,
    ethGetCode,
    ethGetHeaderByHash,
    ethGetHeaderByNumber,
    createEthGetLogs(clock),
    ethGetProof,
    ethGetRawTransactionByBlockHashAndIndex,
    ethGetRawTransactionByBlockNumberAndIndex,
    ethGetRawTransactionByHash,
    ethGetStorageAt,
    ethGetStorageValues,
    createEthGetTransactionByBlockHashAndIndex(findSender),
    createEthGetTransactionByBlockNumberAndIndex(findSender),
    createEthGetTransactionByHash(findSender),
    ethGetTransactionCount,
    createEthGetTransactionReceipt(findSender),
    ethGetUncleByBlockHashAndIndex,
    ethGetUncleByBlockNumberAndIndex,
    ethGetUncleCountByBlockHash,
    ethGetUncleCountByBlockNumber,
    ethHashrate,
    ethMaxPriorityFeePerGas,
    ethMining,
    ethPendingTransactions,
    ethProtocolVersion,
    ethRequestAccounts,
    ethSendRawTransaction,
    createEthSendRawTransactionSync(findSender, clock),
    ethSimulateV1,
    ethSubscribe,
    ethSyncing,
    ethUnsubscribe,
    createEthGetFilterChanges(filters),
    createEthGetFilterLogs(filters, clock),
    createEthNewBlockFilter(filters),
    createEthNewFilter(filters, clock),
    createEthNewPendingTransactionFilter(filters),
    createEthUninstallFilter(filters),
    evmMine,
    netListening,
    netPeerCount,
    netVersion,
    createRpcDiscover(() => (document ??= openRpc(operations, versionIn(clientVersion)))),
    txpoolContent,
    txpoolContentFrom,
    txpoolInspect,
    txpoolStatus,
    createWeb3ClientVersion(clientVersion),
    web3Sha3,
  ]
  return new Map(operations.map((operation) => [operation.name, operation]))
}

/** `Cairn/v0.1.0/linux-x64/node24` -> `0.1.0`. */
function versionIn(clientVersion: string): string {
  return /^Cairn\/v([^/]+)/.exec(clientVersion)?.[1] ?? '0'
}

// The table of JSON-RPC operations Cairn answers itself. A new method is one file and one line here.
import type { Clock } from '../../base/clock.ts'
import type { FindSender } from '../../ethereum/sender-cache.ts'
import { createFilters } from '../filters.ts'
import { openRpc } from '../open-rpc/open-rpc.ts'
import type { RpcOperation } from '../operation.ts'
import { debugGetRawBlock } from './debug_getRawBlock.ts'
import { debugGetRawHeader } from './debug_getRawHeader.ts'
import { debugGetRawReceipts } from './debug_getRawReceipts.ts'
import { debugGetRawTransaction } from './debug_getRawTransaction.ts'
import { debugStorageRangeAt } from './debug_storageRangeAt.ts'
import { debugTraceBlock } from './debug_traceBlock.ts'
import { debugTraceBlockByHash } from './debug_traceBlockByHash.ts'
import { debugTraceBlockByNumber } from './debug_traceBlockByNumber.ts'
import { debugTraceCall } from './debug_traceCall.ts'
import { debugTraceTransaction } from './debug_traceTransaction.ts'
import { ethAccounts } from './eth_accounts.ts'
import { ethBaseFee } from './eth_baseFee.ts'
import { ethBlobBaseFee } from './eth_blobBaseFee.ts'
import { ethBlockNumber } from './eth_blockNumber.ts'
import { ethCall } from './eth_call.ts'
import { ethCapabilities } from './eth_capabilities.ts'
import { ethChainId } from './eth_chainId.ts'
import { ethConfig } from './eth_config.ts'
import { ethCreateAccessList } from './eth_createAccessList.ts'
import { ethEstimateGas } from './eth_estimateGas.ts'
import { ethFeeHistory } from './eth_feeHistory.ts'
import { ethFillTransaction } from './eth_fillTransaction.ts'
import { ethGasPrice } from './eth_gasPrice.ts'
import { ethGetBalance } from './eth_getBalance.ts'
import { createEthGetBlockByHash } from './eth_getBlockByHash.ts'
import { createEthGetBlockByNumber } from './eth_getBlockByNumber.ts'
import { createEthGetBlockReceipts } from './eth_getBlockReceipts.ts'
import { ethGetBlockTransactionCountByHash } from './eth_getBlockTransactionCountByHash.ts'
import { ethGetBlockTransactionCountByNumber } from './eth_getBlockTransactionCountByNumber.ts'
import { ethGetCode } from './eth_getCode.ts'
import { ethGetHeaderByHash } from './eth_getHeaderByHash.ts'
import { ethGetHeaderByNumber } from './eth_getHeaderByNumber.ts'
import { createEthGetLogs } from './eth_getLogs.ts'
import { ethGetProof } from './eth_getProof.ts'
import { ethGetRawTransactionByBlockHashAndIndex } from './eth_getRawTransactionByBlockHashAndIndex.ts'
import { ethGetRawTransactionByBlockNumberAndIndex } from './eth_getRawTransactionByBlockNumberAndIndex.ts'
import { ethGetRawTransactionByHash } from './eth_getRawTransactionByHash.ts'
import { ethGetStorageAt } from './eth_getStorageAt.ts'
import { ethGetStorageValues } from './eth_getStorageValues.ts'
import { createEthGetTransactionByBlockHashAndIndex } from './eth_getTransactionByBlockHashAndIndex.ts'
import { createEthGetTransactionByBlockNumberAndIndex } from './eth_getTransactionByBlockNumberAndIndex.ts'
import { createEthGetTransactionByHash } from './eth_getTransactionByHash.ts'
import { ethGetTransactionCount } from './eth_getTransactionCount.ts'
import { createEthGetTransactionReceipt } from './eth_getTransactionReceipt.ts'
import { ethGetUncleByBlockHashAndIndex } from './eth_getUncleByBlockHashAndIndex.ts'
import { ethGetUncleByBlockNumberAndIndex } from './eth_getUncleByBlockNumberAndIndex.ts'
import { ethGetUncleCountByBlockHash } from './eth_getUncleCountByBlockHash.ts'
import { ethGetUncleCountByBlockNumber } from './eth_getUncleCountByBlockNumber.ts'
import { ethHashrate } from './eth_hashrate.ts'
import { ethMaxPriorityFeePerGas } from './eth_maxPriorityFeePerGas.ts'
import { ethMining } from './eth_mining.ts'
import { ethPendingTransactions } from './eth_pendingTransactions.ts'
import { ethProtocolVersion } from './eth_protocolVersion.ts'
import { ethRequestAccounts } from './eth_requestAccounts.ts'
import { ethSendRawTransaction } from './eth_sendRawTransaction.ts'
import { createEthSendRawTransactionSync } from './eth_sendRawTransactionSync.ts'
import { ethSimulateV1 } from './eth_simulateV1.ts'
import { ethSubscribe } from './eth_subscribe.ts'
import { ethSyncing } from './eth_syncing.ts'
import { ethUnsubscribe } from './eth_unsubscribe.ts'
import { createEthGetFilterChanges } from './eth_getFilterChanges.ts'
import { createEthGetFilterLogs } from './eth_getFilterLogs.ts'
import { createEthNewBlockFilter } from './eth_newBlockFilter.ts'
import { createEthNewFilter } from './eth_newFilter.ts'
import { createEthNewPendingTransactionFilter } from './eth_newPendingTransactionFilter.ts'
import { createEthUninstallFilter } from './eth_uninstallFilter.ts'
import { evmMine } from './evm_mine.ts'
import { netListening } from './net_listening.ts'
import { netPeerCount } from './net_peerCount.ts'
import { netVersion } from './net_version.ts'
import { createRpcDiscover } from './rpc_discover.ts'
import { txpoolContent } from './txpool_content.ts'
import { txpoolContentFrom } from './txpool_contentFrom.ts'
import { txpoolInspect } from './txpool_inspect.ts'
import { txpoolStatus } from './txpool_status.ts'
import { createWeb3ClientVersion } from './web3_clientVersion.ts'
import { web3Sha3 } from './web3_sha3.ts'

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

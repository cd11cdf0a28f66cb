// The table of JSON-RPC methods that Cairn answers itself. A new method is one file and one line here.
import { type Clock, systemClock } from '../../base/clock.ts'
import { createSenderCache, type FindSender } from '../../chain/sender-cache.ts'
import type { ReadArrivals } from '../filters/arrivals.ts'
import type { FilterStore } from '../filters/filter-store.ts'
import { createFilters } from '../filters/filters.ts'
import { openRpc } from '../open-rpc/open-rpc.ts'
import type { RpcMethod } from '../operation.ts'
import { debugGetRawBlock } from './debug/debug_getRawBlock.ts'
import { debugGetRawHeader } from './debug/debug_getRawHeader.ts'
import { debugGetRawReceipts } from './debug/debug_getRawReceipts.ts'
import { debugGetRawTransaction } from './debug/debug_getRawTransaction.ts'
import { debugStorageRangeAt } from './debug/debug_storageRangeAt.ts'
import { debugTraceBlock } from './debug/debug_traceBlock.ts'
import { debugTraceBlockByHash } from './debug/debug_traceBlockByHash.ts'
import { debugTraceBlockByNumber } from './debug/debug_traceBlockByNumber.ts'
import { debugTraceCall } from './debug/debug_traceCall.ts'
import { debugTraceTransaction } from './debug/debug_traceTransaction.ts'
import { ethAccounts } from './transactions/eth_accounts.ts'
import { ethBaseFee } from './fees/eth_baseFee.ts'
import { ethBlobBaseFee } from './fees/eth_blobBaseFee.ts'
import { ethBlockNumber } from './blocks/eth_blockNumber.ts'
import { ethCall } from './calls/eth_call.ts'
import { ethCapabilities } from './net/eth_capabilities.ts'
import { ethChainId } from './net/eth_chainId.ts'
import { ethConfig } from './net/eth_config.ts'
import { ethCreateAccessList } from './calls/eth_createAccessList.ts'
import { ethEstimateGas } from './calls/eth_estimateGas.ts'
import { ethFeeHistory } from './fees/eth_feeHistory.ts'
import { ethFillTransaction } from './transactions/eth_fillTransaction.ts'
import { ethGasPrice } from './fees/eth_gasPrice.ts'
import { ethGetBalance } from './state/eth_getBalance.ts'
import { createEthGetBlockByHash } from './blocks/eth_getBlockByHash.ts'
import { createEthGetBlockByNumber } from './blocks/eth_getBlockByNumber.ts'
import { createEthGetBlockReceipts } from './blocks/eth_getBlockReceipts.ts'
import { ethGetBlockTransactionCountByHash } from './blocks/eth_getBlockTransactionCountByHash.ts'
import { ethGetBlockTransactionCountByNumber } from './blocks/eth_getBlockTransactionCountByNumber.ts'
import { ethGetCode } from './state/eth_getCode.ts'
import { ethGetHeaderByHash } from './blocks/eth_getHeaderByHash.ts'
import { ethGetHeaderByNumber } from './blocks/eth_getHeaderByNumber.ts'
import { createEthGetLogs } from './logs/eth_getLogs.ts'
import { ethGetProof } from './state/eth_getProof.ts'
import { ethGetRawTransactionByBlockHashAndIndex } from './transactions/eth_getRawTransactionByBlockHashAndIndex.ts'
import { ethGetRawTransactionByBlockNumberAndIndex } from './transactions/eth_getRawTransactionByBlockNumberAndIndex.ts'
import { ethGetRawTransactionByHash } from './transactions/eth_getRawTransactionByHash.ts'
import { ethGetStorageAt } from './state/eth_getStorageAt.ts'
import { ethGetStorageValues } from './state/eth_getStorageValues.ts'
import { createEthGetTransactionByBlockHashAndIndex } from './transactions/eth_getTransactionByBlockHashAndIndex.ts'
import { createEthGetTransactionByBlockNumberAndIndex } from './transactions/eth_getTransactionByBlockNumberAndIndex.ts'
import { createEthGetTransactionByHash } from './transactions/eth_getTransactionByHash.ts'
import { ethGetTransactionCount } from './state/eth_getTransactionCount.ts'
import { createEthGetTransactionReceipt } from './transactions/eth_getTransactionReceipt.ts'
import { ethGetUncleByBlockHashAndIndex } from './blocks/eth_getUncleByBlockHashAndIndex.ts'
import { ethGetUncleByBlockNumberAndIndex } from './blocks/eth_getUncleByBlockNumberAndIndex.ts'
import { ethGetUncleCountByBlockHash } from './blocks/eth_getUncleCountByBlockHash.ts'
import { ethGetUncleCountByBlockNumber } from './blocks/eth_getUncleCountByBlockNumber.ts'
import { ethHashrate } from './blocks/eth_hashrate.ts'
import { ethMaxPriorityFeePerGas } from './fees/eth_maxPriorityFeePerGas.ts'
import { ethMining } from './blocks/eth_mining.ts'
import { ethPendingTransactions } from './transactions/eth_pendingTransactions.ts'
import { ethProtocolVersion } from './net/eth_protocolVersion.ts'
import { ethRequestAccounts } from './transactions/eth_requestAccounts.ts'
import { ethSendRawTransaction } from './transactions/eth_sendRawTransaction.ts'
import { createEthSendRawTransactionSync } from './transactions/eth_sendRawTransactionSync.ts'
import { ethSimulateV1 } from './calls/eth_simulateV1.ts'
import { ethSubscribe } from './logs/eth_subscribe.ts'
import { ethSyncing } from './net/eth_syncing.ts'
import { ethUnsubscribe } from './logs/eth_unsubscribe.ts'
import { createEthGetFilterChanges } from './logs/eth_getFilterChanges.ts'
import { createEthGetFilterLogs } from './logs/eth_getFilterLogs.ts'
import { createEthNewBlockFilter } from './logs/eth_newBlockFilter.ts'
import { createEthNewFilter } from './logs/eth_newFilter.ts'
import { createEthNewPendingTransactionFilter } from './logs/eth_newPendingTransactionFilter.ts'
import { createEthUninstallFilter } from './logs/eth_uninstallFilter.ts'
import { anvilAutoImpersonateAccount } from './dev/anvil_autoImpersonateAccount.ts'
import { anvilGetIntervalMining } from './dev/anvil_getIntervalMining.ts'
import {
  anvilRemoveBlockTimestampInterval,
  anvilSetBlockTimestampInterval,
} from './dev/anvil_setBlockTimestampInterval.ts'
import { ethSendTransaction } from './dev/eth_sendTransaction.ts'
import { evmIncreaseTime } from './dev/evm_increaseTime.ts'
import { evmMine } from './dev/evm_mine.ts'
import { evmRevert } from './dev/evm_revert.ts'
import { evmSetAutomine } from './dev/evm_setAutomine.ts'
import { evmSetBlockGasLimit } from './dev/evm_setBlockGasLimit.ts'
import { anvilSetIntervalMining, evmSetIntervalMining } from './dev/evm_setIntervalMining.ts'
import { evmSetNextBlockTimestamp } from './dev/evm_setNextBlockTimestamp.ts'
import { evmSetTime } from './dev/evm_setTime.ts'
import { evmSnapshot } from './dev/evm_snapshot.ts'
import {
  anvilDropAllTransactions,
  anvilRemovePoolTransactions,
  hardhatDropTransaction,
} from './dev/hardhat_dropTransaction.ts'
import { hardhatGetAutomine } from './dev/hardhat_getAutomine.ts'
import {
  hardhatImpersonateAccount,
  hardhatStopImpersonatingAccount,
} from './dev/hardhat_impersonateAccount.ts'
import { anvilNode, createHardhatMetadata } from './dev/hardhat_metadata.ts'
import { hardhatMine } from './dev/hardhat_mine.ts'
import { hardhatReset } from './dev/hardhat_reset.ts'
import { hardhatSetBalance } from './dev/hardhat_setBalance.ts'
import { hardhatSetCode } from './dev/hardhat_setCode.ts'
import { ethCoinbase, hardhatSetCoinbase } from './dev/hardhat_setCoinbase.ts'
import { hardhatSetLoggingEnabled, hardhatSetMinGasPrice } from './dev/hardhat_setLoggingEnabled.ts'
import { hardhatSetNextBlockBaseFeePerGas } from './dev/hardhat_setNextBlockBaseFeePerGas.ts'
import { hardhatSetNonce } from './dev/hardhat_setNonce.ts'
import { hardhatSetPrevRandao } from './dev/hardhat_setPrevRandao.ts'
import { hardhatSetStorageAt } from './dev/hardhat_setStorageAt.ts'
import { netListening } from './net/net_listening.ts'
import { netPeerCount } from './net/net_peerCount.ts'
import { netVersion } from './net/net_version.ts'
import { createRpcDiscover } from './net/rpc_discover.ts'
import { txpoolContent } from './txpool/txpool_content.ts'
import { txpoolContentFrom } from './txpool/txpool_contentFrom.ts'
import { txpoolInspect } from './txpool/txpool_inspect.ts'
import { txpoolStatus } from './txpool/txpool_status.ts'
import { createWeb3ClientVersion } from './net/web3_clientVersion.ts'
import { web3Sha3 } from './net/web3_sha3.ts'

export type RpcOperationsOptions = {
  /** The full result of web3_clientVersion: `Cairn/v<version>/...`. */
  readonly clientVersion: string
  /** Limits the time of a search. */
  readonly clock: Clock
  readonly findSender: FindSender
  /** Filter store shared by processes and nodes; absent: a store of this process. */
  readonly filterStore?: FilterStore | undefined
  /** Pending transactions for filters; absent: those of the pools of this process. */
  readonly arrivals?: ReadArrivals | undefined
}

/** Methods by wire name. All filter methods use one store. */
export function createRpcOperations({
  clientVersion,
  clock,
  findSender,
  filterStore,
  arrivals,
}: RpcOperationsOptions): ReadonlyMap<string, RpcMethod<unknown>> {
  const filters = createFilters(clock, { store: filterStore, arrivals })
  let document: unknown = null
  const operations: readonly RpcMethod<unknown>[] = [
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
    createEthNewFilter(filters),
    createEthNewPendingTransactionFilter(filters),
    createEthUninstallFilter(filters),
    ...devOperations(clientVersion),
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

/** Methods of development tools, each with its aliases. */
function devOperations(clientVersion: string): readonly RpcMethod<unknown>[] {
  return [
    ...anvilAutoImpersonateAccount,
    ...anvilDropAllTransactions,
    ...anvilGetIntervalMining,
    ...anvilNode,
    ...anvilRemoveBlockTimestampInterval,
    ...anvilRemovePoolTransactions,
    ...anvilSetBlockTimestampInterval,
    ...anvilSetIntervalMining,
    ...createHardhatMetadata(clientVersion),
    ...ethCoinbase,
    ...ethSendTransaction,
    ...evmIncreaseTime,
    ...evmMine,
    ...evmRevert,
    ...evmSetAutomine,
    ...evmSetBlockGasLimit,
    ...evmSetIntervalMining,
    ...evmSetNextBlockTimestamp,
    ...evmSetTime,
    ...evmSnapshot,
    ...hardhatDropTransaction,
    ...hardhatGetAutomine,
    ...hardhatImpersonateAccount,
    ...hardhatMine,
    ...hardhatReset,
    ...hardhatSetBalance,
    ...hardhatSetCode,
    ...hardhatSetCoinbase,
    ...hardhatSetLoggingEnabled,
    ...hardhatSetMinGasPrice,
    ...hardhatSetNextBlockBaseFeePerGas,
    ...hardhatSetNonce,
    ...hardhatSetPrevRandao,
    ...hardhatSetStorageAt,
    ...hardhatStopImpersonatingAccount,
  ]
}

/** The same declarations without a server, for documents and tables, sorted by name. Do not run them. */
export function listRpcMethods(): readonly RpcMethod<unknown>[] {
  const parts = { clientVersion: '', clock: systemClock, findSender: createSenderCache(1).find }
  return [...createRpcOperations(parts).values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** `Cairn/v0.1.0/linux-x64/node24` -> `0.1.0`. */
function versionIn(clientVersion: string): string {
  return /^Cairn\/v([^/]+)/.exec(clientVersion)?.[1] ?? '0'
}

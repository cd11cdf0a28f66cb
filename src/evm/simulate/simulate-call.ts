// One call of a simulated block: checks it, runs it on the block's state without reverting it, and makes its receipt.
// Tested by src/evm/simulate/simulate.test.ts
import { Hardfork } from '@ethereumjs/common'
import { createAddressFromString } from '@ethereumjs/util'
import { runTx } from '@ethereumjs/vm'
import type { RunTxResult } from '@ethereumjs/vm'
import { Fault } from '../../base/fault.ts'
import { toHex } from '../../base/hex.ts'
import type { Header } from '../../codec/ethereum/header.ts'
import { encodeReceipt } from '../../codec/ethereum/receipt.ts'
import type { Log } from '../../codec/ethereum/receipt.ts'
import type { CallRequest, SimulatedBlock, SimulatedCall } from '../../chain/computation.ts'
import { stepAuthorities } from '../authorities.ts'
import { viewOverridden } from '../apply-overrides.ts'
import { failureOf, callAsContract } from '../prepared-call.ts'
import { callBlock, callTransaction, requestAt, setGas } from '../call-transaction.ts'
import type { StateVm } from '../vm-over-state.ts'
import { floorDataGas } from '../intrinsic-gas.ts'
import { requestIntrinsicGas, checkCall } from './check-call.ts'
import type { LogRecord } from './record-logs.ts'
import type { SimulationRun } from './simulation-run.ts'
import { unsignedTransaction } from '../../chain/unsigned-transaction.ts'

/** JSON-RPC code of an execution that failed without a revert. */
const vmErrorCode = -32015
/** Approximate size of a call in the response, without its data; likewise of a log. */
const callBytes = 1_000
const logBytes = 900
const nonceMax = 2n ** 64n - 1n

export type BlockContext = {
  readonly machine: StateVm
  readonly header: Header
  readonly blobBaseFee: bigint | undefined
  /** Null without `traceTransfers`. */
  readonly record: LogRecord | null
  /** Gas used by the previous calls of the block. */
  readonly gasUsed: bigint
}

/** `logs`, `bloom`, `receipt`: as in a real block, without logs for transfers of ether. */
export type CallOutcome = {
  readonly call: SimulatedCall
  readonly transaction: SimulatedBlock['transactions'][number]
  readonly logs: readonly Log[]
  readonly bloom: Uint8Array
  readonly receipt: Uint8Array
  readonly blobGas: bigint
}

/** Throws as evm-executor.ts, Executor.simulate. */
export async function simulateCall(
  run: SimulationRun,
  context: BlockContext,
  requested: CallRequest,
): Promise<CallOutcome> {
  const { machine, header, record } = context
  const { vm, state } = machine
  const { validation } = run.simulation
  await run.slice.yieldIfDue()
  await stepAuthorities(requested, run.slice)
  const priced = requestAt(header, requested)
  const request =
    priced.blobVersionedHashes === undefined
      ? priced
      : { ...priced, maxFeePerBlobGas: priced.maxFeePerBlobGas ?? 0n }
  const from = request.from ?? new Uint8Array(20)
  const sender = createAddressFromString(toHex(from))
  const account = await state.getAccount(sender)
  const nonce = request.nonce ?? account?.nonce ?? 0n
  const { gas, isCapped } = gasFor(run, context, request)
  const block = validation
    ? viewOverridden(header, vm.common, context.blobBaseFee)
    : callBlock(header, vm.common, request, context.blobBaseFee)
  checkCall({
    request,
    from,
    gas,
    nonce,
    account: account ?? { nonce: 0n, balance: 0n },
    common: vm.common,
    baseFee: header.baseFeePerGas ?? 0n,
    blobBaseFee: vm.common.isActivatedEIP(4844) ? block.header.getBlobGasPrice() : 0n,
    validation,
  })
  // The EVM uses the account's nonce, even if the request names another one.
  const transaction = callTransaction(request, block, { from: sender, nonce: 0n })
  setGas(transaction, gas)
  if (account?.isContract() === true) callAsContract(machine)
  record?.begin()
  const result = await runTx(vm, {
    tx: transaction,
    block,
    skipNonce: true,
    skipBlockGasLimitValidation: true,
    skipHardForkValidation: true,
  })
  if (account?.nonce === nonceMax) await resetNonce(machine, sender)
  run.gasLeft -= result.totalGasSpent
  const chainId = vm.common.chainId()
  const unsigned = unsignedTransaction(request, { chainId, nonce, gas })
  const floorGas = vm.common.isActivatedEIP(7623)
    ? floorDataGas(request.data ?? new Uint8Array(0))
    : 0n
  const intrinsic = requestIntrinsicGas(request, vm.common)
  const outcome = outcomeOf(result, { intrinsic, floorGas, isCapped }, record)
  run.budget.add(
    callBytes +
      2 * (outcome.call.returnData.length + (request.data?.length ?? 0)) +
      outcome.call.logs.reduce((sum, { data }) => sum + logBytes + 2 * data.length, 0),
  )
  const byzantium = vm.common.gteHardfork(Hardfork.Byzantium)
  return {
    ...outcome,
    transaction: { transaction: unsigned, from },
    receipt: encodeReceipt({
      type: unsigned.type,
      status: byzantium ? outcome.call.status : null,
      postState: byzantium ? null : await state.getStateRoot(),
      cumulativeGasUsed: context.gasUsed + result.totalGasSpent,
      logsBloom: outcome.bloom,
      logs: outcome.logs,
    }),
    blobGas: unsigned.type === 3 ? (result.blobGasUsed ?? 0n) : 0n,
  }
}

/** Default: all gas left in the block. `isCapped`: reduced to the gas left for the request. */
function gasFor(
  { gasLeft }: SimulationRun,
  { header, gasUsed }: BlockContext,
  request: CallRequest,
): { readonly gas: bigint; readonly isCapped: boolean } {
  const blockGasLeft = header.gasLimit - gasUsed
  const gas = request.gas ?? blockGasLeft
  if (gas > blockGasLeft) {
    throw new Fault('block_gas_spent', {
      detail: `block gas limit reached: remaining: ${blockGasLeft}, required: ${gas}`,
    })
  }
  const isCapped = gasLeft < gas
  return { gas: isCapped ? gasLeft : gas, isCapped }
}

function outcomeOf(
  result: RunTxResult,
  gas: { readonly intrinsic: bigint; readonly floorGas: bigint; readonly isCapped: boolean },
  record: LogRecord | null,
) {
  const { execResult, bloom, totalGasSpent } = result
  const failure = failureOf(execResult)
  const recorded = record?.end()
  const logs =
    failure === null
      ? (execResult.logs ?? []).map(([address, topics, data]) => ({ address, topics, data }))
      : []
  const gasBeforeRefund = execResult.executionGasUsed + gas.intrinsic
  const call: SimulatedCall = {
    status: failure === null,
    returnData: failure === null ? execResult.returnValue : new Uint8Array(0),
    gasUsed: totalGasSpent,
    maxUsedGas: gasBeforeRefund > gas.floorGas ? gasBeforeRefund : gas.floorGas,
    logs: failure === null ? (recorded ?? logs) : [],
    error: failure === null ? null : errorOf(failure, gas.isCapped),
  }
  return { call, logs, bloom: bloom.bitvector }
}

function errorOf(
  { code, message, data }: Fault,
  isCapped: boolean,
): NonNullable<SimulatedCall['error']> {
  if (code !== 'reverted') {
    const cap = isCapped ? " (gas limit was capped by the RPC server's global gas cap)" : ''
    return { code: vmErrorCode, message: `${message}${cap}` }
  }
  return { code: 3, message, data: typeof data === 'string' ? data : '0x' }
}

/** 2^64 is not a valid nonce: go-ethereum's counter wraps to 0. */
async function resetNonce({ state }: StateVm, sender: ReturnType<typeof createAddressFromString>) {
  const account = await state.getAccount(sender)
  if (account === undefined) return
  account.nonce = 0n
  await state.putAccount(sender, account)
}

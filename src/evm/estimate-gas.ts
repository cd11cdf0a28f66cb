// eth_estimateGas: the search of go-ethereum's eth/gasestimator, continued to the exact minimum.
// Tested by src/devchain/engine/engine.test.ts
import { Fault } from '../base/fault.ts'
import { failureOf, prepareCall } from './prepared-call.ts'
import type { CallParts } from './call-parts.ts'
import type { CallTask, PreparedCall } from './prepared-call.ts'
import { feeCap } from './call-transaction.ts'
import { plainTransferGas } from './intrinsic-gas.ts'
import type { TimeSlice } from './time-slice.ts'

/** EIP-7825. */
const transactionGasMax = 16_777_216n
const callStipend = 2_300n

/** Throws `reverted` or `execution_failed` if the request fails with every allowed amount of gas. */
export async function estimateGas(
  parts: CallParts,
  task: CallTask,
  slice: TimeSlice,
): Promise<bigint> {
  const { request } = task
  const prepared = await prepareCall(parts, task, slice)
  const highest = highestGas(prepared, parts.callGasMax)
  if (!prepared.runsCode && (request.data?.length ?? 0) === 0 && highest >= plainTransferGas) {
    if (await succeedsWith(prepared, plainTransferGas)) return plainTransferGas
  }
  if (highest < prepared.gasMin) throw exceeds(highest)
  const { execResult, totalGasSpent, gasRefund } = await prepared.run(highest)
  const failure = failureOf(execResult)
  if (failure !== null) throw failure.message === 'out of gas' ? exceeds(highest) : failure
  const likely = ((totalGasSpent + (gasRefund ?? 0n) + callStipend) * 64n) / 63n
  return search(prepared, { low: totalGasSpent - 1n, high: highest, likely })
}

/** `low` fails, `high` succeeds. Doubles first: most requests need little of the allowed gas. */
async function search(
  prepared: PreparedCall,
  range: { readonly low: bigint; readonly high: bigint; readonly likely: bigint },
): Promise<bigint> {
  let { low, high } = range
  if (range.likely < high && range.likely > low) {
    if (await succeedsWith(prepared, range.likely)) high = range.likely
    else low = range.likely
  }
  while (low + 1n < high) {
    const middle = (low + high) / 2n
    const at = middle > low * 2n ? low * 2n : middle
    if (await succeedsWith(prepared, at)) high = at
    else low = at
  }
  return high
}

async function succeedsWith(prepared: PreparedCall, gas: bigint): Promise<boolean> {
  if (gas < prepared.gasMin) return false
  return (await prepared.run(gas)).execResult.exceptionError === undefined
}

function highestGas(prepared: PreparedCall, callGasMax: bigint): bigint {
  const { request, balance, blockGasLimit, transaction } = prepared
  const requested = request.gas ?? 0n
  const limits = [requested >= plainTransferGas ? requested : blockGasLimit, callGasMax]
  if (transaction.common.isActivatedEIP(7825)) limits.push(transactionGasMax)
  const price = feeCap(request)
  const value = request.value ?? 0n
  if (value > balance) {
    throw new Fault('execution_failed', {
      detail: `insufficient funds for gas * price + value: have ${balance} want ${value}`,
    })
  }
  if (price > 0n) limits.push((balance - value) / price)
  return limits.reduce((a, b) => (a < b ? a : b))
}

function exceeds(gas: bigint): Fault {
  return new Fault('execution_failed', { detail: `gas required exceeds allowance (${gas})` })
}

// A request on the state after a stored block, ready to run any number of times with different gas. Each run is reverted.
// Tested by src/devchain/engine/engine.test.ts
import { runTx } from '@ethereumjs/vm'
import type { RunTxResult } from '@ethereumjs/vm'
import type { Block } from '@ethereumjs/block'
import type { TypedTransaction } from '@ethereumjs/tx'
import { createAddressFromString, createZeroAddress, toChecksumAddress } from '@ethereumjs/util'
import { Fault } from '../base/fault.ts'
import { toHex } from '../base/hex.ts'
import type { CallRequest, Overrides } from '../chain/computation.ts'
import { overrideHeader, overrideState } from './apply-overrides.ts'
import {
  blobFeeCap,
  callBlock,
  callTransaction,
  feeCap,
  requestAt,
  setGas,
} from './call-transaction.ts'
import type { StateVm } from './vm-over-state.ts'
import { evmFault } from './evm-failure.ts'
import { floorDataGas, intrinsicGas } from './intrinsic-gas.ts'
import { stepAuthorities } from './authorities.ts'
import type { TimeSlice } from './time-slice.ts'
import type { CallParts } from './call-parts.ts'

/** Gas of one blob (EIP-4844). */
const blobGas = 131_072n

export type PreparedCall = {
  readonly request: CallRequest
  readonly machine: StateVm
  readonly block: Block
  readonly transaction: TypedTransaction
  readonly balance: bigint
  readonly blockGasLimit: bigint
  /** True if the request calls or creates a contract. */
  readonly runsCode: boolean
  /** Minimum gas for the request to begin. */
  readonly gasMin: bigint
  /** `inspect` is called with the state after the run, before the run is reverted. */
  run(gas: bigint, inspect?: (result: RunTxResult) => Promise<void>): Promise<RunTxResult>
}

/** Input of one computation: a request and the stored block on whose state it runs. */
export type CallTask = {
  readonly request: CallRequest
  readonly blockHash: Uint8Array
  readonly overrides: Overrides
}

/** The gas that a call may use. Throws `execution_failed` if it cannot begin or the sender cannot pay for it. */
export function checkedGas({ callGasMax }: CallParts, prepared: PreparedCall): bigint {
  const gas = min(prepared.request.gas ?? callGasMax, callGasMax)
  checkGas(prepared, gas)
  checkFunds(prepared, gas)
  return gas
}

/** Null when the execution succeeded. */
export function failureOf({
  exceptionError,
  returnValue,
  runState,
}: RunTxResult['execResult']): Fault | null {
  if (exceptionError === undefined) return null
  return evmFault(exceptionError.error, returnValue, runState)
}

/** Throws `unknown_block`, `no_state`, and `execution_failed` for invalid fees and overrides, and too many authorizations. */
export async function prepareCall(
  parts: CallParts,
  { request: requested, blockHash, overrides }: CallTask,
  slice: TimeSlice,
): Promise<PreparedCall> {
  const storedHeader = parts.states.headerOf(blockHash)
  await stepAuthorities(requested, slice)
  const header = overrideHeader(storedHeader, overrides.block)
  const request = requestAt(header, requested)
  const common = parts.rules.at(header)
  const executionRules = parts.rules.executionRules(header, common)
  const precompiles = parts.rules.precompilesAt(header.timestamp)
  const machine = await parts.states.open({
    common: executionRules,
    precompiles,
    header: storedHeader,
    slice,
  })
  await overrideState(machine, overrides.state)
  const block = callBlock(header, common, request, overrides.block.blobBaseFee)
  checkFees(request, block)
  const from =
    request.from === undefined ? createZeroAddress() : createAddressFromString(toHex(request.from))
  const sender = await machine.state.getAccount(from)
  const nonce = request.nonce ?? sender?.nonce ?? 0n
  const transaction = callTransaction(request, block, { from, nonce })
  return {
    request,
    machine,
    block,
    transaction,
    balance: sender?.balance ?? 0n,
    blockGasLimit: header.gasLimit,
    runsCode: await runsCode(machine, transaction),
    gasMin: minGas(transaction, request),
    async run(gas, inspect) {
      await slice.yieldIfDue()
      setGas(transaction, gas)
      if (sender?.isContract() === true) callAsContract(machine)
      return runOnce(machine, { tx: transaction, block }, inspect)
    },
  }
}

async function runOnce(
  { vm }: StateVm,
  input: { readonly tx: TypedTransaction; readonly block: Block },
  inspect: (result: RunTxResult) => Promise<void> = async () => {},
): Promise<RunTxResult> {
  // Reverted below, so no node is ever written.
  await vm.evm.journal.checkpoint()
  try {
    const result = await runTx(vm, {
      ...input,
      skipNonce: true,
      skipBalance: true,
      skipBlockGasLimitValidation: true,
      skipHardForkValidation: true,
    })
    await inspect(result)
    return result
  } finally {
    await vm.evm.journal.revert()
  }
}

/**
 * EIP-3607 forbids transactions from accounts with code, but calls may have such a sender. The EVM reads the sender's code before
 * any other code, so the first read returns a delegation (EIP-7702), which it accepts. Before EIP-7702 it first checks if that EIP
 * is active, so the first check returns true.
 */
export function callAsContract({ state, vm: { common } }: StateVm): void {
  Object.assign(state, {
    getCode() {
      Reflect.deleteProperty(state, 'getCode')
      return Promise.resolve(new Uint8Array([0xef, 0x01, 0x00]))
    },
  })
  if (common.isActivatedEIP(7702)) return
  const isActivated = common.isActivatedEIP.bind(common)
  Object.assign(common, {
    isActivatedEIP(eip: number) {
      if (eip !== 7702) return isActivated(eip)
      Reflect.deleteProperty(common, 'isActivatedEIP')
      return true
    },
  })
}

async function runsCode({ state }: StateVm, { to }: TypedTransaction): Promise<boolean> {
  return to === undefined || (await state.getCode(to)).length > 0
}

function minGas(transaction: TypedTransaction, request: CallRequest): bigint {
  const shape = {
    data: transaction.data,
    creates: transaction.to === undefined,
    accessList: request.accessList ?? [],
    authorizations: request.authorizationList?.length ?? 0,
  }
  const needed = intrinsicGas(shape, transaction.common)
  const floor = transaction.common.isActivatedEIP(7623) ? floorDataGas(shape.data) : 0n
  return needed > floor ? needed : floor
}

function checkFees(request: CallRequest, block: Block): void {
  const { maxPriorityFeePerGas } = request
  if ((maxPriorityFeePerGas ?? 0n) > feeCap(request)) {
    throw failed(
      `max priority fee per gas higher than max fee per gas: address ${nameOf(request)}, ` +
        `maxPriorityFeePerGas: ${maxPriorityFeePerGas}, maxFeePerGas: ${feeCap(request)}`,
    )
  }
  const baseFee = block.header.baseFeePerGas ?? 0n
  if (feeCap(request) < baseFee) {
    throw failed(
      `max fee per gas less than block base fee: address ${nameOf(request)}, ` +
        `maxFeePerGas: ${feeCap(request)}, baseFee: ${baseFee}`,
    )
  }
}

function checkGas({ gasMin }: PreparedCall, gas: bigint): void {
  if (gas >= gasMin) return
  throw failed(`intrinsic gas too low: gas ${gas}, minimum needed ${gasMin}`)
}

function checkFunds({ request, balance }: PreparedCall, gas: bigint): void {
  const blobCost = blobGas * BigInt(request.blobVersionedHashes?.length ?? 0)
  const cost =
    gas * feeCap(request) + (request.value ?? 0n) + blobCost * (blobFeeCap(request) ?? 0n)
  if (balance >= cost) return
  throw failed(
    `insufficient funds for gas * price + value: address ${nameOf(request)} have ${balance} want ${cost}`,
  )
}

function nameOf({ from }: CallRequest): string {
  return toChecksumAddress(`0x${toHex(from ?? new Uint8Array(20)).slice(2)}`)
}

function failed(detail: string): Fault {
  return new Fault('execution_failed', { detail })
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

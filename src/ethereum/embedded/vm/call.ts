// eth_call: runs a request on the state of any kept block and takes everything back. `Simulation` runs one
// request any number of times with different gas.
// Tested by src/ethereum/embedded/vm/engine.test.ts
import { runTx } from '@ethereumjs/vm'
import type { RunTxResult } from '@ethereumjs/vm'
import type { Block } from '@ethereumjs/block'
import type { TypedTransaction } from '@ethereumjs/tx'
import { createAddressFromString, createZeroAddress, toChecksumAddress } from '@ethereumjs/util'
import { Fault } from '../../../base/fault.ts'
import { toHex } from '../../../base/hex.ts'
import { decodeHeader } from '../../../codec/header.ts'
import type { Store } from '../../../content/store.ts'
import type { CallRequest } from '../../network.ts'
import type { ChainIndex } from '../chain-index.ts'
import { callBlock, callTransaction, feeCap, setGas } from './call-transaction.ts'
import type { ChainRules } from './chain-rules.ts'
import { createStateVm } from './chain-vm.ts'
import type { StateVm } from './chain-vm.ts'
import { evmFault } from './evm-failure.ts'
import { floorDataGas, intrinsicGas } from './intrinsic-gas.ts'
import type { TrieDatabase } from './trie-database.ts'

export type CallParts = {
  readonly rules: ChainRules
  readonly store: Store
  readonly index: ChainIndex
  readonly tries: TrieDatabase
  readonly callGasMax: bigint
}

export type Simulation = {
  readonly request: CallRequest
  readonly balance: bigint
  readonly blockGasLimit: bigint
  /** True when the request calls code or creates some. */
  readonly runsCode: boolean
  /** Least gas that can work at all. */
  readonly gasMin: bigint
  run(gas: bigint): Promise<RunTxResult>
}

/** Return data. Throws `reverted`, `execution_failed`, or `no_state` when the block's state is not kept. */
export async function call(
  parts: CallParts,
  request: CallRequest,
  blockHash: Uint8Array,
): Promise<Uint8Array> {
  const simulation = await openSimulation(parts, request, blockHash)
  const gas = least(request.gas ?? parts.callGasMax, parts.callGasMax)
  checkGas(simulation, gas)
  checkFunds(simulation, gas)
  const { execResult } = await simulation.run(gas)
  const failure = failureOf(execResult)
  if (failure !== null) throw failure
  return execResult.returnValue
}

/** Null when the execution succeeded. */
export function failureOf({
  exceptionError,
  returnValue,
  runState,
}: RunTxResult['execResult']): Fault | null {
  if (exceptionError === undefined) return null
  return evmFault(exceptionError.error, returnValue, runState?.opCode)
}

export async function openSimulation(
  parts: CallParts,
  request: CallRequest,
  blockHash: Uint8Array,
): Promise<Simulation> {
  const header = parts.store.find({ kind: 'header', hash: blockHash })
  if (header === null) throw new Fault('unknown_block')
  const { stateRoot, number, timestamp, gasLimit } = decodeHeader(header)
  const common = parts.rules.at({ number, timestamp })
  const machine = await openState(parts, common, stateRoot)
  const block = callBlock(header, common, request)
  checkFees(request, block)
  const from =
    request.from === undefined ? createZeroAddress() : createAddressFromString(toHex(request.from))
  const sender = await machine.state.getAccount(from)
  const nonce = request.nonce ?? sender?.nonce ?? 0n
  const transaction = callTransaction(request, block, { from, nonce })
  return {
    request,
    balance: sender?.balance ?? 0n,
    blockGasLimit: gasLimit,
    runsCode: await runsCode(machine, transaction),
    gasMin: leastGas(transaction, request),
    run(gas) {
      setGas(transaction, gas)
      if (sender?.isContract() === true) speakForContract(machine.state)
      return runOnce(machine, transaction, block)
    },
  }
}

async function openState(
  { tries, index }: CallParts,
  common: Parameters<typeof createStateVm>[0]['common'],
  stateRoot: Uint8Array,
): Promise<StateVm> {
  try {
    return await createStateVm({ common, tries, index, stateRoot })
  } catch (cause) {
    throw new Fault('no_state', { detail: `missing trie node ${toHex(stateRoot).slice(2)}`, cause })
  }
}

async function runOnce(
  { vm }: StateVm,
  transaction: TypedTransaction,
  block: Block,
): Promise<RunTxResult> {
  // Reverted in the end: no node is ever written.
  await vm.evm.journal.checkpoint()
  try {
    return await runTx(vm, {
      tx: transaction,
      block,
      skipNonce: true,
      skipBalance: true,
      skipBlockGasLimitValidation: true,
      skipHardForkValidation: true,
    })
  } finally {
    await vm.evm.journal.revert()
  }
}

/**
 * EIP-3607 forbids transactions from accounts with code; calls may speak for them. The EVM asks for such a
 * sender's code before any other code, so one answer says "delegated" (EIP-7702), which it lets pass.
 */
function speakForContract(state: StateVm['state']): void {
  Object.assign(state, {
    getCode() {
      Reflect.deleteProperty(state, 'getCode')
      return Promise.resolve(new Uint8Array([0xef, 0x01, 0x00]))
    },
  })
}

async function runsCode({ state }: StateVm, { to }: TypedTransaction): Promise<boolean> {
  return to === undefined || (await state.getCode(to)).length > 0
}

function leastGas(transaction: TypedTransaction, request: CallRequest): bigint {
  const shape = {
    data: transaction.data,
    creates: transaction.to === undefined,
    accessList: request.accessList ?? [],
    authorizations: request.authorizationList?.length ?? 0,
  }
  const needed = intrinsicGas(shape)
  const floor = transaction.common.isActivatedEIP(7623) ? floorDataGas(shape.data) : 0n
  return needed > floor ? needed : floor
}

function checkFees(request: CallRequest, block: Block): void {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = request
  if (gasPrice !== undefined && (maxFeePerGas ?? maxPriorityFeePerGas) !== undefined) {
    throw failed('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  }
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

function checkGas({ gasMin }: Simulation, gas: bigint): void {
  if (gas >= gasMin) return
  throw failed(`intrinsic gas too low: gas ${gas}, minimum needed ${gasMin}`)
}

function checkFunds({ request, balance }: Simulation, gas: bigint): void {
  const cost = gas * feeCap(request) + (request.value ?? 0n)
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

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

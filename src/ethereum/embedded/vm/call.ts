// eth_call: runs a request on the state of any kept block and takes everything back. `Simulation` runs one
// request any number of times with different gas.
// Tested by src/ethereum/embedded/vm/engine.test.ts
import { runTx } from '@ethereumjs/vm'
import type { RunTxResult } from '@ethereumjs/vm'
import type { Block } from '@ethereumjs/block'
import type { Common } from '@ethereumjs/common'
import type { TypedTransaction } from '@ethereumjs/tx'
import { createAddressFromString, createZeroAddress, toChecksumAddress } from '@ethereumjs/util'
import { Fault } from '../../../base/fault.ts'
import { toHex } from '../../../base/hex.ts'
import { decodeHeader } from '../../../codec/header.ts'
import type { Header } from '../../../codec/header.ts'
import type { Store } from '../../../content/store.ts'
import type { CallRequest, Overrides } from '../../computation.ts'
import type { ChainIndex } from '../chain-index.ts'
import { overrideHeader, overrideState } from './apply-overrides.ts'
import { callBlock, callTransaction, feeCap, setGas } from './call-transaction.ts'
import type { ChainRules } from './chain-rules.ts'
import { createStateVm } from './chain-vm.ts'
import type { StateVm } from './chain-vm.ts'
import { evmFault } from './evm-failure.ts'
import { floorDataGas, intrinsicGas } from './intrinsic-gas.ts'
import { createTrieDatabase } from './trie-database.ts'
import type { Turn } from './turn.ts'

export type CallParts = {
  readonly rules: ChainRules
  readonly store: Store
  readonly index: ChainIndex
  readonly callGasMax: bigint
}

export type Simulation = {
  readonly request: CallRequest
  readonly machine: StateVm
  readonly block: Block
  readonly transaction: TypedTransaction
  readonly balance: bigint
  readonly blockGasLimit: bigint
  /** True when the request calls code or creates some. */
  readonly runsCode: boolean
  /** Least gas that can work at all. */
  readonly gasMin: bigint
  run(gas: bigint): Promise<RunTxResult>
}

/** What one computation works with: a request on the state after a stored block. */
export type CallTask = {
  readonly request: CallRequest
  readonly blockHash: Uint8Array
  readonly overrides: Overrides
}

/** Return data. Throws `reverted`, `execution_failed`, or `no_state` when the block's state is not kept. */
export async function call(parts: CallParts, task: CallTask, turn: Turn): Promise<Uint8Array> {
  const simulation = await openSimulation(parts, task, turn)
  const { execResult } = await simulation.run(checkedGas(parts, simulation))
  const failure = failureOf(execResult)
  if (failure !== null) throw failure
  return execResult.returnValue
}

/** The gas that a call may use. Throws `execution_failed` when it cannot even begin, or be paid. */
export function checkedGas({ callGasMax }: CallParts, simulation: Simulation): bigint {
  const gas = least(simulation.request.gas ?? callGasMax, callGasMax)
  checkGas(simulation, gas)
  checkFunds(simulation, gas)
  return gas
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
  { request, blockHash, overrides }: CallTask,
  turn: Turn,
): Promise<Simulation> {
  const kept = headerOf(parts, blockHash)
  const header = overrideHeader(kept, overrides.block)
  const common = parts.rules.at(header)
  const machine = await openState(parts, { common, header: kept, turn })
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
    gasMin: leastGas(transaction, request),
    async run(gas) {
      await turn.look()
      setGas(transaction, gas)
      if (sender?.isContract() === true) speakForContract(machine.state)
      return runOnce(machine, transaction, block)
    },
  }
}

/** Throws `unknown_block`. */
export function headerOf({ store }: CallParts, blockHash: Uint8Array): Header {
  const header = store.find({ kind: 'header', hash: blockHash })
  if (header === null) throw new Fault('unknown_block')
  return decodeHeader(header)
}

/**
 * An EVM on the state after `header`, which knows the hashes of blocks `below` (default: the header's number).
 * Nothing of it is ever kept. Throws `no_state`.
 */
export async function openState(
  { store, index }: CallParts,
  parts: {
    readonly common: Common
    readonly header: Header
    readonly below?: bigint
    readonly turn: Turn
  },
): Promise<StateVm> {
  const { common, header, below = header.number, turn } = parts
  const { stateRoot } = header
  // A block that a call only pretends to be in asks for hashes that no block has: zeros, as go-ethereum.
  const hashOf = (number: bigint) =>
    (number < below ? index.hashOf(number) : null) ?? new Uint8Array(32)
  try {
    return await createStateVm({
      common,
      tries: createTrieDatabase(store),
      index: { hashOf },
      stateRoot,
      turn,
    })
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
export function speakForContract(state: StateVm['state']): void {
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

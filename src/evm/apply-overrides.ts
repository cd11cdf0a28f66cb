// Applies the overrides of a call before it runs: accounts of the state, fields of the block. Changes are never stored.
// Tested by src/devchain/engine/read-only-executions.test.ts
import { createAccount, createAddressFromString, toChecksumAddress } from '@ethereumjs/util'
import type { Block } from '@ethereumjs/block'
import type { Common, StateManagerInterface } from '@ethereumjs/common'
import { Fault } from '../base/fault.ts'
import { toBareHex, toHex } from '../base/hex.ts'
import { encodeHeader } from '../codec/ethereum/header.ts'
import type { Header } from '../codec/ethereum/header.ts'
import type { BlockOverrides, StateOverride } from '../chain/computation.ts'
import { viewHeader } from './block-view.ts'
import type { StateVm } from './vm-over-state.ts'

/** EIP-1559. */
export const firstBaseFee = 1_000_000_000n

/**
 * Throws `execution_failed` for an account with both `state` and `stateDiff`, and for a move of a precompiled contract that
 * go-ethereum refuses. If an address is overridden, its precompiled contract is disabled.
 */
export async function overrideState(
  { vm, state }: StateVm,
  overrides: readonly StateOverride[],
): Promise<void> {
  if (overrides.length === 0) return
  const overridden = new Set(overrides.map(({ address }) => toBareHex(address)))
  const { precompiles } = vm.evm
  // The fork's precompile addresses are warm at the start of a transaction, even if their contracts were moved.
  const warm = [...precompiles]
  Object.assign(precompiles, { entries: () => warm.values() })
  for (const override of overrides) {
    movePrecompile(precompiles, override, overridden)
    await overrideAccount(state, override)
  }
}

function movePrecompile(
  precompiles: StateVm['vm']['evm']['precompiles'],
  { address, movePrecompileTo }: StateOverride,
  overridden: ReadonlySet<string>,
): void {
  const key = toBareHex(address)
  const precompile = precompiles.get(key)
  if (movePrecompileTo !== undefined) {
    const target = toBareHex(movePrecompileTo)
    if (precompile === undefined) throw failed(`account ${nameOf(address)} is not a precompile`)
    if (overridden.has(target))
      throw failed(`account ${nameOf(movePrecompileTo)} is already overridden`)
    precompiles.set(target, precompile)
  }
  precompiles.delete(key)
}

/** Ignores `movePrecompileTo`. Throws `execution_failed` as `overrideState`. */
export async function overrideAccount(
  state: StateManagerInterface,
  override: StateOverride,
): Promise<void> {
  if (override.state !== undefined && override.stateDiff !== undefined) {
    throw failed(`account ${nameOf(override.address)} has both 'state' and 'stateDiff'`)
  }
  const { balance, nonce, code, state: words, stateDiff = [] } = override
  const isChanged = [balance, nonce, code, words].some((given) => given !== undefined)
  if (!isChanged && stateDiff.length === 0) return
  const address = createAddressFromString(toHex(override.address))
  const account = (await state.getAccount(address)) ?? createAccount({})
  account.balance = balance ?? account.balance
  account.nonce = nonce ?? account.nonce
  await state.putAccount(address, account)
  if (code !== undefined) await state.putCode(address, code)
  if (words !== undefined) await state.clearStorage(address)
  for (const { slot, word } of words ?? stateDiff) {
    await state.putStorage(address, slot, withoutLeadingZeros(word))
  }
}

/** The header with the overridden fields. */
export function overrideHeader(header: Header, overrides: BlockOverrides): Header {
  const { number, time, gasLimit, feeRecipient, prevRandao, baseFeePerGas } = overrides
  return {
    ...header,
    number: number ?? header.number,
    timestamp: time ?? header.timestamp,
    gasLimit: gasLimit ?? header.gasLimit,
    miner: feeRecipient ?? header.miner,
    mixHash: prevRandao ?? header.mixHash,
    ...(header.baseFeePerGas === undefined
      ? {}
      : { baseFeePerGas: baseFeePerGas ?? header.baseFeePerGas }),
  }
}

/** The block that a call sees. No header field holds `blobBaseFee`, so the view's blob gas price is replaced. */
export function viewOverridden(
  header: Header,
  common: Common,
  blobBaseFee: bigint | undefined,
): Block {
  const { baseFeePerGas } = header
  const isLondonBlock =
    baseFeePerGas !== undefined && common.hardforkBlock('london') === header.number
  const freeze = blobBaseFee === undefined && !isLondonBlock
  // The library accepts a London block with a base fee only if it is the initial fee of EIP-1559.
  const accepted = isLondonBlock ? { ...header, baseFeePerGas: firstBaseFee } : header
  const block = viewHeader(encodeHeader(accepted), common, { freeze })
  if (isLondonBlock) Object.assign(block.header, { baseFeePerGas })
  if (blobBaseFee !== undefined) {
    Object.assign(block.header, { getBlobGasPrice: () => blobBaseFee })
  }
  return block
}

function nameOf(address: Uint8Array): string {
  return toChecksumAddress(`0x${toBareHex(address)}`)
}

function failed(detail: string): Fault {
  return new Fault('execution_failed', { detail })
}

function withoutLeadingZeros(word: Uint8Array): Uint8Array {
  const first = word.findIndex((byte) => byte !== 0)
  return first === -1 ? new Uint8Array(0) : word.subarray(first)
}

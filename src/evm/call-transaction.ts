// Builds the unsigned transaction of an eth_call and the block in which it runs.
// Tested by src/devchain/engine/engine.test.ts
import type { CallRequest } from '../chain/computation.ts'
import { createTx } from '@ethereumjs/tx'
import type { TypedTransaction } from '@ethereumjs/tx'
import type { Block } from '@ethereumjs/block'
import type { Common } from '@ethereumjs/common'
import { createAddressFromString } from '@ethereumjs/util'
import type { Address } from '@ethereumjs/util'
import { Fault } from '../base/fault.ts'
import { toHex, toQuantity } from '../base/hex.ts'
import type { Header } from '../codec/ethereum/header.ts'
import { viewOverridden } from './apply-overrides.ts'
import { accessListGas } from './intrinsic-gas.ts'

/** Maximum price per gas, wei; zero if the request names no price. */
export function feeCap(request: CallRequest): bigint {
  return request.gasPrice ?? request.maxFeePerGas ?? 0n
}

/** Maximum price per blob gas, wei; null for a call without blobs. */
export function blobFeeCap(request: CallRequest): bigint | null {
  return request.maxFeePerBlobGas ?? (request.blobVersionedHashes === undefined ? null : 0n)
}

/**
 * The request under the rules of its block: before London the only price is `gasPrice` (zero if absent), and fee caps are
 * ignored.
 */
export function requestAt({ baseFeePerGas }: Header, request: CallRequest): CallRequest {
  if (baseFeePerGas !== undefined) return request
  const { maxFeePerGas: _, maxPriorityFeePerGas: __, ...fields } = request
  return { ...fields, gasPrice: fields.gasPrice ?? 0n }
}

/**
 * If the request has no price, the base fee is zero; if its blob price is zero, so is the blob base fee. As in go-ethereum:
 * otherwise free calls could not run.
 */
export function callBlock(
  header: Header,
  common: Common,
  request: CallRequest,
  blobBaseFee: bigint | undefined,
): Block {
  const free = feeCap(request) === 0n && header.baseFeePerGas !== undefined
  const freeBlobs = blobFeeCap(request) === 0n
  return viewOverridden(
    free ? { ...header, baseFeePerGas: 0n } : header,
    common,
    freeBlobs ? 0n : blobBaseFee,
  )
}

/** Throws `execution_failed` if the fields are inconsistent. */
export function callTransaction(
  request: CallRequest,
  block: Block,
  { from, nonce }: { readonly from: Address; readonly nonce: bigint },
): TypedTransaction {
  const { common } = block
  const isUnsupported =
    (request.authorizationList !== undefined && !common.isActivatedEIP(7702)) ||
    (request.blobVersionedHashes !== undefined && !common.isActivatedEIP(4844))
  if (isUnsupported) {
    throw new Fault('execution_failed', { detail: 'transaction type not supported' })
  }
  try {
    const transaction = createTx(
      { ...fieldsOf(request, block), nonce: 0n, gasLimit: 21_000n } as never,
      { common, freeze: false },
    )
    // Before EIP-2930 an access list warms nothing, but its gas is charged.
    const { accessList = [] } = request
    const extraGas = common.isActivatedEIP(2930) ? 0n : accessListGas(accessList)
    const libraryGas = transaction.getIntrinsicGas.bind(transaction)
    // A call is not signed, and limits that apply only to transactions, such as the one on the nonce, do not apply to it.
    return Object.assign(transaction, {
      nonce,
      getSenderAddress: () => from,
      getIntrinsicGas: () => libraryGas() + extraGas,
    })
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause)
    throw new Fault('execution_failed', { detail: reasonOf(text), cause })
  }
}

/** Start of the library's message, and go-ethereum's message (core/error.go). */
const reasons: readonly (readonly [begins: string, reason: string])[] = [
  ['tx should contain at least one blob', 'blob transaction missing blob hashes'],
  ['versioned hash does not start with', 'blob has invalid hash version'],
  [
    'Invalid EIP-7702 transaction: authorization list is empty',
    'EIP-7702 transaction with empty auth list',
  ],
  ['the initcode size', 'max initcode size exceeded'],
]

/** The library appends a printout of the transaction. */
function reasonOf(text: string): string {
  const [message = '', printout = ''] = text.split(' (tx type=')
  if (message.startsWith('tx should have a "to" field')) {
    return printout.startsWith('3')
      ? 'blob transaction of type create'
      : 'EIP-7702 transaction cannot be used to create contract'
  }
  return reasons.find(([prefix]) => message.startsWith(prefix))?.[1] ?? message
}

/** Sets the gas limit, which may exceed the cap of EIP-7825. */
export function setGas(transaction: TypedTransaction, gasLimit: bigint): void {
  Object.assign(transaction, { gasLimit })
}

function fieldsOf(request: CallRequest, block: Block): Readonly<Record<string, unknown>> {
  const chainId = block.common.chainId()
  const accessList = (request.accessList ?? []).map(({ address, storageKeys }) => ({
    address: toHex(address),
    storageKeys: storageKeys.map(toHex),
  }))
  const shared = {
    ...(request.to === undefined ? {} : { to: createAddressFromString(toHex(request.to)) }),
    value: request.value ?? 0n,
    data: request.data ?? new Uint8Array(0),
  }
  const fees = {
    chainId,
    accessList,
    maxFeePerGas: feeCap(request),
    maxPriorityFeePerGas: request.maxPriorityFeePerGas ?? request.gasPrice ?? 0n,
  }
  if (request.authorizationList !== undefined) {
    const authorizationList = request.authorizationList.map(authorization)
    return { type: 4, ...shared, ...fees, authorizationList }
  }
  if (request.blobVersionedHashes !== undefined) {
    const maxFeePerBlobGas = blobFeeCap(request) ?? 0n
    const blobVersionedHashes = request.blobVersionedHashes.map(toHex)
    return { type: 3, ...shared, ...fees, maxFeePerBlobGas, blobVersionedHashes }
  }
  if (request.maxFeePerGas !== undefined || request.maxPriorityFeePerGas !== undefined) {
    return { type: 2, ...shared, ...fees }
  }
  const gasPrice = request.gasPrice ?? 0n
  const isListed = accessList.length > 0 && block.common.isActivatedEIP(2930)
  if (isListed) return { type: 1, ...shared, chainId, accessList, gasPrice }
  return { type: 0, ...shared, gasPrice }
}

function authorization(it: NonNullable<CallRequest['authorizationList']>[number]) {
  return {
    chainId: toQuantity(it.chainId),
    address: toHex(it.address),
    nonce: toQuantity(it.nonce),
    yParity: toQuantity(it.yParity),
    r: toQuantity(it.r),
    s: toQuantity(it.s),
  }
}

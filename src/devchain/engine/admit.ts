// Validates a raw transaction as go-ethereum's pool does (core/txpool/validation.go, internal/ethapi), in the same order and
// with the same messages, because clients match them. Every refusal is a Fault `pool_refused`.
// Tested by src/devchain/engine/engine.test.ts
import type { Common } from '@ethereumjs/common'
import { toChecksumAddress } from '../../codec/ethereum/checksum-address.ts'
import { Fault } from '../../base/fault.ts'
import { impersonatedSender } from '../../codec/ethereum/impersonation.ts'
import { Malformed } from '../../codec/ethereum/rlp.ts'
import { recoverSender } from '../../codec/ethereum/sender.ts'
import {
  decodeTransaction,
  transactionHash,
  UnsupportedTransaction,
} from '../../codec/ethereum/transaction.ts'
import type { Transaction } from '../../codec/ethereum/transaction.ts'
import { gasPerBlob } from '../../chain/fees.ts'
import { stripSidecar } from './blob-sidecar.ts'
import { floorDataGas, intrinsicGas } from '../../evm/intrinsic-gas.ts'
import type { PoolEntry } from './pool.ts'

/** Rules and prices (wei) of the next block. */
export type NextBlock = {
  readonly common: Common
  readonly gasLimit: bigint
  readonly baseFee: bigint
  readonly blobFee: bigint
}

/** `nonce`, `balance`: of the sender at the head. `queuedCost`: of its other pending transactions. */
export type SenderState = {
  readonly nonce: bigint
  readonly balance: bigint
  readonly queuedCost: bigint
  readonly hasCode: boolean
}

const rawBytesMax = 128 * 1024
/** EIP-7825, from Osaka on. */
const transactionGasMax = 16_777_216n
/** EIP-3860. */
const initCodeBytesMax = 49_152
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** Decodes the transaction and makes all checks that need no state. */
export function readTransaction(raw: Uint8Array, next: NextBlock): PoolEntry {
  const entry = raw[0] === 3 ? readable(() => stripSidecar(raw, next.common)) : raw
  const transaction = readable(() => decodeTransaction(entry))
  checkForm(transaction, entry, next)
  const sender = senderOf(transaction, next.common.chainId())
  checkGas(transaction, next.common)
  const feeCap = feeCapOf(transaction)
  const blobs =
    transaction.type === 3
      ? transaction.maxFeePerBlobGas * gasPerBlob * BigInt(transaction.blobVersionedHashes.length)
      : 0n
  return {
    raw: entry,
    hash: transactionHash(entry),
    sender,
    nonce: transaction.nonce,
    gas: transaction.gas,
    cost: feeCap * transaction.gas + transaction.value + blobs,
    feeCap,
    tip: 'maxPriorityFeePerGas' in transaction ? transaction.maxPriorityFeePerGas : feeCap,
    blobs: transaction.type === 3 ? transaction.blobVersionedHashes.length : 0,
    blobFeeCap: transaction.type === 3 ? transaction.maxFeePerBlobGas : null,
    ...(impersonatedSender(transaction) === null ? {} : { unsigned: true }),
  }
}

/** Makes the checks that need the sender's state. */
export function checkSender(entry: PoolEntry, state: SenderState): void {
  const { nonce, balance, queuedCost } = state
  if (state.hasCode) throw refused(`sender not an eoa: address ${toChecksumAddress(entry.sender)}`)
  if (entry.nonce < nonce) {
    throw refused(`nonce too low: next nonce ${nonce}, tx nonce ${entry.nonce}`)
  }
  if (balance < entry.cost) {
    throw refused(
      `insufficient funds for gas * price + value: balance ${balance}, tx cost ${entry.cost}, ` +
        `overshot ${entry.cost - balance}`,
    )
  }
  if (balance < entry.cost + queuedCost) {
    throw refused(
      `insufficient funds for gas * price + value: balance ${balance}, queued cost ${queuedCost}, ` +
        `tx cost ${entry.cost}, overshot ${entry.cost + queuedCost - balance}`,
    )
  }
}

/** Checks the fee caps against the next block's prices. */
export function checkPrices(
  { sender, feeCap, blobFeeCap }: PoolEntry,
  next: Pick<NextBlock, 'baseFee' | 'blobFee'>,
): void {
  if (feeCap < next.baseFee) {
    throw refused(
      `max fee per gas less than block base fee: address ${toChecksumAddress(sender)}, ` +
        `maxFeePerGas: ${feeCap}, baseFee: ${next.baseFee}`,
    )
  }
  if (blobFeeCap !== null && blobFeeCap < next.blobFee) {
    throw refused(
      `max fee per blob gas less than block blob gas fee: address ${toChecksumAddress(sender)} ` +
        `blobGasFeeCap: ${blobFeeCap}, blobBaseFee: ${next.blobFee}`,
    )
  }
}

function checkForm(transaction: Transaction, raw: Uint8Array, next: NextBlock): void {
  if (raw.length > rawBytesMax) {
    throw refused(`oversized data: transaction size ${raw.length}, limit ${rawBytesMax}`)
  }
  if (transaction.to === null && transaction.data.length > initCodeBytesMax) {
    throw refused(
      `max initcode size exceeded: code size ${transaction.data.length}, limit ${initCodeBytesMax}`,
    )
  }
  if (next.common.isActivatedEIP(7825) && transaction.gas > transactionGasMax) {
    throw refused(
      `transaction gas limit too high (cap: ${transactionGasMax}, tx: ${transaction.gas})`,
    )
  }
  if (transaction.gas > next.gasLimit) throw refused('exceeds block gas limit')
  if (
    'maxFeePerGas' in transaction &&
    transaction.maxFeePerGas < transaction.maxPriorityFeePerGas
  ) {
    throw refused('max priority fee per gas higher than max fee per gas')
  }
  if (transaction.type === 4 && transaction.authorizationList.length === 0) {
    throw refused('set code tx must have at least one authorization tuple')
  }
}

function senderOf(transaction: Transaction, chainId: bigint): Uint8Array {
  if (transaction.chainId === null) {
    throw refused('only replay-protected (EIP-155) transactions allowed over RPC')
  }
  if (transaction.chainId !== chainId) {
    throw refused(
      `invalid sender: invalid chain id for signer: have ${transaction.chainId} want ${chainId}`,
    )
  }
  if (transaction.s > halfOrder) throw refused('invalid sender: invalid transaction v, r, s values')
  try {
    return recoverSender(transaction)
  } catch (cause) {
    if (!(cause instanceof Malformed)) throw cause
    throw refused('invalid sender: invalid transaction v, r, s values', cause)
  }
}

function checkGas(transaction: Transaction, common: Common): void {
  const { data, to, gas } = transaction
  const shape = {
    data,
    creates: to === null,
    accessList: 'accessList' in transaction ? transaction.accessList : [],
    authorizations: transaction.type === 4 ? transaction.authorizationList.length : 0,
  }
  const needed = intrinsicGas(shape, common)
  if (gas < needed) throw refused(`intrinsic gas too low: gas ${gas}, minimum needed ${needed}`)
  const floor = common.isActivatedEIP(7623) ? floorDataGas(data) : 0n
  if (gas < floor) {
    throw refused(`insufficient gas for floor data gas cost: gas ${gas}, minimum needed ${floor}`)
  }
}

function feeCapOf(transaction: Transaction): bigint {
  return 'maxFeePerGas' in transaction ? transaction.maxFeePerGas : transaction.gasPrice
}

function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof UnsupportedTransaction) {
      throw refused('transaction type not supported', cause)
    }
    if (cause instanceof Malformed) throw refused(`rlp: ${cause.message}`, cause)
    throw cause
  }
}

function refused(detail: string, cause?: unknown): Fault {
  return new Fault('pool_refused', { detail, cause })
}

// Members that rollups add to receipts and transactions. Cairn computes them from proved bytes if it knows the rule. No root
// contains the others: they come from an upstream, and the label is `block`.
// Tested by test/upstream/rollups.test.ts
import { Fault } from '../../base/fault.ts'
import { toHex, toQuantity } from '../../base/hex.ts'
import type { Receipt } from '../../codec/ethereum/receipt.ts'
import {
  type AnyTransaction,
  depositType,
  isSystem,
  nitroContractType,
  nitroDepositType,
  nitroInternalType,
  nitroRetryType,
} from '../../codec/ethereum/system-transaction.ts'
import { transactionHash } from '../../codec/ethereum/transaction.ts'
import type { ProvedHeader } from '../../chain/blocks.ts'
import { effectiveGasPrice } from '../../chain/fees.ts'
import { readEntry } from '../../chain/list-entries.ts'
import { completeRead } from '../../chain/read.ts'
import { type NitroHeader, nitroHeader } from '../../chain/rollups/nitro-header.ts'
import { type FeeMember, opFeeMembers } from '../../chain/rollups/op-fees.ts'
import type { SignedTransaction } from '../../chain/transaction-object.ts'
import type { RpcCall } from '../operation.ts'

/** A receipt of a reply, with the raw entry of its transaction. */
export type ShownReceipt = {
  readonly index: number
  readonly raw: Uint8Array
  readonly receipt: Receipt
}

type Members = Readonly<Record<string, unknown>>

/** Members that are added to a receipt, or replace those of Ethereum. */
export type RollupMembers = (shown: ShownReceipt, signed: SignedTransaction) => Members

const noMembers: RollupMembers = () => ({})

/** Sets the label `block` if a member is an upstream's claim, or missing because no upstream reports it. Otherwise sets none. */
export async function obtainRollupMembers(
  call: RpcCall,
  block: ProvedHeader,
  shown: readonly ShownReceipt[],
): Promise<RollupMembers> {
  const { network } = call
  const nitro = nitroHeader(block.header)
  if (nitro !== null) {
    const reported = await fetchReceiptMembers(call, block, shown)
    return (one, signed) => nitroReceipt(block, nitro, signed, reported(one))
  }
  const { known } = network
  // Without upstreams this verifies a proof bundle, or serves the embedded chain, which has no such members.
  if (network.relay === null && known === undefined) {
    return ({ raw, receipt }) => membersOfReceipt(raw, receipt)
  }
  if (known !== undefined && known.family !== 'op') return noMembers
  const first =
    shown[0]?.index === 0
      ? shown[0].raw
      : await completeRead(readEntry(network, block, 'transactions', 0), call.signal)
  if (first?.[0] !== depositType) return noMembers
  const fees = opFeeMembers(first, block.header.timestamp, known)
  const isComplete = shown.every(({ raw, receipt }) =>
    raw[0] === depositType ? receipt.depositNonce !== undefined : fees !== null,
  )
  const reported = isComplete ? () => ({}) : await fetchReceiptMembers(call, block, shown)
  return (one) => {
    if (one.raw[0] === depositType) return depositReceipt(one.receipt, reported(one))
    return fees === null ? pick(reported(one), feeForms) : fees(one.raw)
  }
}

/** Members that follow from the receipt alone. */
function membersOfReceipt(raw: Uint8Array, receipt: Receipt): Members {
  return raw[0] === depositType ? depositReceipt(receipt, {}) : {}
}

/** Since Canyon the receipt contains these members; before, they come from the node. */
function depositReceipt(
  { depositNonce, depositReceiptVersion }: Receipt,
  reported: Members,
): Members {
  if (depositNonce === undefined) return pick(reported, earlyDepositForms)
  return {
    depositNonce: toQuantity(depositNonce),
    ...(depositReceiptVersion !== undefined && {
      depositReceiptVersion: toQuantity(depositReceiptVersion),
    }),
  }
}

/** Senders pay the base fee, and a tip only if the header says so. */
function nitroReceipt(
  { header }: ProvedHeader,
  { collectsTips, l1BlockNumber }: NitroHeader,
  { transaction }: SignedTransaction,
  reported: Members,
): Members {
  const baseFee = header.baseFeePerGas ?? 0n
  const { type, to } = transaction
  const paid = collectsTips ? priceWithTip(transaction, baseFee) : baseFee
  // These create contracts at the nonce that the sender has at execution, which is not in the transaction.
  const isHidden = to === null && (type === nitroContractType || type === nitroRetryType)
  return {
    effectiveGasPrice: toQuantity(paid),
    l1BlockNumber: toQuantity(l1BlockNumber),
    ...pick(reported, nitroForms),
    ...(isHidden && { contractAddress: null, ...pick(reported, { contractAddress: address }) }),
  }
}

/** Unsigned types pay no tip, and two of them pay nothing. */
function priceWithTip(transaction: AnyTransaction, baseFee: bigint): bigint {
  if (!isSystem(transaction)) return effectiveGasPrice(transaction, baseFee)
  const { type } = transaction
  return type === nitroDepositType || type === nitroInternalType ? 0n : baseFee
}

type Form = (value: unknown) => boolean

const matches =
  (form: RegExp): Form =>
  (value) =>
    typeof value === 'string' && form.test(value)
const quantity = matches(/^0x(?:0|[1-9a-f][0-9a-f]{0,63})$/)
const address = matches(/^0x[0-9a-f]{40}$/)

const nitroForms: Readonly<Record<string, Form>> = {
  gasUsedForL1: quantity,
  timeboosted: (value) => typeof value === 'boolean',
}
const feeForms: Readonly<Record<FeeMember, Form>> = {
  l1GasPrice: quantity,
  l1GasUsed: quantity,
  l1Fee: quantity,
  l1FeeScalar: matches(/^\d{1,40}(?:\.\d{1,40})?$/),
  l1BlobBaseFee: quantity,
  l1BaseFeeScalar: quantity,
  l1BlobBaseFeeScalar: quantity,
  operatorFeeScalar: quantity,
  operatorFeeConstant: quantity,
  daFootprintGasScalar: quantity,
  blobGasUsed: quantity,
}
const earlyDepositForms: Readonly<Record<string, Form>> = {
  depositNonce: quantity,
  contractAddress: (value) => value === null || address(value),
}

/** The members of a node's JSON with these names, if they have the expected form. */
function pick(reported: Members, forms: Readonly<Record<string, Form>>): Members {
  return Object.fromEntries(
    Object.entries(forms).flatMap(([name, hasForm]) =>
      Object.hasOwn(reported, name) && hasForm(reported[name]) ? [[name, reported[name]]] : [],
    ),
  )
}

/** The members that one upstream reports for these receipts, by transaction; none if it reports nothing for this block. */
async function fetchReceiptMembers(
  call: RpcCall,
  { hash }: ProvedHeader,
  shown: readonly ShownReceipt[],
): Promise<(one: ShownReceipt) => Members> {
  if (call.network.relay === null) return () => ({})
  const [first] = shown
  const result =
    shown.length === 1 && first !== undefined
      ? await queryUpstream(call, 'eth_getTransactionReceipt', [toHex(transactionHash(first.raw))])
      : await queryUpstream(call, 'eth_getBlockReceipts', [toHex(hash)])
  const found = byHash(Array.isArray(result) ? result : [result], 'transactionHash', toHex(hash))
  return ({ raw }) => found.get(toHex(transactionHash(raw))) ?? {}
}

/** Sets the label `block`. Null if no upstream answers. Throws `signal.reason`. */
export async function queryUpstream(
  { network, signal, labels }: Pick<RpcCall, 'network' | 'signal' | 'labels'>,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  labels.level('block')
  try {
    const { watch } = network.hint
    const request = { method, params, class: 'read', ...(watch && { watch }) } as const
    return (await network.relay?.call(request, signal))?.result ?? null
  } catch (thrown) {
    signal.throwIfAborted()
    if (thrown instanceof Fault) return null
    throw thrown
  }
}

/** The JSON objects that belong to this block, by their hash. */
export function byHash(
  list: readonly unknown[],
  name: string,
  blockHash: string,
): ReadonlyMap<string, Members> {
  const found = new Map<string, Members>()
  for (const item of list) {
    if (typeof item !== 'object' || item === null) continue
    const members = item as Members
    const [hash, of] = [members[name], members['blockHash']]
    if (typeof hash !== 'string' || typeof of !== 'string') continue
    if (of.toLowerCase() === blockHash) found.set(hash.toLowerCase(), members)
  }
  return found
}

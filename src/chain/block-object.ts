// Renders a block as eth_getBlockBy… returns it (geth's members, without totalDifficulty).
// Tested by src/rpc/methods/rpc-compat.test.ts
import { toHex, toQuantity } from '../base/hex.ts'
import {
  bytesField,
  decodeRlp,
  emptyRlpList,
  integerField,
  listField,
  splitList,
} from '../codec/ethereum/rlp.ts'
import { decodeHeader } from '../codec/ethereum/header.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import type { ProvedHeader } from './proved-memory.ts'
import { nitroMembers } from './rollups/nitro-header.ts'

/** The lists of a block as stored, each one RLP list; `withdrawals` null before Shanghai. */
export type BlockLists = {
  readonly transactions: Uint8Array
  readonly uncles: Uint8Array
  readonly withdrawals: Uint8Array | null
}

/** The JSON object. `transactions`: already rendered, as hashes or as objects. */
export function renderBlock(
  block: ProvedHeader,
  lists: BlockLists,
  transactions: readonly unknown[],
): Readonly<Record<string, unknown>> {
  const { header } = block
  const { withdrawals } = lists
  return {
    ...quantity('baseFeePerGas', header.baseFeePerGas),
    ...quantity('blobGasUsed', header.blobGasUsed),
    ...data('blockAccessListHash', header.blockAccessListHash),
    difficulty: toQuantity(header.difficulty),
    ...quantity('excessBlobGas', header.excessBlobGas),
    extraData: toHex(header.extraData),
    gasLimit: toQuantity(header.gasLimit),
    gasUsed: toQuantity(header.gasUsed),
    hash: toHex(block.hash),
    logsBloom: toHex(header.logsBloom),
    miner: toHex(header.miner),
    mixHash: toHex(header.mixHash),
    nonce: toHex(header.nonce),
    number: toQuantity(header.number),
    ...data('parentBeaconBlockRoot', header.parentBeaconBlockRoot),
    parentHash: toHex(header.parentHash),
    receiptsRoot: toHex(header.receiptsRoot),
    ...data('requestsHash', header.requestsHash),
    sha3Uncles: toHex(header.unclesHash),
    size: toQuantity(blockSize(block.bytes, lists)),
    ...quantity('slotNumber', header.slotNumber),
    stateRoot: toHex(header.stateRoot),
    timestamp: toQuantity(header.timestamp),
    transactions,
    transactionsRoot: toHex(header.transactionsRoot),
    uncles: splitList(lists.uncles).map((uncle) => toHex(keccak256(uncle))),
    ...(withdrawals === null ? {} : { withdrawals: splitList(withdrawals).map(withdrawal) }),
    ...data('withdrawalsRoot', header.withdrawalsRoot),
    ...nitroMembers(header),
  }
}

/**
 * The uncle at `index` as eth_getUncleBy… returns it: a block without lists and transactions; null past the end.
 * `uncles`: one RLP list.
 */
export function renderUncle(
  uncles: Uint8Array,
  index: bigint,
): Readonly<Record<string, unknown>> | null {
  const headers = splitList(uncles)
  if (index >= BigInt(headers.length)) return null
  const bytes = headers[Number(index)] as Uint8Array
  const block = { hash: keccak256(bytes), bytes, header: decodeHeader(bytes) }
  const lists = { transactions: emptyRlpList, uncles: emptyRlpList, withdrawals: null }
  const { transactions: _, ...uncle } = renderBlock(block, lists, [])
  return uncle
}

/** The notification of a newHeads subscription: the members of the header itself (geth's, absent ones left out). */
export function renderHeader(block: ProvedHeader): Readonly<Record<string, unknown>> {
  const lists = { transactions: emptyRlpList, uncles: emptyRlpList, withdrawals: null }
  const { size: _, transactions: __, uncles: ___, ...header } = renderBlock(block, lists, [])
  return header
}

/** Number of uncles in an RLP list of them. */
export function countUncles(uncles: Uint8Array): number {
  return splitList(uncles).length
}

function quantity(name: string, value: bigint | undefined): Readonly<Record<string, string>> {
  return value === undefined ? {} : { [name]: toQuantity(value) }
}

function data(name: string, value: Uint8Array | undefined): Readonly<Record<string, string>> {
  return value === undefined ? {} : { [name]: toHex(value) }
}

/** Length of RLP [header, transactions, uncles, withdrawals?]; the parts are RLP already. */
function blockSize(header: Uint8Array, lists: BlockLists): number {
  const payload =
    header.length +
    lists.transactions.length +
    lists.uncles.length +
    (lists.withdrawals?.length ?? 0)
  if (payload < 56) return payload + 1
  return payload + 1 + Math.ceil(payload.toString(16).length / 2)
}

/** EIP-4895: [index, validatorIndex, address, amount in gwei]. */
function withdrawal(entry: Uint8Array): Readonly<Record<string, string>> {
  const [index, validatorIndex, address, amount] = listField(decodeRlp(entry), 'withdrawal', 4)
  return {
    index: toQuantity(integerField(index, 'index', 8)),
    validatorIndex: toQuantity(integerField(validatorIndex, 'validatorIndex', 8)),
    address: toHex(bytesField(address, 'address', 20)),
    amount: toQuantity(integerField(amount, 'amount', 8)),
  }
}

// Changes of accounts outside the EVM (such as hardhat_setBalance), encoded as a transaction that records them in a block. It is
// sent by the system address with a gas limit of 0, unlike any other transaction. Every run of the block gives the same state root.
// Tested by src/codec/ethereum/state-change.test.ts
import { equalBytes, fromHex } from '../../base/hex.ts'
import { impersonate, impersonatedSender } from './impersonation.ts'
import {
  Malformed,
  type RlpItem,
  bytesField,
  decodeRlp,
  encodeInteger,
  encodeRlp,
  integerField,
  listField,
} from './rlp.ts'
import type { Transaction } from './transaction.ts'

/** `address`: 20 bytes. Absent members do not change. `slot`, `word`: 32 bytes. */
export type AccountChange = {
  readonly address: Uint8Array
  readonly balance?: bigint
  readonly nonce?: bigint
  readonly code?: Uint8Array
  readonly words?: readonly { readonly slot: Uint8Array; readonly word: Uint8Array }[]
}

/** Sender of the protocol's system calls (EIP-4788). */
const systemAddress = fromHex('0xfffffffffffffffffffffffffffffffffffffffe')
const recipient = new TextEncoder().encode('cairn: state change.')

/** `nonce`: the number of the block; it makes the transaction hash unique. */
export function stateChange(
  changes: readonly AccountChange[],
  { chainId, nonce }: { readonly chainId: bigint; readonly nonce: bigint },
): Transaction {
  const transaction: Transaction = {
    type: 2,
    chainId,
    nonce,
    gas: 0n,
    to: recipient,
    value: 0n,
    data: encodeRlp(changes.map(itemOf)),
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
    v: 0n,
    yParity: 0,
    r: 0n,
    s: 0n,
  }
  return impersonate(transaction, systemAddress, chainId)
}

/** The changes that `transaction` records; null for any other transaction. Throws `Malformed` if they are invalid. */
export function stateChangesOf(
  transaction: Pick<Transaction, 'gas' | 'to' | 'data' | 'r' | 's'>,
): readonly AccountChange[] | null {
  const { gas, to, data } = transaction
  if (gas !== 0n || to === null || !equalBytes(to, recipient)) return null
  const sender = impersonatedSender(transaction)
  if (sender === null || !equalBytes(sender, systemAddress)) return null
  return listField(decodeRlp(data), 'changes').map(changeOf)
}

function itemOf({ address, balance, nonce, code, words = [] }: AccountChange): RlpItem {
  return [
    address,
    balance === undefined ? [] : [encodeInteger(balance)],
    nonce === undefined ? [] : [encodeInteger(nonce)],
    code === undefined ? [] : [code],
    words.map(({ slot, word }) => [slot, word]),
  ]
}

function changeOf(item: RlpItem): AccountChange {
  const [address, balance, nonce, code, words] = listField(item, 'change', 5)
  const balanceItem = onlyItem(balance, 'balance')
  const nonceItem = onlyItem(nonce, 'nonce')
  const codeItem = onlyItem(code, 'code')
  return {
    address: bytesField(address, 'address', 20),
    ...(balanceItem === null ? {} : { balance: integerField(balanceItem, 'balance', 32) }),
    ...(nonceItem === null ? {} : { nonce: integerField(nonceItem, 'nonce', 8) }),
    ...(codeItem === null ? {} : { code: bytesField(codeItem, 'code') }),
    words: listField(words, 'words').map((entry) => {
      const [slot, word] = listField(entry, 'word', 2)
      return { slot: bytesField(slot, 'slot', 32), word: bytesField(word, 'word', 32) }
    }),
  }
}

/** The item of a list with one item; null for an empty list. */
function onlyItem(item: RlpItem | undefined, name: string): RlpItem | null {
  const [first = null, ...others] = listField(item, name)
  if (others.length > 0) throw new Malformed(`at most one ${name}, got ${others.length + 1}`)
  return first
}

// Values of a leaf in a state trie (account) and in a storage trie (slot), and the hashes of empty data.
import { fromHex } from '../../base/hex.ts'
import {
  Malformed,
  bytesField,
  decodeRlp,
  encodeInteger,
  encodeRlp,
  integerField,
  listField,
} from './rlp.ts'

/** keccak256(0x80): the root of an empty trie. */
export const emptyTrieRoot = fromHex(
  '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
)
/** keccak256 of no bytes: the code hash of an account without code. */
export const emptyCodeHash = fromHex(
  '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
)
/** keccak256(0xc0): an empty list of uncles, as in every block since the merge. */
export const emptyUnclesHash = fromHex(
  '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
)
/** sha256 of no bytes: an empty list of requests (EIP-7685). */
export const emptyRequestsHash = fromHex(
  '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
)

/** `balance` in wei; the hashes are 32 bytes. */
export type AccountState = {
  readonly nonce: bigint
  readonly balance: bigint
  readonly storageRoot: Uint8Array
  readonly codeHash: Uint8Array
}

/** State of an account whose absence is proved: zero balance, empty storage, no code. */
export const absentAccount: AccountState = {
  nonce: 0n,
  balance: 0n,
  storageRoot: emptyTrieRoot,
  codeHash: emptyCodeHash,
}

/** `bytes`: the leaf's value, an RLP list of exactly 4. Throws `Malformed`. */
export function decodeAccountState(bytes: Uint8Array): AccountState {
  const items = listField(decodeRlp(bytes), 'account', 4)
  return {
    nonce: integerField(items[0], 'nonce', 8),
    balance: integerField(items[1], 'balance', 32),
    storageRoot: bytesField(items[2], 'storageRoot', 32),
    codeHash: bytesField(items[3], 'codeHash', 32),
  }
}

export function encodeAccountState(account: AccountState): Uint8Array {
  return encodeRlp([
    encodeInteger(account.nonce),
    encodeInteger(account.balance),
    account.storageRoot,
    account.codeHash,
  ])
}

/**
 * `bytes`: the leaf's value, an RLP string of 1 to 32 bytes without leading zeros. Returns a new array of
 * 32 bytes. Throws `Malformed`, also on zero, which is never stored.
 */
export function decodeStorageValue(bytes: Uint8Array): Uint8Array {
  const value = bytesField(decodeRlp(bytes), 'storage value')
  if (value.length === 0 || value.length > 32 || value[0] === 0) {
    throw new Malformed('storage value of 1 to 32 bytes without leading zeros')
  }
  const padded = new Uint8Array(32)
  padded.set(value, 32 - value.length)
  return padded
}

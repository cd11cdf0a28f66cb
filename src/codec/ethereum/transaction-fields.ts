// Reads the fields of a signed transaction in payload order. All readers throw `Malformed` with the field's name.
// Tested by src/codec/ethereum/transaction.test.ts
import { Malformed, type RlpItem, bytesField, integerField, listField } from './rlp.ts'

/** `address`: 20 bytes; `storageKeys`: 32 bytes each. */
export type AccessListEntry = {
  readonly address: Uint8Array
  readonly storageKeys: readonly Uint8Array[]
}

/** EIP-7702. `yParity` is 0..255. The signature may be invalid; the authorization then has no effect. */
export type Authorization = {
  readonly chainId: bigint
  readonly address: Uint8Array
  readonly nonce: bigint
  readonly yParity: number
  readonly r: bigint
  readonly s: bigint
}

/** The items of a transaction; each method reads the next one. */
export class TransactionFields {
  readonly #items: readonly RlpItem[]
  #at = 0

  constructor(item: RlpItem, count: number) {
    this.#items = listField(item, 'transaction', count)
  }

  #next(): RlpItem | undefined {
    this.#at += 1
    return this.#items[this.#at - 1]
  }

  integer(name: string, bytesMax = 32): bigint {
    return integerField(this.#next(), name, bytesMax)
  }

  hashes(name: string): Uint8Array[] {
    return listField(this.#next(), name).map((item) => bytesField(item, name, 32))
  }

  call() {
    const gas = this.integer('gas', 8)
    const to = bytesField(this.#next(), 'to')
    if (to.length !== 0 && to.length !== 20) throw new Malformed(`to of 20 bytes, got ${to.length}`)
    const value = this.integer('value')
    return { gas, to: to.length === 0 ? null : to, value, data: bytesField(this.#next(), 'data') }
  }

  dynamicFee() {
    const chainId = this.integer('chainId')
    const nonce = this.integer('nonce', 8)
    const maxPriorityFeePerGas = this.integer('maxPriorityFeePerGas')
    const maxFeePerGas = this.integer('maxFeePerGas')
    const fees = { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas }
    return { ...fees, ...this.call(), accessList: this.accessList() }
  }

  accessList(): AccessListEntry[] {
    return listField(this.#next(), 'accessList').map((entry) => {
      const [address, keys] = listField(entry, 'access list entry', 2)
      return {
        address: bytesField(address, 'access list address', 20),
        storageKeys: listField(keys, 'storageKeys').map((key) =>
          bytesField(key, 'storage key', 32),
        ),
      }
    })
  }

  authorizations(): Authorization[] {
    return listField(this.#next(), 'authorizationList').map((entry) => {
      const items = listField(entry, 'authorization', 6)
      return {
        chainId: integerField(items[0], 'authorization chainId', 32),
        address: bytesField(items[1], 'authorization address', 20),
        nonce: integerField(items[2], 'authorization nonce', 8),
        yParity: Number(integerField(items[3], 'authorization yParity', 1)),
        r: integerField(items[4], 'authorization r', 32),
        s: integerField(items[5], 'authorization s', 32),
      }
    })
  }

  signature() {
    const v = this.integer('yParity', 1)
    if (v > 1n) throw new Malformed(`yParity of 0 or 1, got ${v}`)
    const yParity: 0 | 1 = v === 0n ? 0 : 1
    return { v, yParity, r: this.integer('r'), s: this.integer('s') }
  }
}

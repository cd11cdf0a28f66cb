import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Transaction as EthersTransaction, Wallet } from 'ethers'
import { fromHex, toHex } from '../../base/hex.ts'
import { recoverSender } from './sender.ts'
import { signTransaction } from './sign-transaction.ts'
import { decodeTransaction } from './transaction.ts'
import { encodeTransaction } from './transaction-encode.ts'

const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

test('a signed transaction is the one that ethers signs, for types 0 and 2', async () => {
  const wallet = new Wallet(key)
  const to = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
  const shared = { chainId: 1337, nonce: 7, to, value: 5, gasLimit: 30_000, data: '0x0102' }
  for (const fees of [
    { type: 0, gasPrice: 10 },
    { type: 2, maxFeePerGas: 10, maxPriorityFeePerGas: 1 },
  ]) {
    const expected = await wallet.signTransaction({ ...shared, ...fees })
    const { v: _, ...rest } = decodeTransaction(fromHex(expected))
    const unsigned = { ...rest, v: 0n, yParity: 0 as const, r: 0n, s: 0n }
    const signed = signTransaction(unsigned as never, fromHex(key), 1337n)
    assert.equal(toHex(encodeTransaction(signed)), expected)
    assert.equal(toHex(recoverSender(signed)), wallet.address.toLowerCase())
    assert.equal(EthersTransaction.from(expected).from, wallet.address)
  }
})

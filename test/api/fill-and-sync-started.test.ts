// eth_fillTransaction and eth_sendRawTransactionSync over the wire, against a started server.
import assert from 'node:assert/strict'
import test from 'node:test'
import { keccak256, Transaction, Wallet } from 'ethers'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { startCairn } from '../started-server.ts'

const alice = new Wallet(devAccounts[0]?.privateKey ?? '')
const from = alice.address.toLowerCase()
const to = `0x${'00'.repeat(19)}99`

type Reply<T> = {
  readonly result: T
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}
type Filled = { readonly raw: string; readonly tx: Readonly<Record<string, unknown>> }

test('a transaction is filled, signed, sent, and its receipt returned', async () => {
  const cairn = await startCairn()
  try {
    const ask = async <T>(method: string, ...params: unknown[]) =>
      (await cairn.rpc(method, params)) as Reply<T>
    const fill = async (call: object) => await ask<Filled>('eth_fillTransaction', call)

    const { result: filled } = await fill({ from, to, value: '0x1' })
    const unsigned = Transaction.from(filled.raw)
    // Zeros in place of the signature.
    unsigned.signature = null
    assert.deepEqual(filled.tx, {
      type: '0x2',
      chainId: '0x539',
      nonce: '0x0',
      to,
      gas: '0x5208',
      gasPrice: null,
      maxPriorityFeePerGas: '0xf4240',
      maxFeePerGas: filled.tx['maxFeePerGas'],
      value: '0x1',
      input: '0x',
      accessList: [],
      v: '0x0',
      r: '0x0',
      s: '0x0',
      yParity: '0x0',
      hash: keccak256(filled.raw),
    })
    const { result: head } = await ask<{ baseFeePerGas: string }>(
      'eth_getBlockByNumber',
      'latest',
      false,
    )
    assert.equal(
      BigInt(String(filled.tx['maxFeePerGas'])),
      2n * BigInt(head.baseFeePerGas) + 1_000_000n,
    )

    const signed = await alice.signTransaction(unsigned)
    const { result: receipt } = await ask<{ transactionHash: string; status: string }>(
      'eth_sendRawTransactionSync',
      signed,
    )
    assert.equal(receipt.status, '0x1')
    const later = await ask('eth_getTransactionReceipt', receipt.transactionHash)
    assert.deepEqual(receipt, later.result)

    const { result: legacy } = await fill({ from, to, gasPrice: '0x77359400', gas: '0x9999' })
    assert.partialDeepStrictEqual(legacy.tx, {
      type: '0x0',
      nonce: '0x1',
      gas: '0x9999',
      gasPrice: '0x77359400',
      maxFeePerGas: null,
    })
    const blob = { blobVersionedHashes: [`0x01${'00'.repeat(31)}`] }
    const { result: blobs } = await fill({ from, to, ...blob })
    assert.partialDeepStrictEqual(blobs.tx, { type: '0x3', maxFeePerBlobGas: '0x2', ...blob })

    // Messages of geth 1.17.5.
    const price = '0x77359400'
    const refusals: readonly (readonly [call: object, message: string])[] = [
      [{ from }, 'contract creation without any data provided'],
      [{ from, to, maxFeePerGas: '0x1' }, 'maxFeePerGas (0x1) < maxPriorityFeePerGas (0xf4240)'],
      [{ from, to, gasPrice: '0x0' }, 'gasPrice must be non-zero after london fork'],
      [
        { from, to, gasPrice: price, maxFeePerGas: price },
        'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
      ],
      [
        { from, to, data: '0x1234', input: '0x5678' },
        'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
      ],
      [{ from, to, chainId: '0x5' }, "chainId does not match node's (have=5, want=1337)"],
      [{ from, ...blob }, 'missing "to" in blob transaction'],
    ]
    for (const [call, message] of refusals) {
      assert.deepEqual((await fill(call)).error, { code: -32000, message })
    }

    // A nonce gap: the transaction waits for the previous one, which never arrives.
    unsigned.nonce = 7
    const gapped = await alice.signTransaction(unsigned)
    const { error } = await ask('eth_sendRawTransactionSync', gapped, 50)
    assert.deepEqual(error, {
      code: 4,
      message: "The transaction was added to the transaction pool but wasn't processed in 50ms",
      data: Transaction.from(gapped).hash,
    })
    const bad = await ask('eth_sendRawTransactionSync', '0x00')
    assert.equal(bad.error?.code, -32000)
    assert.deepEqual(bad.error, (await ask('eth_sendRawTransaction', '0x00')).error)
  } finally {
    await cairn.stop()
  }
})

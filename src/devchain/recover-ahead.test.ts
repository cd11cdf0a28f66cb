import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { Wallet } from 'ethers'
import { fromHex } from '../base/hex.ts'
import { joinBlock } from '../codec/ethereum/block.ts'
import { decodeHeader, encodeHeader } from '../codec/ethereum/header.ts'
import { encodeEntries } from '../codec/ethereum/list.ts'
import { emptyRlpList } from '../codec/ethereum/rlp.ts'
import { type Signer, recoverSigner } from '../codec/ethereum/sender.ts'
import { decodeTransaction } from '../codec/ethereum/transaction.ts'
import { defaultGenesis } from './default-genesis.ts'
import { buildFirstBlock } from './first-block.ts'
import { recoverAhead } from './recover-ahead.ts'
import { KnownKeys } from '../evm/threads/known-keys.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-ahead-'))
after(() => rmSync(folder, { recursive: true }))

const wallet = new Wallet(`0x${'11'.repeat(32)}`)

/** One transaction of each type with a signature format of its own. */
async function signed(nonce: number): Promise<Uint8Array[]> {
  const fees = [{ gasPrice: 1 }, { gasPrice: 1 }, { maxFeePerGas: 1, maxPriorityFeePerGas: 1 }]
  const all = fees.map((fee, type) =>
    wallet.signTransaction({ type, chainId: 1337, nonce, gasLimit: 21_000, ...fee }),
  )
  return (await Promise.all(all)).map(fromHex)
}

function block(number: bigint, transactions: readonly Uint8Array[]): Uint8Array {
  const { header } = buildFirstBlock(defaultGenesis)
  return joinBlock({
    header: encodeHeader({ ...decodeHeader(header), number }),
    transactions: encodeEntries(transactions),
    uncles: emptyRlpList,
    withdrawals: null,
  })
}

function signerOf(raw: Uint8Array): Signer {
  return recoverSigner(decodeTransaction(raw))
}

/** The keys that a chain thread has received after the file was read. */
async function recover(path: string, number = 0n, isDone = () => false): Promise<KnownKeys> {
  const { port1, port2 } = new MessageChannel()
  const keys = new KnownKeys()
  keys.listen(port2)
  await recoverAhead(path, { lastNumber: number, port: port1, isDone })
  return keys
}

function write(name: string, ...parts: readonly Uint8Array[]): string {
  const path = join(folder, name)
  writeFileSync(path, Buffer.concat(parts))
  return path
}

const [first, second] = [await signed(0), await signed(1)]
const path = write('two.rlp', block(1n, first), block(2n, second))

test('every key is known by what was signed, once', async () => {
  const keys = await recover(path)
  for (const signer of [...first, ...second].map(signerOf)) {
    assert.equal(keys.take({ ...signer, yParity: signer.yParity === 0 ? 1 : 0 }), null)
    assert.deepEqual(keys.take(signer), signer.publicKey)
    assert.equal(keys.take(signer), null)
  }
  keys.clear()
})

test('stored blocks are skipped, and nothing is recovered after the import has ended', async () => {
  const later = await recover(path, 1n)
  assert.equal(
    first.some((raw) => later.take(signerOf(raw)) !== null),
    false,
  )
  assert.equal(
    second.every((raw) => later.take(signerOf(raw)) !== null),
    true,
  )
  later.clear()
  const recovered = await recover(path, 0n, () => true)
  assert.equal(
    second.some((raw) => recovered.take(signerOf(raw)) !== null),
    false,
  )
  recovered.clear()
})

test('a file that is absent, cut off or no chain brings what is before that, and no error', async () => {
  const cut = await recover(write('cut.rlp', block(1n, first), block(2n, second).subarray(0, 700)))
  assert.equal(
    first.every((raw) => cut.take(signerOf(raw)) !== null),
    true,
  )
  assert.equal(
    second.some((raw) => cut.take(signerOf(raw)) !== null),
    false,
  )
  cut.clear()
  const odd = [join(folder, 'absent'), write('odd.rlp', Uint8Array.of(1, 2, 3)), folder]
  for (const one of odd) (await recover(one)).clear()
})

test('what was known of one import is forgotten with it', async () => {
  const keys = await recover(path)
  keys.clear()
  assert.equal(
    first.some((raw) => keys.take(signerOf(raw)) !== null),
    false,
  )
})

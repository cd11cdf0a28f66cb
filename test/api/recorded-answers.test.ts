// A chain created by geth with its answers, both recorded by `npm run record`, against a started server that imports the chain.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { splitBlocks } from '../../src/codec/ethereum/block.ts'
import { decodeHeader, encodeHeader } from '../../src/codec/ethereum/header.ts'
import { decodeEntries } from '../../src/codec/ethereum/list.ts'
import { verifyKeccakKinds } from '../../src/codec/hash/verify-keccak.ts'
import { decodeTransaction } from '../../src/codec/ethereum/transaction.ts'
import { encodeTransaction } from '../../src/codec/ethereum/transaction-encode.ts'
import { recordedChain, recordedDifferences } from '../fakes/chain-facts.ts'
import { recordedFolder } from '../fakes/chain-vectors.ts'
import { startRecordedChain } from '../fakes/upstream/recorded-chain.ts'
import type { Started } from '../started-server.ts'
import { replayTranscripts } from './rpc-compat.ts'
import { readTranscripts } from './transcripts.ts'

const methods = [...new Set(readTranscripts(recordedFolder).map(({ method }) => method))]
/** Methods that change or show the pool: run last, on the same server. */
const ofThePool = methods.filter((one) => /^txpool_|^eth_sendRaw/.test(one))

test('a server gives the answers of geth', async (t) => {
  const cairn = await startRecordedChain(t, recordedFolder, 'off')
  assert.equal(
    (await cairn.rpc('eth_blockNumber')).result,
    `0x${recordedChain.blocks.toString(16)}`,
  )
  for (const method of methods.filter((one) => !ofThePool.includes(one))) {
    await t.test(method, () => assertAnswers(cairn, [method]))
  }
  await t.test('the pool', (inner: TestContext) => {
    inner.diagnostic(ofThePool.join(', '))
    return assertAnswers(cairn, ofThePool)
  })
})

async function assertAnswers(cairn: Started, chosen: readonly string[]): Promise<void> {
  const { sent, failures } = await replayTranscripts({
    folder: recordedFolder,
    methods: new Set(chosen),
    exactMessages: new Set(chosen),
    async post(body) {
      const response = await fetch(`${cairn.url}/v3/${cairn.apiKey}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      return { status: response.status, text: await response.text() }
    },
  })
  assert.ok(sent >= chosen.length)
  const names = failures.map(({ name }) => name)
  const expected = [...recordedDifferences.keys()].filter((name) =>
    chosen.includes(name.split('/')[0] ?? ''),
  )
  assert.deepEqual(names, expected, JSON.stringify(failures))
}

test('every block of geth is proved by its hashes, and encoded again byte for byte', () => {
  const types = new Set<number>()
  let count = 0
  for (const parts of splitBlocks(
    new Uint8Array(readFileSync(join(recordedFolder, 'chain.rlp'))),
  )) {
    const header = decodeHeader(parts.header)
    count += 1
    assert.equal(header.number, BigInt(count))
    assert.deepEqual(encodeHeader(header), parts.header)
    verifyKeccakKinds({ kind: 'transactions', hash: header.transactionsRoot }, parts.transactions)
    if (header.withdrawalsRoot !== undefined && parts.withdrawals !== null) {
      verifyKeccakKinds({ kind: 'withdrawals', hash: header.withdrawalsRoot }, parts.withdrawals)
    }
    for (const raw of decodeEntries(parts.transactions)) {
      const transaction = decodeTransaction(raw)
      types.add(transaction.type)
      assert.deepEqual(encodeTransaction(transaction), raw)
    }
  }
  assert.equal(count, recordedChain.blocks)
  assert.deepEqual(
    [...types].toSorted((one, other) => one - other),
    [0, 1, 2, 3, 4],
  )
})

// The price of blob gas in receipts behind upstreams: proved with a known blob schedule, otherwise an upstream's value, and never
// omitted from an answer labelled as proved.
import assert from 'node:assert/strict'
import test, { before, type TestContext } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { toHex } from '../../src/base/hex.ts'
import { silentLog } from '../../src/base/log.ts'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import type { BlobFractions } from '../../src/base/known-network.ts'
import { createInvalidReplyLog } from '../../src/chain/upstream/pool/invalid-reply-log.ts'
import { startBehind } from '../behind-upstreams.ts'
import { openChainDatabase } from '../fakes/chain-database.ts'
import { openStubChain, type StubBlock, type StubChain } from '../fakes/upstream/stub-chain.ts'
import type { InvalidReply } from '../fakes/upstream/stub-knobs.ts'
import { startStubUpstream, type StubUpstream } from '../fakes/upstream/stub-upstream.ts'
import {
  openUpstreamCase,
  recordedFractions,
  type UpstreamCase,
} from '../fakes/upstream/upstream-network.ts'
import { canonical } from './reads.ts'

let chain: StubChain
let block: StubBlock
let hash: string

before(async () => {
  chain = await openStubChain()
  const isBlob = ({ type }: { readonly type: number }) => type === 3
  block = chain.recorded.find(({ view }) => view.transactions.some(isBlob)) ?? assert.fail()
  hash = toHex(block.view.transactions.find(isBlob)?.hash() ?? assert.fail())
})

async function open(
  t: TestContext,
  blobFractions: BlobFractions | null,
): Promise<readonly [UpstreamCase, StubUpstream]> {
  const stub = await startStubUpstream(t, chain)
  const { database } = openChainDatabase(t)
  const parts = { writer: createInlineWriter(database), clock: systemClock, log: silentLog }
  const ledger = createInvalidReplyLog({ network: 'case', ...parts })
  const opened = await openUpstreamCase({ name: 'case', stubs: [stub], blobFractions, ledger })
  t.after(async () => {
    await opened.idle()
    await opened.close()
  })
  return [opened, stub]
}

const reads = () =>
  [
    ['eth_getTransactionReceipt', [hash]],
    ['eth_getBlockReceipts', [block.hash]],
  ] as const

test('with the schedule the price is computed from the proved header', async (t) => {
  const [opened, stub] = await open(t, recordedFractions)
  for (const [method, params] of reads()) {
    const answer = await opened.read(method, params)
    assert.ok('result' in answer)
    assert.equal(answer.level, 'proof')
    assert.equal(canonical(answer.result), canonical(await stub.honest(method, params)))
  }
})

test('without a schedule the price is the value of an upstream, and the label shows it', async (t) => {
  const [opened, stub] = await open(t, null)
  for (const [method, params] of reads()) {
    const answer = await opened.read(method, params)
    assert.ok('result' in answer)
    assert.equal(answer.level, 'block', method)
    assert.equal(canonical(answer.result), canonical(await stub.honest(method, params)))
  }
})

test('an invalid price for the block is omitted, and nothing is labelled as proved', async (t) => {
  const other = chain.recorded[3]?.hash
  const changed =
    (member: object): InvalidReply =>
    ({ method }, honest) =>
      method === 'eth_getTransactionReceipt' && 'result' in honest
        ? { result: { ...(honest.result as object), ...member } }
        : null
  const falsifications: readonly InvalidReply[] = [
    changed({ blobGasPrice: undefined }),
    changed({ blobGasPrice: 7 }),
    changed({ blobGasPrice: '0x07' }),
    changed({ blockHash: other }),
    ({ method }) => (method === 'eth_getTransactionReceipt' ? { result: null } : null),
    ({ method }) =>
      method === 'eth_getTransactionReceipt'
        ? { error: { code: -32000, message: 'something else' } }
        : null,
  ]
  for (const falsify of falsifications) {
    const [opened, stub] = await open(t, null)
    stub.knobs.falsify = falsify
    for (const [method, params] of reads()) {
      const answer = await opened.read(method, params)
      assert.ok('result' in answer, JSON.stringify(answer))
      assert.equal(answer.level, 'block')
      assert.ok(!JSON.stringify(answer.result).includes('blobGasPrice'))
    }
  }
})

test('without blobs nothing depends on the schedule', async (t) => {
  const [opened, stub] = await open(t, null)
  const plain = chain.recorded.find(
    ({ view, receipts }) =>
      receipts.length > 0 && view.transactions.every(({ type }) => type !== 3),
  )
  const answer = await opened.read('eth_getBlockReceipts', [plain?.hash])
  assert.ok('result' in answer && answer.level === 'proof')
  assert.equal(stub.count('eth_getTransactionReceipt'), 0)
})

test('networks[].blobSchedule sets the schedule of a network', async (t) => {
  const stub = await startStubUpstream(t, chain)
  const cairn = await startBehind(t, [{ url: stub.url, trusted: true }], {
    chainId: Number(chain.chainId),
    blobSchedule: [
      { from: 0, baseFeeUpdateFraction: 3_338_477 },
      { from: 420, baseFeeUpdateFraction: 11_684_671 },
    ],
  })
  for (const [method, params] of reads()) {
    const { result, level } = await cairn.ask(method, params)
    assert.equal(level, 'proof')
    assert.equal(canonical(result), canonical(await stub.honest(method, params)))
  }
})

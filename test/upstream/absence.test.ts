// Absence requires the replies of two upstreams, or of a trusted one. An upstream's error does not prove it: with `require` no read
// turns an error into null, zero or an empty list.
import assert from 'node:assert/strict'
import test, { before, type TestContext } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { toHex, toQuantity } from '../../src/base/hex.ts'
import { silentLog } from '../../src/base/log.ts'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import { createInvalidReplyLog } from '../../src/chain/upstream/pool/invalid-reply-log.ts'
import type { VerifyMode } from '../../src/rpc/relay/prove-or-relay.ts'
import { openChainDatabase } from '../fakes/chain-database.ts'
import { openStubChain, type StubBlock, type StubChain } from '../fakes/upstream/stub-chain.ts'
import type { StubReply } from '../fakes/upstream/stub-knobs.ts'
import { startStubUpstream, type StubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { openUpstreamCase, type UpstreamCase } from '../fakes/upstream/upstream-network.ts'
import { readsByNumber, readsOf, type Read } from './reads.ts'

let chain: StubChain

before(async () => {
  chain = await openStubChain()
})

const error = (code: number, message: string): StubReply => ({ error: { code, message } })

/** Error replies of each kind that nodes and providers give instead of content. */
const errors: readonly StubReply[] = [
  error(-32000, 'missing trie node abc'),
  error(-32000, 'pruned history unavailable'),
  error(4444, 'the block is gone'),
  error(-32000, 'header not found'),
  error(-32000, 'hash is not currently canonical'),
  error(-32601, 'the method does not exist/is not available'),
  error(-32602, 'invalid argument 0: hex string'),
  error(-32000, 'distance to target block exceeds maximum proof window'),
  error(-32000, 'finalized block not found'),
  error(-32000, 'invalid api key'),
  error(-32000, 'query returned more than 10000 results'),
  error(3, 'execution reverted'),
  error(-32000, 'something else'),
]
/** After these errors an upstream is paused, and each read waits for it, so the test uses few reads. */
const troubles: readonly StubReply[] = [
  error(-32603, 'Internal error'),
  error(-32005, 'too many requests'),
  error(-33000, 'reached the quota'),
]
const someReads = 5

type Case = { readonly opened: UpstreamCase; readonly stubs: readonly StubUpstream[] }

async function open(
  t: TestContext,
  options: { count?: number; trusted?: readonly number[]; verify?: VerifyMode } = {},
): Promise<Case> {
  const { count = 1, trusted = [], verify = 'require' } = options
  const stubs = await Promise.all(Array.from({ length: count }, () => startStubUpstream(t, chain)))
  const { database } = openChainDatabase(t)
  const parts = { writer: createInlineWriter(database), clock: systemClock, log: silentLog }
  const ledger = createInvalidReplyLog({ network: 'case', ...parts })
  const opened = await openUpstreamCase({ name: 'case', stubs, trusted, verify, ledger })
  t.after(async () => {
    await opened.idle()
    await opened.close()
  })
  return { opened, stubs }
}

/** Sends `reply` to all content requests; the head is followed as before. */
function answerWith(stub: StubUpstream, reply: StubReply | null): void {
  stub.knobs.falsify = ({ method, params }) =>
    method === 'eth_chainId' || params[0] === 'latest' ? null : reply
}

/** Every read that refers to a block by hash or number and can report absence. */
function everyRead(block: StubBlock): readonly Read[] {
  const same = (method: string, ...params: readonly unknown[]): Read => ({
    method,
    params,
    upstream: [method, params],
  })
  const number = toQuantity(block.number)
  return [
    ...readsOf(block),
    ...readsByNumber(block),
    same('eth_getBlockTransactionCountByHash', block.hash),
    same('eth_getUncleCountByBlockHash', block.hash),
    same('eth_getUncleByBlockHashAndIndex', block.hash, '0x0'),
    same('eth_getBlockTransactionCountByNumber', number),
    same('eth_getUncleCountByBlockNumber', number),
    same('eth_getUncleByBlockNumberAndIndex', number, '0x0'),
    same('eth_getStorageValues', { [`0x${'11'.repeat(20)}`]: ['0x0'] }, { blockHash: block.hash }),
    same('eth_getLogs', { fromBlock: number, toBlock: number }),
    same('debug_getRawHeader', block.hash),
    same(
      'debug_getRawTransaction',
      toHex(block.view.transactions[0]?.hash() ?? new Uint8Array(32)),
    ),
  ]
}

const unknown = `0x${'ab'.repeat(32)}`
/** Reads of a block that no node has. */
const absentReads: readonly (readonly [method: string, params: readonly unknown[]])[] = [
  ['eth_getBlockByHash', [unknown, true]],
  ['eth_getBlockByHash', [unknown, false]],
  ['eth_getTransactionByBlockHashAndIndex', [unknown, '0x0']],
  ['eth_getBlockReceipts', [unknown]],
  ['eth_getBlockTransactionCountByHash', [unknown]],
  ['eth_getUncleCountByBlockHash', [unknown]],
  ['eth_getUncleByBlockHashAndIndex', [unknown, '0x0']],
]

for (const reply of [...errors, ...troubles]) {
  const { message } = (reply as { error: { message: string } }).error
  test(`an error of one upstream is not evidence of absence: ${message}`, async (t) => {
    const { opened, stubs } = await open(t)
    const [stub] = stubs as [StubUpstream]
    answerWith(stub, reply)
    const block = chain.recorded[20] ?? assert.fail()
    const reads = everyRead(block)
    for (const { method, params } of troubles.includes(reply) ? reads.slice(-someReads) : reads) {
      const answer = await opened.read(method, params)
      assert.ok('fault' in answer, `${method} ${JSON.stringify(params)}: ${JSON.stringify(answer)}`)
    }
  })
}

test('an unknown block is null with two upstreams or a trusted one, and unverified with one', async (t) => {
  for (const [reply, all] of [
    [{ result: null }, true],
    [error(-32000, 'header not found'), true],
    [error(-32000, 'missing trie node abc'), false],
    [error(-32000, 'pruned history unavailable'), false],
  ] as const) {
    const one = await open(t)
    const two = await open(t, { count: 2 })
    const trusted = await open(t, { trusted: [0] })
    for (const { stubs } of [one, two, trusted]) for (const stub of stubs) answerWith(stub, reply)
    for (const [method, params] of absentReads) {
      const about = `${method} ${JSON.stringify(reply)}`
      assert.deepEqual(await one.opened.read(method, params), { fault: 'unverified' }, about)
      for (const { opened } of [two, trusted]) {
        const answer = await opened.read(method, params)
        if (!all) assert.deepEqual(answer, { fault: 'unverified' }, about)
        else
          assert.ok('result' in answer && answer.result === null && answer.level === 'none', about)
      }
    }
  }
})

test('a pruned upstream does not count as a second confirmation of absence', async (t) => {
  const { opened, stubs } = await open(t, { count: 2 })
  answerWith(stubs[0] ?? assert.fail(), { result: null })
  answerWith(stubs[1] ?? assert.fail(), error(-32000, 'pruned history unavailable'))
  for (const [method, params] of absentReads) {
    assert.deepEqual(await opened.read(method, params), { fault: 'unverified' }, method)
  }
})

test('a block with a known number and an unavailable header is an error, not null', async (t) => {
  const { opened, stubs } = await open(t, { trusted: [0] })
  const [stub] = stubs as [StubUpstream]
  // By number the upstream returns the block; by hash it reports none.
  stub.knobs.falsify = ({ method }) =>
    method === 'eth_getBlockByHash' || method.startsWith('debug_') ? { result: null } : null
  for (const { method, params } of readsByNumber(chain.recorded[20] ?? assert.fail())) {
    const answer = await opened.read(method, params)
    assert.ok('fault' in answer, `${method} ${JSON.stringify(params)}: ${JSON.stringify(answer)}`)
  }
})

test('under prefer the absence reported by one upstream is forwarded, labelled none', async (t) => {
  const { opened, stubs } = await open(t, { verify: 'prefer' })
  answerWith(stubs[0] ?? assert.fail(), { result: null })
  for (const [method, params] of absentReads) {
    const answer = await opened.read(method, params)
    assert.ok('result' in answer && answer.result === null && answer.level === 'none', method)
  }
})

const byTransactionHash = [
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'debug_getRawTransaction',
] as const

type Place = { readonly blockHash: string; readonly transactionIndex: string }

/** Falsifies the position of the last transaction of block 20. */
function misplace(stub: StubUpstream, change: Partial<Place>): void {
  stub.knobs.falsify = ({ method }, honest) =>
    method === 'eth_getTransactionByHash' && 'result' in honest && honest.result !== null
      ? { result: { ...(honest.result as object), ...change } }
      : null
}

test('a transaction with a wrong position is unverified, and never null', async (t) => {
  const [block, other] = [chain.recorded[20] ?? assert.fail(), chain.recorded[30] ?? assert.fail()]
  const hash = toHex(block.view.transactions.at(-1)?.hash() ?? assert.fail())
  const places: readonly Partial<Place>[] = [
    { transactionIndex: '0xff' },
    { blockHash: other.hash, transactionIndex: '0x0' },
    { blockHash: other.hash, transactionIndex: '0xffff' },
    { blockHash: unknown },
  ]
  for (const options of [{}, { trusted: [0] }, { count: 2 }]) {
    for (const place of places) {
      const { opened, stubs } = await open(t, options)
      for (const stub of stubs) misplace(stub, place)
      for (const method of byTransactionHash) {
        const about = `${method} ${JSON.stringify(place)}`
        assert.deepEqual(await opened.read(method, [hash]), { fault: 'unverified' }, about)
      }
    }
  }
  // With two upstreams the correct position is found, whichever is queried first.
  for (const wrong of [0, 1]) {
    const { opened, stubs } = await open(t, { count: 2 })
    misplace(stubs[wrong] ?? assert.fail(), { blockHash: other.hash, transactionIndex: '0x0' })
    for (const method of byTransactionHash) {
      const answer = await opened.read(method, [hash])
      assert.ok('result' in answer && answer.level === 'proof', method)
    }
  }
})

test('a transaction that a reorg moved is found in its new block immediately', async (t) => {
  const parent = chain.recorded[53] ?? assert.fail()
  const last = chain.recorded[54] ?? assert.fail()
  // A blob transaction can only be sent with its blobs.
  const transactions = last.view.transactions
    .filter(({ type }) => type !== 3)
    .map((it) => it.serialize())
  const branch = await chain.extend(parent, { count: 1, salt: 3, transactions })
  const moved = branch[0]?.view.transactions ?? []
  assert.ok(moved.length > 0)
  for (const method of byTransactionHash) {
    const { opened, stubs } = await open(t)
    const [stub] = stubs as [StubUpstream]
    const hash = toHex(moved[0]?.hash() ?? assert.fail())
    // Cairn does not learn of the reorg by polling, because the period is one minute here.
    stub.follow(branch)
    const after = await opened.read(method, [hash])
    assert.ok('result' in after, `${method}: ${JSON.stringify(after)}`)
    assert.deepEqual([after.level, after.block], ['proof', branch[0]?.hash], method)
  }
})

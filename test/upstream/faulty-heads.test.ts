// Requests by tag or number depend on upstreams for the block: no wrong block is served while fewer than a quorum of upstreams are
// faulty, and the label contains the trust anchor.
import assert from 'node:assert/strict'
import test, { before, type TestContext } from 'node:test'
import { keccak256 } from 'viem'
import { systemClock } from '../../src/base/clock.ts'
import { fromHex } from '../../src/base/hex.ts'
import { silentLog } from '../../src/base/log.ts'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import type { HeadSettings } from '../../src/chain/upstream/head/head-settings.ts'
import { createInvalidReplyLog } from '../../src/chain/upstream/pool/invalid-reply-log.ts'
import { testChain } from '../fakes/chain-facts.ts'
import { openChainDatabase } from '../fakes/chain-database.ts'
import { chainFolder } from '../fakes/chain-vectors.ts'
import type { InvalidReply } from '../fakes/upstream/stub-knobs.ts'
import { openStubChain, type StubBlock, type StubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream, type StubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { openUpstreamCase, type UpstreamCase } from '../fakes/upstream/upstream-network.ts'
import { readTranscripts } from '../api/transcripts.ts'
import { canonical, emitter, readsByNumber, slotOf, truthOf } from './reads.ts'

let chain: StubChain
/** Mined on block 50, higher than the recorded chain, and also valid. */
let branch: readonly StubBlock[]

before(async () => {
  chain = await openStubChain()
  branch = await chain.extend(chain.recorded[50] ?? assert.fail(), { count: 8, salt: 7 })
})

const historyContract = '0x0000f90827f1c53a10cb7a02335b175320002935'

/** The false replies about blocks by tag or number; all other replies are honest. */
type HeadFalsehood = {
  readonly name: string
  begin(faulty: StubUpstream): void
}

const byNumber =
  (change: (block: Record<string, unknown>) => object | null): InvalidReply =>
  ({ method }, honest) =>
    method === 'eth_getBlockByNumber' && 'result' in honest && honest.result !== null
      ? { result: change(honest.result as Record<string, unknown>) }
      : null

const headFalsehoods: readonly HeadFalsehood[] = [
  {
    name: 'follows another branch that is completely valid',
    begin: (faulty) => faulty.follow(branch),
  },
  {
    name: 'names a hash that no node has',
    begin: ({ knobs }) => {
      knobs.falsify = byNumber((block) => ({ ...block, hash: `0x${'ab'.repeat(32)}` }))
    },
  },
  {
    name: 'replaces every block with an old one',
    begin: ({ knobs, chain: { recorded } }) => {
      knobs.falsify = byNumber((block) => ({ ...block, hash: recorded[7]?.hash }))
    },
  },
  {
    name: 'names a number far above the head',
    begin: ({ knobs }) => {
      knobs.falsify = byNumber((block) => ({ ...block, number: '0xfffffff' }))
    },
  },
  {
    name: 'reports that the block does not exist',
    begin: ({ knobs }) => {
      knobs.falsify = byNumber(() => null)
    },
  },
  {
    name: 'replies with malformed blocks',
    begin: ({ knobs }) => {
      knobs.falsify = byNumber(() => ({ hash: 7, number: [] }))
    },
  },
  { name: 'is twenty blocks behind', begin: ({ knobs }) => void (knobs.lag = 20) },
]

async function open(
  t: TestContext,
  stubs: readonly StubUpstream[],
  options: { readonly trusted?: readonly number[]; readonly heads?: Partial<HeadSettings> } = {},
): Promise<UpstreamCase> {
  const { database } = openChainDatabase(t)
  const parts = { writer: createInlineWriter(database), clock: systemClock, log: silentLog }
  const ledger = createInvalidReplyLog({ network: 'case', ...parts })
  const opened = await openUpstreamCase({ name: 'case', stubs, ledger, ...options })
  t.after(async () => {
    await opened.idle()
    await opened.close()
  })
  return opened
}

const start = (t: TestContext, count: number) =>
  Promise.all(Array.from({ length: count }, () => startStubUpstream(t, chain)))

const tagged = [
  ['eth_getBlockByNumber', ['latest', true]],
  ['eth_getBalance', ['0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f', 'latest']],
  ['eth_getStorageAt', [emitter, slotOf(0n), 'latest']],
  // The slot contains parent hashes, so its value differs on every branch.
  ['eth_getStorageAt', [historyContract, slotOf(51n), 'latest']],
  ['eth_getCode', [emitter, 'safe']],
  ['eth_getTransactionCount', ['0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f', 'finalized']],
] as const

for (const { name, begin } of headFalsehoods) {
  test(`one of three that ${name} changes no answer by tag or number`, async (t) => {
    const [faulty, honest, other] = (await start(t, 3)) as [
      StubUpstream,
      StubUpstream,
      StubUpstream,
    ]
    begin(faulty)
    const opened = await open(t, [faulty, honest, other])
    for (const [method, params] of tagged) {
      const answer = await opened.read(method, params)
      assert.ok('result' in answer, `${method} ${JSON.stringify(answer)}`)
      assert.equal(canonical(answer.result), canonical(await honest.honest(method, params)), method)
      assert.deepEqual([answer.level, answer.block], ['proof', chain.recorded[54]?.hash])
      assert.match(String(answer.anchor), /^quorum:[23]\/3$/)
    }
    for (const read of [3, 21, 40, 52].flatMap((at) =>
      readsByNumber(chain.recorded[at] as never),
    )) {
      const answer = await opened.read(read.method, read.params)
      const about = `${read.method} ${JSON.stringify(read.params)}`
      assert.ok('result' in answer, `${about} ${JSON.stringify(answer)}`)
      assert.equal(canonical(answer.result), await truthOf(honest, read), about)
    }
  })

  test(`one of two that ${name} causes no wrong block: both are needed`, async (t) => {
    const [faulty, honest] = (await start(t, 2)) as [StubUpstream, StubUpstream]
    begin(faulty)
    const opened = await open(t, [faulty, honest])
    for (const [method, params] of tagged) {
      const answer = await opened.read(method, params)
      if ('fault' in answer) continue
      // An older block on both branches is correct, and the reply names it.
      assert.ok(
        chain.recorded.some(({ hash }) => hash === answer.block),
        `${method} ${answer.block} ${answer.anchor}`,
      )
      // An upstream without a usable head counts as unreachable. Then the other one alone decides.
      assert.match(String(answer.anchor), /^quorum:2\/2$|^single$/)
    }
  })
}

test('a single upstream is accepted, and labelled single', async (t) => {
  const [faulty] = (await start(t, 1)) as [StubUpstream]
  faulty.follow(branch)
  const opened = await open(t, [faulty])
  const answer = await opened.read('eth_getBalance', [emitter, 'latest'])
  assert.ok('result' in answer)
  assert.deepEqual(
    [answer.level, answer.anchor, answer.block],
    ['proof', 'single', branch.at(-1)?.hash],
  )
})

test('a required quorum refuses the head of a single upstream and names the fix', async (t) => {
  const [faulty, honest] = (await start(t, 2)) as [StubUpstream, StubUpstream]
  await honest.stop()
  const opened = await open(t, [faulty, honest], { heads: { quorumRequired: true } })
  assert.deepEqual(await opened.read('eth_getBalance', [emitter, 'latest']), {
    fault: 'unverified',
  })
})

test('a trusted node takes precedence over two others that agree', async (t) => {
  const [faulty, other, own] = (await start(t, 3)) as [StubUpstream, StubUpstream, StubUpstream]
  for (const one of [faulty, other]) one.follow(branch)
  const opened = await open(t, [faulty, other, own], { trusted: [2] })
  const answer = await opened.read('eth_getBalance', [emitter, 'latest'])
  assert.ok('result' in answer)
  assert.deepEqual(
    [answer.level, answer.anchor, answer.block],
    ['proof', 'trusted', chain.recorded[54]?.hash],
  )
})

test('a transaction that exists only on a forged branch is not found', async (t) => {
  // Signed for this chain, but in none of its blocks.
  const recorded = readTranscripts(chainFolder).filter(({ name }) => name === testChain.unmined)
  const { params } = JSON.parse(recorded[0]?.request ?? '') as { params: [`0x${string}`] }
  const own = await chain.extend(chain.recorded[54] ?? assert.fail(), {
    count: 1,
    salt: 3,
    transactions: [fromHex(params[0])],
  })
  assert.equal(own[0]?.view.transactions.length, 1)
  const [faulty, honest, other] = (await start(t, 3)) as [StubUpstream, StubUpstream, StubUpstream]
  faulty.follow(own)
  const opened = await open(t, [faulty, honest, other])
  const hash = keccak256(params[0])
  assert.notEqual(await faulty.honest('eth_getTransactionReceipt', [hash]), null)
  for (const method of ['eth_getTransactionReceipt', 'eth_getTransactionByHash']) {
    const answer = await opened.read(method, [hash])
    assert.ok('result' in answer, JSON.stringify(answer))
    const about = JSON.stringify(answer.result)
    if (method === 'eth_getTransactionReceipt') assert.equal(answer.result, null, about)
    else
      assert.equal((answer.result as { blockHash?: null } | null)?.blockHash ?? null, null, about)
    assert.notEqual(answer.level, 'proof', about)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testChain } from '../../../../test/fakes/chain-facts.ts'
import { openStubChain, type StubChain } from '../../../../test/fakes/upstream/stub-chain.ts'
import type { StubKnobs } from '../../../../test/fakes/upstream/stub-knobs.ts'
import { startStubUpstream } from '../../../../test/fakes/upstream/stub-upstream.ts'
import {
  openUpstreamContent,
  provedBlock,
} from '../../../../test/fakes/upstream/upstream-content.ts'
import { Fault } from '../../../base/fault.ts'
import { fromHex, toHex } from '../../../base/hex.ts'
import { encodeEntries } from '../../../codec/ethereum/list.ts'
import {
  findHeader,
  readBlockLists,
  readReceiptList,
  readTransactionList,
  readUncleList,
  readWithdrawalList,
} from '../../blocks.ts'
import { readCode, readStorage } from '../../state.ts'
import { watchReads } from '../../watched-network.ts'
import { completeRead } from '../../read.ts'

const chain: StubChain = await openStubChain()
const { signal } = new AbortController()

function same(one: Uint8Array | null, other: Uint8Array | null): void {
  assert.equal(one && toHex(one), other && toHex(other))
}

/** Valid differences between nodes. */
const nodes: readonly (readonly [string, Partial<StubKnobs>])[] = [
  ['raw calls by hash', {}],
  ['raw calls by number only', { rawByHash: false }],
  ['no debug calls', { lacks: (method) => method.startsWith('debug_') }],
  [
    'no debug calls, v and data only',
    {
      lacks: (method) => method.startsWith('debug_'),
      spelling: { parity: 'v', input: 'data', padded: false },
    },
  ],
  [
    'no debug calls, yParity only, padded integers',
    {
      lacks: (method) => method.startsWith('debug_'),
      spelling: { parity: 'yParity', input: 'both', padded: true },
    },
  ],
  [
    'receipts one by one only',
    { lacks: (method) => method.startsWith('debug_') || method === 'eth_getBlockReceipts' },
  ],
  ['no EIP-1898', { blockHashParameter: false }],
  ['whole keys only', { wholeKeysOnly: true }],
]

const word = (value: number) => fromHex(`0x${value.toString(16).padStart(64, '0')}`)

for (const [name, knobs] of nodes) {
  test(`state is read and proved from a node with ${name}`, async (t) => {
    const stub = await startStubUpstream(t, chain, { knobs })
    const { network, invalidReplies, idle } = openUpstreamContent(t, [stub])
    for (const at of [1, 30, 54]) {
      const block = provedBlock(chain.recorded[at] ?? assert.fail())
      const stored = {
        network,
        block,
        address: fromHex(testChain.stored),
      }
      for (const slot of [1, 2, 3])
        same(await completeRead(readStorage(stored, word(slot)), signal), word(slot))
      same(await completeRead(readStorage(stored, word(4)), signal), word(0))
      const coded = { ...stored, address: fromHex('0x000f3df6d732807ef1319fb7b8bb8522d0beac02') }
      assert.ok((await completeRead(readCode(coded), signal)).length > 20)
    }
    await idle()
    assert.deepEqual(invalidReplies, [])
  })

  test(`blocks of every fork are read and proved from a node with ${name}`, async (t) => {
    const stub = await startStubUpstream(t, chain, { knobs })
    const { network, invalidReplies, idle } = openUpstreamContent(t, [stub])
    for (const one of chain.recorded.filter(({ number }) => number % 6n === 0n)) {
      const block = await completeRead(findHeader(network, fromHex(one.hash)), signal)
      assert.ok(block !== null)
      same(block.bytes, one.parts.header)
      same(await completeRead(readTransactionList(network, block), signal), one.parts.transactions)
      same(await completeRead(readReceiptList(network, block), signal), encodeEntries(one.receipts))
      same(await completeRead(readUncleList(network, block), signal), one.parts.uncles)
      same(await completeRead(readWithdrawalList(network, block), signal), one.parts.withdrawals)
    }
    await idle()
    assert.deepEqual(invalidReplies, [])
  })
}

const unknown = fromHex(`0x${'ab'.repeat(32)}`)
const rejectsWith = (code: string) => (thrown: unknown) =>
  thrown instanceof Fault && thrown.code === code

test('an unknown block is null if two upstreams or a trusted one report it', async (t) => {
  const stubs = await Promise.all([1, 2, 3].map(() => startStubUpstream(t, chain)))
  const [one] = stubs
  assert.ok(one)
  const two = openUpstreamContent(t, stubs.slice(0, 2))
  assert.equal(await completeRead(findHeader(two.network, unknown), signal), null)
  const trusted = openUpstreamContent(t, [one], { trusted: [0] })
  assert.equal(await completeRead(findHeader(trusted.network, unknown), signal), null)
  const alone = openUpstreamContent(t, [one])
  await assert.rejects(
    completeRead(findHeader(alone.network, unknown), signal),
    rejectsWith('unverified'),
  )
  const preferred = openUpstreamContent(t, [one], { require: false })
  assert.equal(await completeRead(findHeader(preferred.network, unknown), signal), null)
})

test('if one node lacks a block and another cannot be queried, no absence is concluded', async (t) => {
  const [knowing, broken] = await Promise.all([1, 2].map(() => startStubUpstream(t, chain)))
  assert.ok(knowing && broken)
  broken.knobs.trouble = () => 'status 503'
  for (const require of [true, false]) {
    const { network } = openUpstreamContent(t, [knowing, broken], { require })
    await assert.rejects(
      completeRead(findHeader(network, unknown), signal),
      rejectsWith('no_upstream'),
    )
  }
})

test('a pruned body comes from a node that stores it; if none does it is pruned, never null', async (t) => {
  const [pruning, archive] = await Promise.all([1, 2].map(() => startStubUpstream(t, chain)))
  assert.ok(pruning && archive)
  pruning.knobs.prunedBelow = 40n
  const one = chain.recorded[20] ?? assert.fail()
  const both = openUpstreamContent(t, [pruning, archive])
  const block = provedBlock(one)
  same(await completeRead(readTransactionList(both.network, block), signal), one.parts.transactions)
  same(
    await completeRead(readReceiptList(both.network, block), signal),
    encodeEntries(one.receipts),
  )
  const alone = openUpstreamContent(t, [pruning])
  await assert.rejects(
    completeRead(readTransactionList(alone.network, block), signal),
    rejectsWith('pruned'),
  )
  await assert.rejects(
    completeRead(readReceiptList(alone.network, block), signal),
    rejectsWith('pruned'),
  )
})

test('a header whose JSON lacks a field is taken from its bytes, and the gap is counted', async (t) => {
  const stub = await startStubUpstream(t, chain, { knobs: { rawByHash: false } })
  stub.knobs.falsify = ({ method }, reply) => {
    if (method !== 'eth_getBlockByHash' || !('result' in reply)) return null
    const { requestsHash: _, ...lacking } = reply.result as Record<string, unknown>
    return { result: lacking }
  }
  const { network, gaps, invalidReplies, idle } = openUpstreamContent(t, [stub])
  const one = chain.recorded[54] ?? assert.fail()
  same(
    (await completeRead(findHeader(network, fromHex(one.hash)), signal))?.bytes ?? null,
    one.parts.header,
  )
  await idle()
  assert.deepEqual([gaps.count, invalidReplies], [1, []])
})

test('a raw block supplies its header and all its lists', async (t) => {
  const stub = await startStubUpstream(t, chain)
  const { network, idle } = openUpstreamContent(t, [stub])
  const one = chain.recorded[54] ?? assert.fail()
  const block = provedBlock(one)
  await completeRead(readTransactionList(network, block), signal)
  same(await completeRead(readWithdrawalList(network, block), signal), one.parts.withdrawals)
  same(await completeRead(readUncleList(network, block), signal), one.parts.uncles)
  same(
    (await completeRead(findHeader(network, block.hash), signal))?.bytes ?? null,
    one.parts.header,
  )
  await idle()
  assert.equal(stub.count(), 1)
})

test('transactions of an unknown type are unprovable from JSON', async (t) => {
  const stub = await startStubUpstream(t, chain)
  stub.knobs.lacks = (method) => method.startsWith('debug_')
  stub.knobs.falsify = ({ method }, reply) => {
    if (method !== 'eth_getBlockByHash' || !('result' in reply)) return null
    const block = reply.result as { transactions: object[] }
    const transactions = block.transactions.map((one) => ({ ...one, type: '0x78' }))
    return { result: { ...block, transactions } }
  }
  const { network, invalidReplies } = openUpstreamContent(t, [stub])
  const block = provedBlock(chain.recorded[54] ?? assert.fail())
  await assert.rejects(
    completeRead(readTransactionList(network, block), signal),
    rejectsWith('unprovable'),
  )
  assert.deepEqual(invalidReplies, [])
})

test('a node without eth_getProof can be read but not proved', async (t) => {
  const stub = await startStubUpstream(t, chain, {
    knobs: { lacks: (method) => method === 'eth_getProof' },
  })
  const { network } = openUpstreamContent(t, [stub])
  const block = provedBlock(chain.recorded[54] ?? assert.fail())
  const at = { network, block, address: unknown.subarray(12) }
  await assert.rejects(completeRead(readStorage(at, word(1)), signal), rejectsWith('unprovable'))
})

test('no upstream is quarantined for a reply that all upstreams give', async (t) => {
  const stubs = await Promise.all([1, 2].map(() => startStubUpstream(t, chain)))
  for (const { knobs } of stubs) {
    knobs.lacks = (method) => method.startsWith('debug_')
    knobs.falsify = ({ method }, reply) => {
      if (method !== 'eth_getBlockReceipts' || !('result' in reply)) return null
      const receipts = reply.result as object[]
      return { result: receipts.map((one) => ({ ...one, gasUsed: '0x7' })) }
    }
  }
  const { network, pool, invalidReplies, idle } = openUpstreamContent(t, stubs)
  const one = chain.recorded[54] ?? assert.fail()
  same(
    await completeRead(readReceiptList(network, provedBlock(one)), signal),
    encodeEntries(one.receipts),
  )
  await idle()
  assert.equal(invalidReplies.length, 2)
  assert.deepEqual(
    pool.status().upstreams.map(({ state }) => state),
    ['ok', 'ok'],
  )
})

test('an unproved answer is an error that names the root that differs', async (t) => {
  const stub = await startStubUpstream(t, chain)
  const { network } = openUpstreamContent(t, [stub])
  const one = chain.recorded[3] ?? assert.fail()
  stub.knobs.falsify = ({ method }) => (method === 'debug_getRawReceipts' ? { result: [] } : null)
  await assert.rejects(
    completeRead(readReceiptList(network, provedBlock(one)), signal),
    ({ code, data }: Fault) => {
      assert.equal(code, 'unverified')
      assert.deepEqual(data, {
        block: one.hash,
        tried: 1,
        kind: 'receipts',
        expected: toHex(provedBlock(one).header.receiptsRoot),
        computed: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
      })
      return true
    },
  )
})

for (const [name, jsonOnly] of [
  ['raw', false],
  ['as JSON', true],
] as const) {
  test(`a whole block is one call to a node that gives it ${name}`, async (t) => {
    const stub = await startStubUpstream(t, chain)
    if (jsonOnly) stub.knobs.lacks = (method) => method.startsWith('debug_')
    const { network } = openUpstreamContent(t, [stub])
    const one = chain.recorded.findLast(({ parts }) => (parts.withdrawals?.length ?? 0) > 1)
    assert.ok(one !== undefined)
    const lists = await completeRead(readBlockLists(network, provedBlock(one)), signal)
    same(lists.withdrawals, one.parts.withdrawals)
    same(lists.transactions, one.parts.transactions)
    const calls = stub.calls.filter(({ method }) => !method.startsWith('debug_') || !jsonOnly)
    assert.equal(calls.length, 1)
  })
}

test('a read trace reports each queried upstream, before the result is returned', async (t) => {
  const failing = await startStubUpstream(t, chain, { knobs: { blockHashParameter: false } })
  const { network } = openUpstreamContent(t, [failing])
  const steps: string[] = []
  const watched = watchReads(network, (step, name) => {
    if (step === 'source') assert.equal(name, new URL(failing.url).host)
    return (outcome) => void steps.push(`${step} ${outcome}`)
  })
  const block = provedBlock(chain.recorded[30] ?? assert.fail())
  const address = fromHex(testChain.stored)
  same(
    await completeRead(readStorage({ network: watched, block, address }, word(1)), signal),
    word(1),
  )
  assert.ok(steps.includes('source answered'), steps.join())
  assert.ok(steps.includes('verify taken'), steps.join())
  const stepsBefore = steps.length
  same(await completeRead(readStorage({ network, block, address }, word(2)), signal), word(2))
  assert.equal(steps.length, stepsBefore)
  const other = provedBlock(chain.recorded[54] ?? assert.fail())
  steps.length = 0
  await completeRead(findHeader(watched, other.hash), signal)
  await completeRead(readTransactionList(watched, other), signal)
  assert.deepEqual(new Set(steps), new Set(['store absent', 'source answered', 'verify taken']))
})

// Tests of the faulty stub upstream: each falsehood applies to the recorded chain, differs from the correct reply,
// and is reproducible by seed.
import assert from 'node:assert/strict'
import test, { before } from 'node:test'
import { toHex } from '../../src/base/hex.ts'
import { testChain } from '../fakes/chain-facts.ts'
import { missingOldForks } from '../fakes/chain-vectors.ts'
import type { Falsehood } from '../fakes/upstream/falsehood.ts'
import { falsehoods, makeFaultyUpstream } from '../fakes/upstream/faulty-upstream.ts'
import { openStubChain, type StubBlock, type StubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream, type StubUpstream } from '../fakes/upstream/stub-upstream.ts'

/** Falsehoods about receipts with a state root (before EIP-658): only the chain of the vectors has such blocks. */
const beforeByzantium = new Set(['another state after a transaction'])
let chain: StubChain

before(async () => {
  chain = await openStubChain()
})

const { emitter } = testChain
const slots = [0n, 1n, 0xabcdefn].map((slot) => `0x${slot.toString(16).padStart(64, '0')}`)

/** A call of each method with a reply that depends on the block. */
function callsAbout(block: StubBlock): readonly (readonly [method: string, params: unknown[]])[] {
  const { hash } = block
  const pinned = { blockHash: hash }
  const transaction = block.view.transactions[0]
  return [
    ['eth_getProof', [emitter, slots, pinned]],
    ['eth_getCode', [emitter, pinned]],
    ['eth_getStorageAt', [emitter, slots[0], pinned]],
    ['eth_getBlockByHash', [hash, true]],
    ['eth_getBlockReceipts', [hash]],
    ['eth_getTransactionByHash', [transaction === undefined ? hash : toHex(transaction.hash())]],
    ['debug_getRawHeader', [hash]],
    ['debug_getRawBlock', [hash]],
    ['debug_getRawReceipts', [hash]],
  ]
}

async function say(stub: StubUpstream, method: string, params: unknown[]): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return (await fetch(stub.url, { method: 'POST', body })).text()
}

/** Some falsehoods apply to one transaction of a block: the seed picks it. */
async function falsifySomewhere(stub: StubUpstream, falsehood: Falsehood): Promise<string | null> {
  for (let seed = 1; seed <= 16; seed += 1) {
    const reply = await falsifyBySeed(stub, falsehood, seed)
    if (reply !== null) return reply
  }
  return null
}

async function falsifyBySeed(
  stub: StubUpstream,
  falsehood: Falsehood,
  seed: number,
): Promise<string | null> {
  for (const block of chain.recorded.toReversed()) {
    for (const [method, params] of callsAbout(block)) {
      if (!falsehood.methods.includes(method)) continue
      const { sent, recover } = makeFaultyUpstream(stub, { seed, among: [falsehood] })
      const reply = await say(stub, method, params)
      recover()
      if (sent.length > 0) {
        assert.notEqual(reply, await say(stub, method, params), falsehood.name)
        return reply
      }
    }
  }
  return null
}

test('every falsehood applies to the recorded chain and differs from the correct reply', async (t) => {
  const stub = await startStubUpstream(t, chain)
  const names = falsehoods.map(
    ({ subject, name, methods }) => `${subject} ${name} ${methods.join()}`,
  )
  assert.equal(new Set(names).size, names.length)
  for (const falsehood of falsehoods) {
    if (missingOldForks !== false && beforeByzantium.has(falsehood.name)) continue
    assert.notEqual(await falsifySomewhere(stub, falsehood), null, falsehood.name)
  }
})

test('two faulty upstreams with one seed send the same falsehoods; with two seeds, different ones', async (t) => {
  const stubs = await Promise.all([1, 2, 3].map(() => startStubUpstream(t, chain)))
  for (const [at, stub] of stubs.entries()) makeFaultyUpstream(stub, { seed: at === 2 ? 8 : 7 })
  let differ = 0
  for (const block of chain.recorded.slice(40)) {
    for (const [method, params] of callsAbout(block)) {
      const [one, other, third] = await Promise.all(stubs.map((it) => say(it, method, params)))
      assert.ok(one === other, method)
      if (one !== third) differ += 1
    }
  }
  assert.ok(differ > 10)
})

test('a faulty upstream can falsify a share of its replies, or only some calls', async (t) => {
  const stub = await startStubUpstream(t, chain)
  const rare = makeFaultyUpstream(stub, { seed: 3, onceIn: 4 })
  for (const block of chain.recorded) await say(stub, 'eth_getBlockByHash', [block.hash, true])
  assert.ok(rare.sent.length > 3 && rare.sent.length < 30, `${rare.sent.length} of 55`)
  const slot = makeFaultyUpstream(stub, {
    seed: 3,
    only: ({ params }) => JSON.stringify(params).includes(slots[1] ?? ''),
  })
  for (const wanted of slots.slice(0, 2)) {
    await say(stub, 'eth_getProof', [emitter, [wanted], 'latest'])
  }
  assert.deepEqual(
    slot.sent.map(({ call }) => call.params[1]),
    [[slots[1]]],
  )
})

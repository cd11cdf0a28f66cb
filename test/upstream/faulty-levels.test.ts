// Without proofs an answer may be the claim of an upstream, and the label states it: no label exceeds the checks made, however many
// upstreams are faulty.
import assert from 'node:assert/strict'
import test, { before, type TestContext } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import { createInvalidReplyLog } from '../../src/chain/upstream/pool/invalid-reply-log.ts'
import type { VerifyMode } from '../../src/rpc/relay/prove-or-relay.ts'
import { openChainDatabase } from '../fakes/chain-database.ts'
import { falseValues } from '../fakes/upstream/falsify-proofs.ts'
import { falsehoods, makeFaultyUpstream } from '../fakes/upstream/faulty-upstream.ts'
import { openStubChain, type StubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream, type StubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { openUpstreamCase, type ReadAnswer } from '../fakes/upstream/upstream-network.ts'
import { emitter, readsOf, slotOf, truthOf, canonical } from './reads.ts'

let chain: StubChain

before(async () => {
  chain = await openStubChain()
})

/** One upstream: the replies that it falsifies, and whether it can prove state. */
type Node = {
  readonly falsifies: 'never' | 'about plain values' | 'always'
  readonly proves: boolean
  readonly trusted?: boolean
}

const honest = { falsifies: 'never', proves: true } as const
const unproving = { falsifies: 'never', proves: false } as const
const faulty = { falsifies: 'about plain values', proves: false } as const

type Rig = {
  readonly stubs: readonly StubUpstream[]
  read(method: string, params: readonly unknown[]): Promise<ReadAnswer>
}

async function rig(t: TestContext, nodes: readonly Node[], verify: VerifyMode): Promise<Rig> {
  const stubs = await Promise.all(nodes.map(() => startStubUpstream(t, chain)))
  for (const [at, stub] of stubs.entries()) {
    const { falsifies, proves } = nodes[at] ?? honest
    if (!proves) stub.knobs.lacks = (method) => method === 'eth_getProof'
    if (falsifies === 'never') continue
    const among = falsifies === 'always' ? falsehoods : falseValues
    makeFaultyUpstream(stub, {
      seed: 7,
      among,
      only: ({ method }) => method !== 'eth_getBlockByNumber',
    })
  }
  const { database } = openChainDatabase(t)
  const parts = { writer: createInlineWriter(database), clock: systemClock, log: silentLog }
  const opened = await openUpstreamCase({
    name: 'case',
    stubs,
    trusted: nodes.flatMap(({ trusted }, at) => (trusted === true ? [at] : [])),
    verify,
    ledger: createInvalidReplyLog({ network: 'case', ...parts }),
  })
  t.after(async () => {
    await opened.idle()
    await opened.close()
  })
  return { stubs, read: (method, params) => opened.read(method, params) }
}

const at = (number: number) => ({ blockHash: chain.recorded[number]?.hash })
const slotZero = (number: number) => [emitter, slotOf(0n), at(number)] as const

test('while one upstream can prove, the claims of others are not requested', async (t) => {
  const { stubs, read } = await rig(t, [faulty, faulty, honest], 'prefer')
  for (const number of [20, 40, 54]) {
    const answer = await read('eth_getStorageAt', slotZero(number))
    assert.ok('result' in answer)
    assert.equal(answer.result, await stubs[2]?.honest('eth_getStorageAt', slotZero(number)))
    assert.equal(answer.level, 'proof')
  }
})

test('the claim of one upstream is labelled none, whatever its content', async (t) => {
  const { stubs, read } = await rig(t, [faulty], 'prefer')
  const answer = await read('eth_getStorageAt', slotZero(54))
  assert.ok('result' in answer)
  assert.equal(answer.level, 'none')
  assert.notEqual(answer.result, await stubs[0]?.honest('eth_getStorageAt', slotZero(54)))
})

test('require never accepts an answer without a proof', async (t) => {
  for (const nodes of [[faulty], [faulty, faulty, faulty], [unproving, unproving, unproving]]) {
    const { read } = await rig(t, nodes, 'require')
    assert.deepEqual(await read('eth_getStorageAt', slotZero(54)), { fault: 'unprovable' })
  }
})

test('two of three equal claims are a quorum, and a different claim is ignored', async (t) => {
  const { stubs, read } = await rig(t, [faulty, unproving, unproving], 'prefer')
  for (const number of [20, 40, 54]) {
    const truth = await stubs[1]?.honest('eth_getStorageAt', slotZero(number))
    const answer = await read('eth_getStorageAt', slotZero(number))
    assert.ok('result' in answer)
    if (answer.level !== 'none') {
      assert.equal(answer.level, 'quorum:2/3')
      assert.equal(answer.result, truth)
    }
  }
})

test('the claim of a trusted node is labelled trusted, never proof', async (t) => {
  const { read } = await rig(t, [{ ...faulty, trusted: true }, unproving], 'prefer')
  const answer = await read('eth_getStorageAt', slotZero(54))
  assert.ok('result' in answer)
  assert.equal(answer.level, 'trusted')
})

for (const verify of ['prefer', 'off'] as const) {
  test(`under ${verify} every wrong answer of faulty upstreams is labelled as unproved`, async (t) => {
    const { stubs, read } = await rig(
      t,
      [
        { falsifies: 'always', proves: false },
        { falsifies: 'always', proves: true },
      ],
      verify,
    )
    let wrong = 0
    for (const number of [2, 21, 33, 42, 54]) {
      for (const asked of readsOf(chain.recorded[number] ?? assert.fail())) {
        const answer = await read(asked.method, asked.params)
        if ('fault' in answer) continue
        if (canonical(answer.result) === (await truthOf(stubs[1] as StubUpstream, asked))) continue
        wrong += 1
        const about = `${asked.method} ${JSON.stringify(asked.params)}`
        assert.notEqual(answer.level, 'proof', about)
        assert.notEqual(answer.level, 'trusted', about)
      }
    }
    assert.ok(wrong > 0)
  })
}

// Bundles of networks behind upstreams: proved answers are verified again without the server, and an unproved answer
// contains no nodes.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { startBehind } from '../behind-upstreams.ts'
import { verdictOn } from '../fakes/bundles.ts'
import { makeFaultyUpstream } from '../fakes/upstream/faulty-upstream.ts'
import { openStubChain, type StubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { canonical, emitter, readsOf, slotOf, truthOf } from './reads.ts'

let chain: StubChain

before(async () => {
  chain = await openStubChain()
})

type Reply = {
  readonly result?: unknown
  readonly error?: unknown
  readonly proof?: {
    readonly verified: string
    readonly header: string | null
    readonly nodes: string[]
  }
}

function createAsk(url: string) {
  return async (method: string, params: readonly unknown[]): Promise<Reply> => {
    const response = await fetch(`${url}?proof=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return (await response.json()) as Reply
  }
}

test('with a faulty upstream in the pool, every bundle proves the correct answer', async (t) => {
  const honest = await startStubUpstream(t, chain)
  const faulty = await startStubUpstream(t, chain)
  makeFaultyUpstream(faulty, { seed: 7 })
  const blobSchedule = [{ from: 420, baseFeeUpdateFraction: 11_684_671 }]
  const network = { chainId: Number(chain.chainId), verify: 'require', blobSchedule }
  const cairn = await startBehind(
    t,
    [{ url: faulty.url }, { url: honest.url, trusted: true }],
    network,
  )
  const ask = createAsk(`${cairn.url}/v3/${cairn.apiKey}`)
  let proved = 0
  for (const number of [1, 27, 42, 54]) {
    const block = chain.recorded[number]
    assert.ok(block !== undefined)
    for (const read of readsOf(block)) {
      const reply = await ask(read.method, read.params)
      if (reply.error !== undefined) continue
      assert.equal(reply.proof?.verified, 'proof', read.method)
      const verdict = await verdictOn(reply, block.hash, [read.method, read.params])
      assert.ok('result' in verdict, `${read.method}: ${JSON.stringify(verdict)}`)
      // A verifier computes the price of blobs only with its own schedule.
      const withoutPrice = (text: string) => text.replaceAll(/"blobGasPrice":"\w+",/g, '')
      const truth = withoutPrice(await truthOf(honest, read))
      assert.equal(withoutPrice(canonical(JSON.parse(verdict.result))), truth)
      proved += 1
    }
  }
  t.diagnostic(`${proved} proved`)
  assert.ok(proved > 30, `${proved} proved`)
})

test('the bundle of an unproved answer names its trust level and contains no nodes', async (t) => {
  const stub = await startStubUpstream(t, chain, {
    knobs: { proofWindow: { blocks: 1, client: 'geth' } },
  })
  const network = { chainId: Number(chain.chainId), verify: 'prefer' }
  const cairn = await startBehind(t, [{ url: stub.url, trusted: true }], network)
  const ask = createAsk(`${cairn.url}/v3/${cairn.apiKey}`)
  const { hash = '' } = chain.recorded[20] ?? {}
  const params = [emitter, slotOf(0n), { blockHash: hash }]
  const { result, proof } = await ask('eth_getStorageAt', params)
  assert.match(String(result), /^0x[0-9a-f]{64}$/)
  assert.deepEqual([proof?.verified, proof?.header, proof?.nodes], ['trusted', null, []])
  assert.ok('refused' in (await verdictOn(proof, hash, ['eth_getStorageAt', params])))
})

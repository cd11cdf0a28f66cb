// Fees behind an upstream: computed from proved blocks if the fork schedule is known, regardless of the upstream's values, and
// forwarded beyond the limits.
import { deepEqual, equal, notEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { before, test, type TestContext } from 'node:test'
import { readTranscripts } from '../api/transcripts.ts'
import { startBehind } from '../behind-upstreams.ts'
import { testChain } from '../fakes/chain-facts.ts'
import { chainFolder } from '../fakes/chain-vectors.ts'
import { openStubChain, type StubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'

const methods: ReadonlySet<string> = new Set([
  'eth_baseFee',
  'eth_blobBaseFee',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_maxPriorityFeePerGas',
])

let chain: StubChain
before(async () => {
  chain = await openStubChain()
})

/** Behind a node that returns `0x1` for every fee. */
async function startLiedTo(t: TestContext, verify: unknown) {
  const stub = await startStubUpstream(t, chain)
  stub.knobs.falsify = ({ method }) => (methods.has(method) ? { result: '0x1' } : null)
  return await startBehind(t, [{ url: stub.url, trusted: true }], {
    chainId: Number(chain.chainId),
    genesisFile: join(chainFolder, 'genesis.json'),
    verify,
  })
}

test('fees are those of geth, proved, though the upstream lies about them', async (t) => {
  const cairn = await startLiedTo(t, 'require')
  const recorded = readTranscripts(chainFolder).filter(({ method }) => methods.has(method))
  notEqual(recorded.length, 0)
  for (const { name, method, request, response } of recorded) {
    const { params = [] } = JSON.parse(request) as { params?: readonly unknown[] }
    const { result } = JSON.parse(response) as { result: unknown }
    const answer = await cairn.ask(method, params)
    deepEqual([name, answer.result, answer.level], [name, result, 'proof'])
  }
  const tip = await cairn.ask('eth_maxPriorityFeePerGas', [])
  deepEqual([Number(tip.result), tip.level], [testChain.suggestedTip, 'proof'])
  const price = await cairn.ask('eth_gasPrice', [])
  const { result: head } = await cairn.ask('eth_getBlockByNumber', ['latest', false])
  const { baseFeePerGas } = head as { baseFeePerGas: string }
  deepEqual(
    [Number(price.result), price.level],
    [testChain.suggestedTip + Number(baseFeePerGas), 'proof'],
  )
})

test('a long fee history is forwarded also with require, and refused if the method requires a proof', async (t) => {
  const long = ['0x21', 'latest', [50]] as const
  const forwarding = await startLiedTo(t, 'require')
  const answer = await forwarding.ask('eth_feeHistory', long)
  deepEqual([answer.result, answer.level], ['0x1', 'trusted'])
  const refusing = await startLiedTo(t, { default: 'prefer', eth_feeHistory: 'require' })
  const refused = await refusing.ask('eth_feeHistory', long)
  equal(refused.result, undefined)
  equal(refused.level, 'none')
})

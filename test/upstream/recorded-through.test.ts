// Every reply that go-ethereum recorded, requested through a network of upstreams: equal, and proved if possible.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import test, { before } from 'node:test'
import { startBehind } from '../behind-upstreams.ts'
import { testChain } from '../fakes/chain-facts.ts'
import { chainFolder } from '../fakes/chain-vectors.ts'
import { openStubChain, type StubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { replayTranscripts } from '../api/rpc-compat.ts'
import { readTranscripts } from '../api/transcripts.ts'

let chain: StubChain

before(async () => {
  chain = await openStubChain()
})

/** Methods whose answers are proved from a block hash. */
const proved = new Set([
  'eth_getStorageAt',
  'eth_getStorageValues',
  'eth_getBalance',
  'eth_getCode',
  'eth_getTransactionCount',
  'eth_getProof',
  'eth_call',
  'eth_estimateGas',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'debug_getRawBlock',
  'debug_getRawHeader',
  'debug_getRawReceipts',
  'debug_getRawTransaction',
])

for (const kind of ['with debug_getRaw methods', 'with nothing but JSON'] as const) {
  test(`recorded replies are the same in front of a node ${kind}`, async (t) => {
    const stub = await startStubUpstream(t, chain)
    if (kind === 'with nothing but JSON') stub.knobs.lacks = (method) => method.startsWith('debug_')
    const cairn = await startBehind(t, [{ url: stub.url, trusted: true }], {
      chainId: Number(chain.chainId),
      verify: 'require',
      genesisFile: join(chainFolder, 'genesis.json'),
      blobSchedule: [{ from: 420, baseFeeUpdateFraction: 11_684_671 }],
    })
    const methods = new Set(readTranscripts(chainFolder).map(({ method }) => method))
    const unproved: string[] = []
    const { sent, failures } = await replayTranscripts({
      folder: chainFolder,
      methods,
      exactMessages: methods,
      async post(body) {
        const { method, params = [] } = JSON.parse(body) as { method: string; params?: unknown[] }
        const { status, text, level, result } = await cairn.ask(method, params)
        if (proved.has(method) && result !== undefined && result !== null && level !== 'proof') {
          unproved.push(`${method} ${JSON.stringify(params)}: ${level}`)
        }
        return { status, text }
      },
    })
    assert.deepEqual(
      failures.filter(({ name }) => !testChain.differences.has(name)),
      [],
    )
    assert.deepEqual(unproved, [])
    assert.deepEqual(await cairn.invalidReplies(), [])
    assert.equal(sent, readTranscripts(chainFolder).length)
  })
}

// `cairn start --network … --upstream …`: own networks without a settings file.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { opBlock } from '../fakes/rollups/rollup-blocks.ts'
import { startRollupNode } from '../fakes/rollups/rollup-node.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { runCli, startCairn, temporaryFolder } from '../started-server.ts'
import { testChain } from '../fakes/chain-facts.ts'

const holesky = 17_000n
const linea = 59_144n

async function blockNumber(url: string, apiKey: string): Promise<string | null> {
  const response = await fetch(`${url}/v3/${apiKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getStorageAt',
      params: [testChain.emitter, '0x0', 'latest'],
    }),
  })
  const { result } = (await response.json()) as { result?: string }
  return result === testChain.emitted ? response.headers.get('x-cairn-verified') : (result ?? null)
}

test('start serves proved answers of the networks that its flags name, the first one by default', async (t) => {
  const chain = await openStubChain()
  const one = await startStubUpstream(t, chain, { knobs: { chainId: holesky } })
  const other = await startStubUpstream(t, chain, { knobs: { chainId: linea } })
  const cairn = await startCairn({
    args: [
      '--network',
      'holesky',
      '--upstream',
      '${env:HOLESKY_URL}',
      '--trusted',
      '--network',
      'linea-mainnet',
      '--upstream',
      other.url,
    ],
    env: { HOLESKY_URL: one.url },
  })
  t.after(() => cairn.stop())

  assert.deepEqual(await cairn.rpc('eth_chainId'), { jsonrpc: '2.0', id: 1, result: '0x4268' })
  assert.equal(await blockNumber(cairn.url, cairn.apiKey), 'proof')
  assert.equal(await blockNumber(`${cairn.url}/linea-mainnet`, cairn.apiKey), 'proof')
})

test('an alias names a network of the table, and a block of its kind is proved', async (t) => {
  const block = await opBlock()
  const node = await startRollupNode(t, block, { hasRaw: false })
  const cairn = await startCairn({ args: ['--network', 'optimism', '--upstream', node.url] })
  t.after(() => cairn.stop())
  assert.deepEqual(await cairn.rpc('eth_chainId'), { jsonrpc: '2.0', id: 1, result: '0xa' })
  const response = await fetch(`${cairn.url}/v3/${cairn.apiKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getBlockReceipts',
      params: ['latest'],
    }),
  })
  assert.deepEqual(((await response.json()) as { result?: unknown }).result, block.receipts)
  assert.equal(response.headers.get('x-cairn-verified'), 'proof')
})

const refusals: readonly (readonly [readonly string[], RegExp])[] = [
  [
    ['--upstream', 'http://a'],
    /--upstream without a network: write --network <name> or --fork before it/,
  ],
  [['--trusted'], /--trusted without a network/],
  [['--network', 'mainnet'], /--network mainnet has no upstream/],
  [['--network', 'atlantis', '--upstream', 'http://a'], /no network is named atlantis/],
  [
    [
      '--network',
      'mainnet',
      '--upstream',
      'http://a',
      '--network',
      'mainnet',
      '--upstream',
      'http://b',
    ],
    /--network: mainnet is given twice/,
  ],
  [
    ['--network', 'mainnet', '--upstream', 'ftp://a/secret'],
    /expected http:\/\/ or https:\/\/, got ftp:\/\//,
  ],
  [['--network', 'mainnet', '--upstream', '${env:NOT_SET_ANYWHERE}'], /NOT_SET_ANYWHERE/],
]

for (const [flags, message] of refusals) {
  test(`start refuses ${flags.join(' ')}`, async (t) => {
    const dataDir = await temporaryFolder()
    t.after(() => rm(dataDir, { recursive: true, force: true }))
    await assert.rejects(runCli(['start', '--data-dir', dataDir, ...flags]), (error: Error) => {
      assert.match(error.message, message)
      assert.doesNotMatch(error.message.replace(/^.*$/m, ''), /secret/)
      return true
    })
  })
}

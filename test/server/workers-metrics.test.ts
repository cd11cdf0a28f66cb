// Metrics of a server with worker processes: the workers' data on upstreams is in /metrics, which the keeper serves.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { testChain } from '../fakes/chain-facts.ts'
import { until } from '../fakes/until.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { startCairn, temporaryFolder } from '../started-server.ts'

test('an invalid reply to a worker counts in the metrics of its upstream', async (t) => {
  const upstream = await startStubUpstream(t, await openStubChain(), {})
  const address = `0x${'11'.repeat(20)}`
  upstream.knobs.falsify = async ({ method, params }, honest) => {
    if (method !== 'eth_getProof' || params[0] !== address || !('result' in honest)) return null
    const proof = honest.result as { readonly accountProof: readonly string[] }
    // A root node whose hash differs from the state root.
    const [root = '', ...rest] = proof.accountProof
    return { result: { ...proof, accountProof: [`${root.slice(0, -2)}ff`, ...rest] } }
  }
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const config = join(dataDir, 'cairn.yaml')
  const { chainId } = testChain
  const upstreams = [{ url: upstream.url, trusted: true }]
  const networks = [{ name: 'chain', chainId, verify: 'require', upstreams }]
  await writeFile(config, JSON.stringify({ workers: 1, metrics: { local: true }, networks }))
  const cairn = await startCairn({ dataDir, args: ['--config', config] })
  t.after(() => cairn.stop())
  const reply = await cairn.rpc('eth_getBalance', [address, 'latest'])
  assert.ok('error' in reply, JSON.stringify(reply))
  await until(async () => {
    const text = await (await fetch(`${cairn.url}/metrics`)).text()
    assert.match(text, /cairn_upstream_lies\{network="chain",upstream="[^"]+"\} [1-9]/)
  }, 30_000)
})

// The stub upstream compared with the recordings of go-ethereum on the same chain, and each of its settings.
import assert from 'node:assert/strict'
import test, { before } from 'node:test'
import { type Hex, keccak256 } from 'viem'
import { toQuantity } from '../../src/base/hex.ts'
import { testChain } from '../fakes/chain-facts.ts'
import { chainFolder } from '../fakes/chain-vectors.ts'
import { openStubChain, type StubChain } from '../fakes/upstream/stub-chain.ts'
import { troubles } from '../fakes/upstream/stub-knobs.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { replayTranscripts } from '../api/rpc-compat.ts'
import { readTranscripts } from '../api/transcripts.ts'

let chain: StubChain

before(async () => {
  chain = await openStubChain()
})

async function post(url: string, body: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { method: 'POST', body })
  return { status: response.status, text: await response.text() }
}

async function ask(url: string, method: string, ...params: readonly unknown[]) {
  const { text } = await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  return JSON.parse(text) as { result?: unknown; error?: { code: number; message: string } }
}

test('an honest stub gives the reply of go-ethereum to every recorded request', async (t) => {
  const stub = await startStubUpstream(t, chain)
  const methods = new Set(readTranscripts(chainFolder).map(({ method }) => method))
  const { sent, failures } = await replayTranscripts({
    folder: chainFolder,
    methods,
    post: (body) => post(stub.url, body),
  })
  assert.deepEqual(
    failures.filter(({ name }) => !testChain.differences.has(name)),
    [],
  )
  assert.equal(sent, readTranscripts(chainFolder).length)
})

test('renderings of other libraries match the roots of the headers', async (t) => {
  const stub = await startStubUpstream(t, chain)
  for (const block of chain.recorded) {
    const parameter = { blockHash: block.hash }
    const raw = await ask(stub.url, 'debug_getRawBlock', block.hash)
    assert.equal(raw.result, `0x${Buffer.from(block.raw).toString('hex')}`)
    const proof = await ask(stub.url, 'eth_getProof', `0x${'11'.repeat(20)}`, ['0x0'], parameter)
    const { accountProof, balance } = proof.result as { accountProof: string[]; balance: string }
    const [root] = accountProof
    assert.equal(keccak256(root as Hex), `0x${Buffer.from(block.stateRoot).toString('hex')}`)
    assert.equal(balance, '0x0')
  }
})

test('its head grows on command, and switches to a branch whose blocks it keeps by hash', async (t) => {
  const fork = chain.recorded[50] ?? assert.fail()
  const branch = await chain.extend(fork, { count: 3, salt: 5 })
  const other = await chain.extend(fork, { count: 1 })
  assert.notEqual(branch[0]?.hash, other[0]?.hash)
  const stub = await startStubUpstream(t, chain, { blocks: 51 })
  assert.equal((await ask(stub.url, 'eth_blockNumber')).result, '0x33')
  assert.equal(stub.advance().number, 52n)
  const left = stub.view.head.hash
  stub.follow(branch)
  assert.equal((await ask(stub.url, 'eth_blockNumber')).result, '0x35')
  const latest = await ask(stub.url, 'eth_getBlockByNumber', 'latest', false)
  assert.equal((latest.result as { hash: string }).hash, branch[2]?.hash)
  const orphan = await ask(stub.url, 'eth_getBlockByHash', left, true)
  assert.equal((orphan.result as { number: string }).number, '0x34')
  const strict = { blockHash: left, requireCanonical: true }
  const refused = await ask(stub.url, 'eth_getBalance', `0x${'11'.repeat(20)}`, strict)
  assert.equal(refused.error?.message, 'hash is not currently canonical')
})

test('each setting makes it behave like the named node', async (t) => {
  const stub = await startStubUpstream(t, chain)
  const { knobs } = stub
  const address = `0x${'11'.repeat(20)}`
  const old = { blockHash: chain.recorded[3]?.hash }
  const said = async (method: string, ...params: unknown[]) => {
    const { result, error } = await ask(stub.url, method, ...params)
    return error?.message ?? result
  }
  knobs.lag = 4
  assert.equal(await said('eth_blockNumber'), '0x32')
  assert.equal(await said('eth_getBlockByHash', chain.recorded[54]?.hash, false), null)
  knobs.lag = 0
  knobs.proofWindow = { blocks: 10, client: 'reth' }
  assert.match(String(await said('eth_getProof', address, [], old)), /maximum proof window/)
  assert.equal(await said('eth_getBalance', address, old), '0x0')
  knobs.proofWindow = { blocks: 10, client: 'geth' }
  assert.match(String(await said('eth_getProof', address, [], old)), /missing trie node/)
  knobs.proofWindow = null
  knobs.stateWindow = 10
  assert.match(String(await said('eth_getBalance', address, old)), /missing trie node/)
  knobs.prunedBelow = 20n
  assert.match(String(await said('eth_getBlockReceipts', '0x3')), /pruned history/)
  knobs.lacks = (method) => method.startsWith('debug_')
  assert.match(String(await said('debug_getRawHeader', '0x3')), /does not exist/)
  knobs.blockHashParameter = false
  assert.match(String(await said('eth_getBalance', address, old)), /cannot unmarshal object/)
  knobs.wholeKeysOnly = true
  assert.match(String(await said('eth_getStorageAt', address, '0x0', 'latest')), /32 bytes/)
  knobs.falsify = ({ method }) => (method === 'eth_chainId' ? { result: '0x1' } : null)
  assert.equal(await said('eth_chainId'), '0x1')
  assert.equal(stub.count('eth_chainId'), 1)
})

test('with a failure it never sends the complete reply', async (t) => {
  const stub = await startStubUpstream(t, chain)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_chainId', params: [] })
  const good = { jsonrpc: '2.0', id: 7, result: toQuantity(chain.chainId) }
  for (const trouble of troubles) {
    if (trouble === 'bytes dribbled') continue
    stub.knobs.trouble = () => trouble
    const signal = AbortSignal.timeout(trouble === 'no answer' ? 50 : 2_000)
    const got = await fetch(stub.url, { method: 'POST', body, signal })
      .then(async (response) => ({ status: response.status, json: await response.json() }))
      .catch(() => null)
    if (got?.status === 200) assert.notDeepEqual(got.json, good, trouble)
  }
  await stub.stop()
  await assert.rejects(fetch(stub.url, { method: 'POST', body }))
  await stub.start()
  stub.knobs.trouble = () => null
  assert.deepEqual(JSON.parse((await post(stub.url, body)).text), good)
})

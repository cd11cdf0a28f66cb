// Bundles over the wire, on the recorded chain: every proved recorded request has a bundle, and the bundle alone produces the bytes
// of its result.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as wire from '../../src/rpc/open-rpc/types.ts'
import type { WireType } from '../../src/rpc/open-rpc/types.ts'
import { operations, verdictOn } from '../fakes/bundles.ts'
import { chainFolder } from '../fakes/chain-vectors.ts'
import { startRecordedChain } from '../fakes/upstream/recorded-chain.ts'
import { openWebSocket } from '../fakes/web-socket-client.ts'
import { readTranscripts } from './transcripts.ts'

type Reply = {
  readonly result?: unknown
  readonly proof?: {
    readonly method: string
    readonly verified: string
    readonly block: { readonly hash: string }
    readonly header: string | null
    readonly nodes: readonly string[]
  }
}

const fraction = 11_684_671n
const blockTypes: ReadonlySet<WireType> = new Set([wire.block, wire.blockNumber, wire.blockHash])

/** A value for the type: the block, the first index, or the example of the type. */
function valueOf(type: WireType, number: string, hash: string): unknown {
  if (type === wire.blockHash) return hash
  if (blockTypes.has(type)) return number
  return type === wire.quantity ? '0x0' : type.example
}

test('every proved answer of the recorded chain is verified from its bundle without the server', async (t) => {
  const cairn = await startRecordedChain(t)
  const url = `${cairn.url}/v3/${cairn.apiKey}`
  const post = async (body: unknown, query = '', headers: Record<string, string> = {}) => {
    const response = await fetch(url + query, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await response.text()
    return { text, reply: JSON.parse(text) as Reply & readonly Reply[], response }
  }
  const call = (method: string, params: readonly unknown[]) => ({
    jsonrpc: '2.0',
    id: 1,
    method,
    params,
  })
  const proved = new Map<string, number>()
  async function prove(method: string, params: readonly unknown[]): Promise<void> {
    const plain = await post(call(method, params))
    const { text, reply, response } = await post(call(method, params), '?proof=1')
    for (const name of ['x-cairn-verified', 'x-cairn-head', 'x-cairn-block', 'x-cairn-units']) {
      assert.equal(response.headers.get(name), plain.response.headers.get(name), name)
    }
    const { proof } = reply
    if (proof === undefined) return assert.ok(text === plain.text, text.slice(0, 300))
    assert.deepEqual(Object.keys(reply), ['jsonrpc', 'id', 'result', 'proof'])
    assert.ok(text.startsWith(plain.text.slice(0, -1)))
    if (proof.header === null) {
      return assert.deepEqual(proof.nodes, [])
    }
    const verdict = await verdictOn(reply, proof.block.hash, [method, params], fraction)
    assert.ok(
      'result' in verdict,
      `${method} ${JSON.stringify(params)}: ${JSON.stringify(verdict)}`,
    )
    assert.equal(verdict.result, JSON.stringify(reply.result))
    proved.set(method, (proved.get(method) ?? 0) + 1)
  }

  for (const { request } of readTranscripts(chainFolder)) {
    const { method, params = [] } = JSON.parse(request) as { method: string; params?: unknown[] }
    if (operations.get(method)?.bundle !== undefined) await prove(method, params)
  }
  // Block 2 alone has 20 MB of logs.
  for (const number of [0, 1, 3, 10, 27, 36, 42, 45, 48, 50, 51, 52, 53, 54]) {
    const at = `0x${number.toString(16)}`
    const { reply } = await post(call('eth_getBlockByNumber', [at, false]))
    const block = reply.result as { hash: string; miner: string; transactions: string[] }
    // Every method that takes a block, including new ones: its declaration determines its parameters.
    for (const { name, params, bundle } of operations.values()) {
      if (bundle === undefined || !params.some(({ type }) => blockTypes.has(type))) continue
      await prove(
        name,
        params.map(({ type }) => valueOf(type, at, block.hash)),
      )
    }
    await prove('debug_getRawReceipts', [{ blockHash: block.hash }])
    await prove('eth_getBalance', [block.miner, at])
    await prove('eth_getBlockByHash', [block.hash, true])
    for (const hash of block.transactions) {
      await prove('eth_getTransactionReceipt', [hash])
      await prove('debug_getRawTransaction', [hash])
      await prove('eth_getRawTransactionByHash', [hash])
    }
  }
  // The embedded chain's calls are not proved: see test/calls/call-bundles.test.ts.
  const calls = new Set(['eth_call', 'eth_estimateGas', 'eth_simulateV1', 'debug_traceCall'])
  const missed = [...operations.values()]
    .filter(({ name, bundle }) => bundle !== undefined && !proved.has(name) && !calls.has(name))
    .map(({ name }) => name)
  t.diagnostic(`proved ${[...proved].map(([name, count]) => `${name} ${count}`).join(', ')}`)
  assert.deepEqual(missed, [])

  // Both ways to request bundles, and each answer of a batch with its own.
  const balance = call('eth_getBalance', [`0x${'0'.repeat(40)}`, 'latest'])
  const byHeader = await post(balance, '', { 'x-cairn-proof': '1' })
  assert.deepEqual(byHeader.reply, (await post(balance, '?proof=1')).reply)
  assert.ok(!('proof' in (await post(balance, '?proof=0')).reply))
  const { reply: batch } = await post([balance, call('eth_chainId', [])], '?proof=1')
  assert.ok((batch[0]?.proof?.nodes.length ?? 0) > 0)
  assert.deepEqual(batch[1]?.proof?.nodes, [])

  // For a WebSocket, the upgrade request enables bundles for all calls.
  const client = await openWebSocket(`${cairn.url}/ws/v3/${cairn.apiKey}?proof=1`)
  client.socket.send(JSON.stringify(balance))
  assert.deepEqual(await client.nextJson(), byHeader.reply)
  await client.close()
})

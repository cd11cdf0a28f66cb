// Fees computed from proved blocks: their label with and without a proof, and the reads that they need.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runOperation } from '../../../../test/fakes/rpc-call.ts'
import { createVectorNetwork } from '../../../../test/fakes/upstream/vector-network.ts'
import { Fault } from '../../../base/fault.ts'
import type { Network } from '../../../chain/network.ts'
import type { Relay } from '../../../chain/relay.ts'
import { listRpcMethods } from '../index.ts'

const operations = new Map(listRpcMethods().map((method) => [method.name, method]))

function run(network: Network, method: string, ...params: readonly unknown[]) {
  const operation = operations.get(method)
  assert(operation !== undefined)
  return runOperation(operation, network, params)
}

const relay: Relay = {
  upstreams: () => [],
  call: () => Promise.reject(new Fault('no_upstream')),
}
const calls = [
  ['eth_baseFee'],
  ['eth_blobBaseFee'],
  ['eth_gasPrice'],
  ['eth_maxPriorityFeePerGas'],
  ['eth_feeHistory', '0x2', 'latest', []],
] as const

test('fees of a known fork schedule are labelled proof', async () => {
  for (const [method, ...params] of calls) {
    const { result, levels } = await run({ ...createVectorNetwork(), relay }, method, ...params)
    assert.deepEqual([method, levels], [method, ['proof']])
    assert.notEqual(result, null)
  }
})

test('fees without a known fork schedule have no proof', async () => {
  const feeRules = () => Promise.reject(new Fault('unprovable'))
  const network = { ...createVectorNetwork(), relay, feeRules }
  const other = { ...network, feeRules: null }
  for (const [method, ...params] of calls) {
    await assert.rejects(run(network, method, ...params), { code: 'unprovable' })
    await assert.rejects(run(other, method, ...params), { code: 'unprovable' })
  }
})

test('behind upstreams, a fee history of many blocks has no proof', async () => {
  const network = { ...createVectorNetwork(), relay }
  const feeHistory = (count: number, percentiles: readonly number[]) =>
    run(network, 'eth_feeHistory', `0x${count.toString(16)}`, 'latest', percentiles)
  const over = (count: number, most: number) => ({
    code: 'unprovable',
    message: `${count} blocks of fees are over the limit ${most}`,
  })
  await assert.rejects(feeHistory(129, []), over(129, 128))
  await assert.rejects(feeHistory(33, [50]), over(33, 32))
  assert.deepEqual((await feeHistory(32, [])).levels, ['proof'])
})

test('behind upstreams, the base fee after a block before London has no proof', async () => {
  const network = { ...createVectorNetwork(), relay }
  const newest = (await run(network, 'eth_getBlockByNumber', 'latest', false)).result
  assert.ok((newest as { baseFeePerGas?: string }).baseFeePerGas !== undefined)
  const oldest = (await run(network, 'eth_getBlockByNumber', '0x1', false)).result
  const isLondon = (oldest as { baseFeePerGas?: string }).baseFeePerGas !== undefined
  const history = run(network, 'eth_feeHistory', '0x1', '0x1', [])
  if (isLondon) assert.deepEqual((await history).levels, ['proof'])
  else await assert.rejects(history, { code: 'unprovable' })
})

test('a suggested price reads the transactions of a block once', async () => {
  const lists: string[] = []
  const vectors = createVectorNetwork()
  const network: Network = {
    ...vectors,
    obtain(ref, hint, signal) {
      if (ref.kind !== 'header') lists.push(ref.kind)
      return vectors.obtain(ref, hint, signal)
    },
  }
  const first = await run(network, 'eth_gasPrice')
  lists.length = 0
  assert.deepEqual((await run(network, 'eth_gasPrice')).result, first.result)
  assert.deepEqual(lists, [])
})

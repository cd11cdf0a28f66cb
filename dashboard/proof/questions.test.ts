import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { listRpcMethods } from '../../src/rpc/methods/index.ts'
import {
  exampleOf,
  exampleParams,
  fieldsOf,
  labelOf,
  methods,
  paramsOf,
  parseParams,
  valuesOf,
} from './questions.ts'

const block = {
  hash: `0x${'ab'.repeat(32)}`,
  number: '0x10',
  timestamp: '0x2001',
  miner: `0x${'11'.repeat(20)}`,
  transactions: [`0x${'cd'.repeat(32)}`],
}
const account = `0x${'22'.repeat(20)}`

test('each offered method has proof bundles, accepts its example, and its example fits its fields', () => {
  const declared = new Map(listRpcMethods().map((method) => [method.name, method]))
  for (const method of methods) {
    const declaration = declared.get(method)
    ok(declaration?.bundle !== undefined, method)
    for (const isEmbedded of [false, true]) {
      const names = fieldsOf(method)
      const example = exampleOf(method, block, isEmbedded)
      const params =
        names === null
          ? parseParams(exampleParams(method, block, isEmbedded))
          : paramsOf(method, example)
      declaration.parse(params)
      if (names === null) continue
      const values = Object.fromEntries(names.map((name) => [name, example[name]]))
      deepEqual(valuesOf(method, params), values, method)
    }
  }
})

test('a number may be decimal; state at latest becomes state of the block that the person trusts', () => {
  deepEqual(paramsOf('eth_getStorageAt', { address: account, slot: '20', block: '16' }), [
    account,
    '0x14',
    '0x10',
  ])
  const latest = { address: account, block: ' latest ' }
  deepEqual(paramsOf('eth_getBalance', latest), [account, 'latest'])
  deepEqual(paramsOf('eth_getBalance', latest, block.hash), [account, { blockHash: block.hash }])
  deepEqual(paramsOf('eth_getBlockByNumber', latest, block.hash), ['latest', false])
})

test('a wrong value is named with its field and the expected form', () => {
  const refused = (method: string, values: object, message: string) =>
    throws(() => paramsOf(method, values), { message })
  refused('eth_getBalance', {}, 'Address is empty: expected 0x and 40 hex digits')
  refused('eth_getCode', { address: 'me' }, 'Contract is "me": expected 0x and 40 hex digits')
  refused(
    'eth_getBlockReceipts',
    { block: 'newest' },
    'Block is "newest": expected latest, safe, finalized, earliest or a number',
  )
  throws(() => parseParams('{'), { message: 'the parameters are not valid JSON' })
  throws(() => parseParams('{}'), { message: 'the parameters must be a JSON array' })
})

test('parameters that have no field stay JSON', () => {
  equal(valuesOf('eth_getLogs', [{}]), null)
  equal(valuesOf('eth_call', [{ to: account, from: account }, 'latest']), null)
  equal(valuesOf('eth_call', [{ to: account }, 'latest', {}]), null)
  equal(valuesOf('eth_getBlockByNumber', ['latest', true]), null)
  equal(valuesOf('eth_getBalance', [account, { blockHash: block.hash }]), null)
})

test('an example is of its network: the fee recipient of the newest block, or an account of the embedded chain', () => {
  equal(exampleOf('eth_getBalance', block, false).address, block.miner)
  equal(
    exampleOf('eth_getBalance', block, true).address,
    '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  )
  equal(exampleOf('eth_getStorageAt', block, false).slot, '0x2')
  const noFees = { ...block, miner: `0x${'0'.repeat(40)}`, transactions: [] }
  equal(
    exampleOf('eth_getBalance', noFees, false).address,
    '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
  )
  equal(exampleOf('eth_getTransactionByHash', noFees, false).hash, '')
})

test('an answer has a label in words', () => {
  equal(
    labelOf('eth_getStorageAt', [account, `0x${'0'.repeat(63)}1`, 'latest']),
    'Value of slot 1 of 0x22222222…222222',
  )
  equal(labelOf('eth_call', [{ to: account }]), 'Result of the call to 0x22222222…222222')
  equal(labelOf('eth_getLogs', [{}]), 'eth_getLogs')
})

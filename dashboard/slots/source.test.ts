import { equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { placeOf } from '../../src/codec/ethereum/storage-path.ts'
import { sampleLayout, timesLayout } from './examples.ts'
import { readSource } from './source.ts'

const abi = [{ type: 'function', name: 'owner', inputs: [], outputs: [{ type: 'address' }] }]
const layout = { storage: [], types: {} }

test('an artifact is read by its storage layout, or by its ABI if it has no layout', () => {
  equal(readSource(JSON.stringify({ abi, storageLayout: layout })).kind, 'layout')
  equal(readSource(JSON.stringify({ abi })).kind, 'abi')
  equal(readSource(JSON.stringify(abi)).kind, 'abi')
  equal(readSource(JSON.stringify(layout)).kind, 'layout')
})

test('other input is refused with the expected form', () => {
  throws(() => readSource('{'), /not valid JSON/)
  for (const text of ['{}', '[]', '1', 'null', '"x"'])
    throws(() => readSource(text), /storage layout/)
})

test('the layouts of the examples lead to the slots that hold their values', () => {
  const slotOf = (layout: object, path: string) => {
    const source = readSource(JSON.stringify(layout))
    return source.kind === 'layout' ? placeOf(source.layout, path).slot : null
  }
  equal(slotOf(sampleLayout, 'number'), 0n)
  const owner = '0x391694e7e0b0cce554cb130d723a9d27458f9298'
  equal(
    slotOf(sampleLayout, `balances[${owner}]`),
    0x6661e9d6d8b923d5bbaab1b96e1dd51ff6ea2a93520fdc9eb75d059238b8c5e9n,
  )
  equal(slotOf(timesLayout, 'timestamps[8190]'), 8190n)
})

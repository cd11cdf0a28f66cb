import { equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { readSource } from './source.ts'

const abi = [{ type: 'function', name: 'owner', inputs: [], outputs: [{ type: 'address' }] }]
const layout = { storage: [], types: {} }

test('an artifact with a layout is one of a layout, with an ABI alone one of an ABI', () => {
  equal(readSource(JSON.stringify({ abi, storageLayout: layout })).kind, 'layout')
  equal(readSource(JSON.stringify({ abi })).kind, 'abi')
  equal(readSource(JSON.stringify(abi)).kind, 'abi')
  equal(readSource(JSON.stringify(layout)).kind, 'layout')
})

test('what is neither is refused with what is expected', () => {
  throws(() => readSource('{'), /not JSON/)
  for (const text of ['{}', '[]', '1', 'null', '"x"'])
    throws(() => readSource(text), /storage layout/)
})

import { equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
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

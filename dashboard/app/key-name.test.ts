import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyName } from './key-name.ts'

test('a key without a name is shown by its prefix', () => {
  assert.equal(keyName({ name: 'shop', prefix: 'NNwJ56r4' }), 'shop')
  assert.equal(keyName({ name: '', prefix: 'NNwJ56r4' }), 'NNwJ56r4…')
})

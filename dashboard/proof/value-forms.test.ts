import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formsOf } from './value-forms.ts'

test('a word is read as number, hex, address and text where it can be', () => {
  const address = `0x${'0'.repeat(24)}8bebc8ba651aee624937e7d897853ac30c95a067`
  assert.deepEqual(
    formsOf(address).map(({ name }) => name),
    ['Number', 'Hex', 'Address'],
  )
  assert.equal(formsOf('0x3e8')[0]?.text, '1,000')
  const name = `0x${Buffer.from('stone').toString('hex').padEnd(62, '0')}0a`
  assert.equal(formsOf(name).at(-1)?.text, 'stone')
  const fixed = `0x${Buffer.from('USDC').toString('hex').padEnd(64, '0')}`
  assert.equal(formsOf(fixed).at(-1)?.text, 'USDC')
})

test('code, objects and null have no such reading', () => {
  assert.deepEqual(formsOf(`0x${'60'.repeat(100)}`), [])
  assert.deepEqual(formsOf({ number: '0x1' }), [])
  assert.deepEqual(formsOf(null), [])
  assert.deepEqual(formsOf('0x'), [{ name: 'Hex', text: '0x' }])
})

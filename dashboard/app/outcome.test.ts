import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faults } from '../../src/base/fault.ts'
import { outcomeTitle, outcomeTone } from './outcome.ts'

test('no outcome is shown as a bare code', () => {
  for (const code of Object.keys(faults)) assert.match(outcomeTitle(code), /^[A-Z][^_]+$/, code)
  assert.equal(outcomeTitle('refused_by_setting', 'allowOrigins'), 'Site not allowed for this key')
  assert.equal(outcomeTitle('refused_by_setting', 'somethingNew'), 'Not allowed for this key')
})

test('only failures of the server are red', () => {
  assert.deepEqual(['ok', 'reverted', 'over_rate', 'no_upstream'].map(outcomeTone), [
    'good',
    'warn',
    'plain',
    'bad',
  ])
})

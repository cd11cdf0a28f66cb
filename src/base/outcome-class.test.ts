import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faults } from './fault.ts'
import { outcomeClassOf } from './outcome-class.ts'

test('every error with a status of 500 or more that a caller cannot mend is the failure of the server', () => {
  const mendable = new Set(['not_found', 'not_implemented'])
  const severe = Object.entries(faults).filter(([, { status }]) => status >= 500)
  assert.ok(severe.length >= 8)
  for (const [code] of severe) {
    assert.equal(outcomeClassOf(code), mendable.has(code) ? 'caller' : 'failed', code)
  }
})

test('refusals of credentials, limits and payment are no errors of the caller', () => {
  const statuses = new Set([401, 402, 429])
  const admin = new Set(['signed_out', 'bad_sign_in', 'needs_code'])
  for (const [code, { status }] of Object.entries(faults)) {
    if (statuses.has(status) && !admin.has(code))
      assert.equal(outcomeClassOf(code), 'refused', code)
  }
  assert.equal(outcomeClassOf('ok'), 'answered')
  assert.equal(outcomeClassOf('reverted'), 'caller')
})

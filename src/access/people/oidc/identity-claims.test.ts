import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readClaims } from './identity-claims.ts'

const settings = { groupsClaim: 'groups', secondFactorValues: ['mfa'] }
const base = { iss: 'https://id.example', sub: 'g-1' }

test('an address counts only if the provider verified it and it is one', () => {
  const emailOf = (claims: object) => readClaims({ ...base, ...claims }, settings).email
  assert.equal(emailOf({ email: 'Grace@Example.org', email_verified: true }), 'grace@example.org')
  assert.equal(emailOf({ email: 'grace@example.org', email_verified: 'true' }), 'grace@example.org')
  for (const claims of [
    {},
    { email: 'grace@example.org' },
    { email: 'grace@example.org', email_verified: false },
    { email: 'grace@example.org', email_verified: 1 },
    { email: 'no address', email_verified: true },
    { email: ['grace@example.org'], email_verified: true },
  ]) {
    assert.equal(emailOf(claims), null)
  }
})

test('groups are a list of texts or one text; others are left out', () => {
  const groupsOf = (groups: unknown) => readClaims({ ...base, groups }, settings).groups
  assert.deepEqual(groupsOf(['a', 1, null, 'b']), ['a', 'b'])
  assert.deepEqual(groupsOf('a'), ['a'])
  assert.deepEqual(groupsOf(undefined), [])
  assert.deepEqual(groupsOf({ a: true }), [])
})

test('a second factor is one of the configured values of amr or acr', () => {
  const isStrong = (claims: object) => readClaims({ ...base, ...claims }, settings).isStrong
  assert.equal(isStrong({ amr: ['pwd', 'mfa'] }), true)
  assert.equal(isStrong({ acr: 'mfa' }), true)
  assert.equal(isStrong({ amr: ['pwd'], acr: '1' }), false)
  assert.equal(isStrong({}), false)
})

test('a name falls back to the user name, and unfit ones are left out', () => {
  const nameOf = (claims: object) => readClaims({ ...base, ...claims }, settings).name
  assert.equal(nameOf({ name: 'Grace', preferred_username: 'g' }), 'Grace')
  assert.equal(nameOf({ name: 'two\nlines', preferred_username: 'g' }), 'g')
  assert.equal(nameOf({}), '')
})

test('an endless subject is refused', () => {
  assert.throws(() => readClaims({ ...base, sub: 'x'.repeat(256) }, settings), /too long/)
})

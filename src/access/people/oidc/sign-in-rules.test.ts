import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyRules, isOfDomain, type SignInRule } from './sign-in-rules.ts'

const rule: SignInRule = { groups: [], domains: [], operator: false, account: null, role: 'member' }
const grace = { email: 'grace@example.org', groups: ['staff'] }

test('a rule needs one of its groups and one of its domains', () => {
  const applies = (more: Partial<SignInRule>) => applyRules([{ ...rule, ...more }], grace).applies
  assert.equal(applies({ groups: ['staff', 'sre'] }), true)
  assert.equal(applies({ groups: ['sre'] }), false)
  assert.equal(applies({ groups: ['staff'], domains: ['example.org'] }), true)
  assert.equal(applies({ groups: ['staff'], domains: ['example.net'] }), false)
  assert.equal(applies({ domains: ['example.org'] }), true)
  assert.equal(applies({}), false)
})

test('of several rules for one account the higher role counts', () => {
  const rules = [
    { ...rule, groups: ['staff'], account: 'acme', role: 'owner' as const },
    { ...rule, groups: ['staff'], account: 'acme' },
    { ...rule, groups: ['staff'], operator: true },
  ]
  const { roles, isOperator } = applyRules(rules, grace)
  assert.deepEqual([...roles], [['acme', 'owner']])
  assert.equal(isOperator, true)
  assert.deepEqual([...applyRules(rules, { ...grace, groups: [] }).roles], [])
})

test('a domain is compared as a whole', () => {
  assert.equal(isOfDomain('a@example.org', ['example.org']), true)
  assert.equal(isOfDomain('a@mail.example.org', ['example.org']), false)
  assert.equal(isOfDomain('a@notexample.org', ['example.org']), false)
  assert.equal(isOfDomain(null, ['example.org']), false)
})

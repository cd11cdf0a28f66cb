import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAs } from './gateway-links.ts'

test('links are offered only for what the gateway gives a reader without a key', () => {
  const rules = { enabled: true, public: false, deserialized: false, host: null, local: false }
  const form = (isPublic: boolean, changes: Partial<Record<keyof typeof rules, unknown>> = {}) =>
    openAs({ gateway: { ...rules, ...changes } as typeof rules, port: '' }, isPublic)
  assert.equal(form(false), null)
  assert.equal(form(true), 'blocks')
  assert.equal(form(false, { public: true }), 'blocks')
  assert.equal(form(true, { deserialized: true }), 'content')
  assert.equal(form(true, { host: 'content.example.org' }), 'content')
  assert.equal(form(false, { host: 'content.example.org' }), null)
  assert.equal(form(false, { host: 'content.localhost', local: true }), 'content')
  assert.equal(form(true, { enabled: false }), null)
})

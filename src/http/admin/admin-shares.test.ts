import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Actor } from '../../gateway/admin/actor.ts'
import { createAdminShares } from './admin-shares.ts'

const overloaded = { code: 'overloaded' }

function person(personId: string): Actor {
  const via = { kind: 'token', id: 't' } as const
  return { kind: 'person', personId, email: 'a@b.example', operator: false, roles: new Map(), via }
}

test('one person holds 64 requests, from wherever; another has as many, and what is given back is free', () => {
  const shares = createAdminShares()
  const held = Array.from({ length: 64 }, (_, at) => shares.take(person('one'), `192.0.2.${at}`))
  assert.throws(() => shares.take(person('one'), '198.51.100.1'), overloaded)
  shares.take(person('two'), '192.0.2.1')
  held[0]?.()
  shares.take(person('one'), '192.0.2.1')
  assert.throws(() => shares.take(person('one'), '192.0.2.1'), overloaded)
})

test('strangers hold 16 of one address and 128 together, and nothing of those who signed in', () => {
  const shares = createAdminShares()
  const addresses = Array.from({ length: 8 }, (_, at) => `192.0.2.${at}`)
  const held = addresses.map((from) => Array.from({ length: 16 }, () => shares.take(null, from)))
  assert.throws(() => shares.take(null, '192.0.2.0'), overloaded)
  assert.throws(() => shares.take(null, '198.51.100.1'), overloaded)
  shares.take(person('one'), '192.0.2.0')
  held[0]?.[0]?.()
  assert.throws(() => shares.take(null, '192.0.2.1'), overloaded)
  shares.take(null, '198.51.100.1')
  assert.throws(() => shares.take(null, '192.0.2.0'), overloaded)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Principal } from '../principal.ts'
import { createAdminConcurrency } from './admin-access.ts'

const overloaded = { code: 'overloaded' }

function person(personId: string): Principal {
  const via = { kind: 'token', id: 't' } as const
  return { kind: 'person', personId, email: 'a@b.example', operator: false, roles: new Map(), via }
}

test('one person has 64 concurrent requests from any address, each freed one can be used again', () => {
  const shares = createAdminConcurrency()
  const acquired = Array.from({ length: 64 }, (_, at) =>
    shares.acquire(person('one'), `192.0.2.${at}`),
  )
  assert.throws(() => shares.acquire(person('one'), '198.51.100.1'), overloaded)
  shares.acquire(person('two'), '192.0.2.1')
  acquired[0]?.()
  shares.acquire(person('one'), '192.0.2.1')
  assert.throws(() => shares.acquire(person('one'), '192.0.2.1'), overloaded)
})

test('unknown callers have 16 per address and 128 in total, separate from signed-in people', () => {
  const shares = createAdminConcurrency()
  const addresses = Array.from({ length: 8 }, (_, at) => `192.0.2.${at}`)
  const acquired = addresses.map((from) =>
    Array.from({ length: 16 }, () => shares.acquire(null, from)),
  )
  assert.throws(() => shares.acquire(null, '192.0.2.0'), overloaded)
  assert.throws(() => shares.acquire(null, '198.51.100.1'), overloaded)
  shares.acquire(person('one'), '192.0.2.0')
  acquired[0]?.[0]?.()
  assert.throws(() => shares.acquire(null, '192.0.2.1'), overloaded)
  shares.acquire(null, '198.51.100.1')
  assert.throws(() => shares.acquire(null, '192.0.2.0'), overloaded)
})

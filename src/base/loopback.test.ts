import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopback } from './addresses.ts'

test('the addresses of loopback stay on this machine, and no others', () => {
  for (const host of ['localhost', '127.0.0.1', '127.9.8.7', '::1']) assert.ok(isLoopback(host))
  for (const host of ['0.0.0.0', '::', '192.0.2.1', '127.example.org', 'localhost.example.org'])
    assert.ok(!isLoopback(host), host)
})

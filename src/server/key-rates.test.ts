import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyRatesOf } from './open-gateway.ts'

type Given = { host: string; keyRates?: 'auto' | 'none' | 'free'; proxies?: string; hosts?: string }

const unitsOf = ({ host, keyRates = 'auto', proxies, hosts }: Given) =>
  keyRatesOf({
    http: { host, keyRates, trustedProxies: proxies ?? null },
    admin: { hosts: hosts ?? null },
  }).unitsPerSecond

test('keys without own rates have those of a plan if the server listens beyond loopback, and none on loopback', () => {
  for (const host of ['127.0.0.1', 'localhost', '::1']) assert.equal(unitsOf({ host }), null)
  for (const host of ['0.0.0.0', '::', '192.0.2.7']) assert.equal(unitsOf({ host }), 40_000)
  assert.equal(unitsOf({ host: '0.0.0.0', keyRates: 'none' }), null)
  assert.equal(unitsOf({ host: '127.0.0.1', keyRates: 'free' }), 500)
})

test('a server on loopback behind a proxy or with a public host name has the rates of a plan', () => {
  const host = '127.0.0.1'
  assert.equal(unitsOf({ host, proxies: '127.0.0.1' }), 40_000)
  assert.equal(unitsOf({ host, hosts: 'cairn.example.org' }), 40_000)
  assert.equal(unitsOf({ host, hosts: 'localhost, cairn.example.org' }), 40_000)
  assert.equal(unitsOf({ host, hosts: 'localhost, 127.0.0.1' }), null)
  assert.equal(unitsOf({ host, hosts: 'cairn.example.org', keyRates: 'none' }), null)
})

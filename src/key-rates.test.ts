import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyRatesOf } from './key-rates.ts'

test('keys without rates have those of a plan where the server listens beyond loopback, and none on loopback', () => {
  const unitsOf = (host: string, keyRates: 'auto' | 'none' | 'free') =>
    keyRatesOf({ http: { host, keyRates } }).unitsPerSecond
  for (const host of ['127.0.0.1', 'localhost', '::1']) assert.equal(unitsOf(host, 'auto'), null)
  for (const host of ['0.0.0.0', '::', '192.0.2.7']) assert.equal(unitsOf(host, 'auto'), 40_000)
  assert.equal(unitsOf('0.0.0.0', 'none'), null)
  assert.equal(unitsOf('127.0.0.1', 'free'), 500)
})

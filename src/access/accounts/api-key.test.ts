import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  checkApiKey,
  checkApiSecret,
  createApiKey,
  createApiSecret,
  hashCredential,
  visiblePart,
  withChecksum,
} from './api-key.ts'

const thirty = 'A'.repeat(30)

test('the checksums are those of the published examples', () => {
  assert.equal(withChecksum(`cairn_live_${thirty}`), `cairn_live_${thirty}1cTSrY`)
  assert.equal(withChecksum(`cairns_live_${thirty}`), `cairns_live_${thirty}01mv5b`)
})

test('new keys and secrets pass their own check, differ, and use the whole alphabet', () => {
  const keys = Array.from({ length: 200 }, createApiKey)
  assert.ok(keys.every(checkApiKey))
  assert.ok(Array.from({ length: 50 }, createApiSecret).every(checkApiSecret))
  assert.equal(new Set(keys).size, keys.length)
  assert.ok(keys.every((key) => /^cairn_live_[0-9A-Za-z]{36}$/.test(key)))
  assert.equal(new Set(keys.map((key) => key.slice(11, 41)).join('')).size, 62)
})

test('a typo in a Cairn key is refused without a database lookup', () => {
  const key = `cairn_live_${thirty}1cTSrY`
  assert.equal(checkApiKey(key), true)
  for (let at = 11; at < key.length; at++) {
    const other = key[at] === 'B' ? 'C' : 'B'
    assert.equal(checkApiKey(key.slice(0, at) + other + key.slice(at + 1)), false)
  }
  assert.equal(checkApiKey(key.slice(0, -1)), false)
  assert.equal(checkApiKey(`${key}0`), false)
})

test('keys of other services are opaque; their checksum is not checked', () => {
  assert.equal(checkApiKey('9aa3d95b3bc440fa88ea12eaa4456161'), true)
  assert.equal(checkApiKey('A-key_of_8'), true)
  for (const bad of ['', '1234567', 'a'.repeat(129), 'with space', 'slash/slash', 'ümlaut-key']) {
    assert.equal(checkApiKey(bad), false)
  }
})

test('the displayed prefix is never a large part of a key', () => {
  assert.equal(visiblePart(`cairn_live_${thirty}1cTSrY`), 'AAAAAAAA')
  assert.equal(visiblePart('9aa3d95b3bc440fa88ea12eaa4456161'), '9aa3d95b')
  assert.equal(visiblePart('12345678'), '12')
})

test('the stored form is sha256', () => {
  assert.equal(
    Buffer.from(hashCredential('abc')).toString('hex'),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})

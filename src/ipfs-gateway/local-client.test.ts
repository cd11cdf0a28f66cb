import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLocalClient } from './local-client.ts'

const socket = { remoteAddress: '127.0.0.1', localPort: 8545 }
const host = 'x.ipfs.content.localhost:8545'

test('a program or a person at this machine is a local client', () => {
  for (const headers of [
    { host },
    { host, 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    { host, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    // A link on a page of another origin.
    {
      host,
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    },
    { host, origin: `http://${host}` },
  ]) {
    assert.equal(isLocalClient({ headers, socket }), true, JSON.stringify(headers))
  }
  const mapped = { remoteAddress: '::ffff:127.0.0.1', localPort: 8545 }
  assert.equal(isLocalClient({ headers: { host }, socket: mapped }), true)
})

test('a page of another origin is none, whether it embeds, fetches or frames', () => {
  for (const site of ['cross-site', 'same-site']) {
    for (const [mode, destination] of [
      ['no-cors', 'image'],
      ['cors', 'empty'],
      ['navigate', 'iframe'],
    ] as const) {
      const headers = {
        host,
        'sec-fetch-site': site,
        'sec-fetch-mode': mode,
        'sec-fetch-dest': destination,
      }
      assert.equal(isLocalClient({ headers, socket }), false, `${site} ${mode}`)
    }
  }
  const old = { host, origin: 'https://example.org' }
  assert.equal(isLocalClient({ headers: old, socket }), false)
})

test('a header of any common proxy or tunnel makes a client none', () => {
  for (const name of [
    'forwarded',
    'via',
    'x-forwarded-for',
    'x-forwarded-proto',
    'x-forwarded',
    'x-real-ip',
    'x-client-ip',
    'true-client-ip',
    'cf-connecting-ip',
    'x-original-forwarded-for',
    'x-envoy-external-address',
    'fly-client-ip',
    'tailscale-user-login',
  ]) {
    assert.equal(isLocalClient({ headers: { host, [name]: 'x' }, socket }), false, name)
  }
})

test('a client of another machine, of another port or behind a proxy is none', () => {
  assert.equal(
    isLocalClient({ headers: { host }, socket: { ...socket, remoteAddress: '192.0.2.7' } }),
    false,
  )
  assert.equal(isLocalClient({ headers: { host: 'x.ipfs.content.localhost' }, socket }), false)
  for (const name of ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']) {
    assert.equal(isLocalClient({ headers: { host, [name]: 'x' }, socket }), false, name)
  }
})

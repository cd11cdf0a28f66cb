import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayRulesOf } from './private-server.ts'

type Given = Parameters<typeof gatewayRulesOf>[0]

function rules({
  http = {},
  gateway = {},
  hosts = null,
  isolation = 'shared',
}: {
  readonly http?: Partial<Given['http']>
  readonly gateway?: Partial<Given['gateway']>
  readonly hosts?: string | null
  readonly isolation?: Given['files']['isolation']
} = {}) {
  const { host, subdomains, local } = gatewayRulesOf({
    http: { host: '127.0.0.1', trustedProxies: null, ...http },
    admin: { hosts },
    files: { isolation },
    gateway: {
      enabled: true,
      public: false,
      deserialized: false,
      host: 'auto',
      subdomains: 'auto',
      dnslink: null,
      abuseContact: null,
      ...gateway,
    },
  })
  return { host, subdomains, local }
}

test('a server on loopback has a content host, where its machine reads without a key', () => {
  const all = { host: 'content.localhost', subdomains: true, local: true }
  assert.deepEqual(rules(), all)
  assert.deepEqual(rules({ http: { host: '::1' } }), all)
  assert.deepEqual(rules({ hosts: 'localhost' }), all)
  assert.deepEqual(rules({ gateway: { host: 'files.localhost' } }), {
    ...all,
    host: 'files.localhost',
  })
})

test('a server that other machines reach has none by default, and nothing is open there', () => {
  const none = { host: null, subdomains: false, local: false }
  assert.deepEqual(rules({ http: { host: '0.0.0.0' } }), none)
  assert.deepEqual(rules({ http: { trustedProxies: '127.0.0.1' } }), none)
  assert.deepEqual(rules({ hosts: 'cairn.example.org' }), none)
  assert.deepEqual(rules({ http: { host: '0.0.0.0' }, gateway: { host: 'content.localhost' } }), {
    host: 'content.localhost',
    subdomains: true,
    local: false,
  })
})

test('accounts that do not share content do not share it on the content host either', () => {
  assert.equal(rules({ isolation: 'own' }).local, false)
})

test('a host of the settings has subdomains only if the settings say so', () => {
  const host = 'content.example.org'
  assert.deepEqual(rules({ gateway: { host } }), { host, subdomains: false, local: false })
  assert.equal(rules({ gateway: { host, subdomains: 'on' } }).subdomains, true)
  assert.equal(rules({ gateway: { subdomains: 'off' } }).subdomains, false)
  assert.deepEqual(rules({ gateway: { host: null } }), {
    host: null,
    subdomains: false,
    local: false,
  })
})

// Lookups of TXT records at a DNS server on loopback.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { never } from '../../../test/fakes/files/files-fixture.ts'
import { type DnsRecord, startDnsServer } from '../../../test/fakes/files/dns-server.ts'
import { systemClock } from '../../base/clock.ts'
import { createHttpsLookup, createSystemLookup } from './txt-lookup.ts'

const texts = ['v=spf1', `dnslink=/ipfs/${'x'.repeat(150)}`]

test('both kinds of lookup give the texts of a name, and null for a name without any', async (t) => {
  const records = new Map<string, DnsRecord>([['_dnslink.example.org', { texts, ttl: 300 }]])
  const { udp, url, queriedNames } = await startDnsServer(t, records)
  const system = createSystemLookup([udp])
  assert.deepEqual(await system('_dnslink.example.org', never), { texts, ttlMs: null })
  assert.equal(await system('_dnslink.other.org', never), null)
  const { lookUp, close } = createHttpsLookup(url, systemClock)
  t.after(close)
  assert.deepEqual(await lookUp('_dnslink.example.org', never), { texts, ttlMs: 300_000 })
  assert.equal(await lookUp('_dnslink.other.org', never), null)
  assert.equal(queriedNames.length, 4)
})

test('a resolver that answers something else, or nothing, is a failure and not an absent name', async (t) => {
  const { url } = await startDnsServer(t, new Map())
  const wrong = createHttpsLookup(`${url}/other`, systemClock)
  t.after(() => wrong.close())
  await assert.rejects(wrong.lookUp('a.example', never), { code: 'no_upstream' })
  const nothing = createHttpsLookup('http://127.0.0.1:9/dns-query', systemClock)
  t.after(() => nothing.close())
  await assert.rejects(nothing.lookUp('a.example', never), { code: 'no_upstream' })
  const refused = createSystemLookup(['127.0.0.1:9'])
  await assert.rejects(refused('a.example', never), { code: 'no_upstream' })
  const aborted = AbortSignal.abort(new Error('gone'))
  await assert.rejects(refused('a.example', aborted), /gone/)
})

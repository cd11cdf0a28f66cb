// IPNS names and DNSLink on real rows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNamesFixture, hourMs, newSigner } from '../../../test/fakes/files/names-fixture.ts'
import { never } from '../../../test/fakes/files/files-fixture.ts'
import { Fault } from '../../base/fault.ts'
import { nameOfKey } from '../../codec/ipld/ipns-name.ts'
import { dnsNameOfLabel, findDnsLink, inlineDnsName, parseDnsName } from './dnslink.ts'
import { createNames, hopsMax, recordsPerAccountMax, usualTerms } from './names.ts'

const cid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const content = `/ipfs/${cid}`
const online = { offline: false }

test('a stored record resolves, with the path of the request behind its value', async (t) => {
  const { names, clock } = createNamesFixture(t)
  const { name, sign } = newSigner()
  const bytes = sign(`${content}/site/`, 1n, clock.now() + hourMs, 30_000)
  await names.put('alice', { name, bytes, force: false }, online, never)
  const found = await names.resolve(`/ipns/${name.text}/a//b`, usualTerms, never)
  assert.deepEqual(found, { path: `${content}/site/a/b`, ttlMs: 30_000 })
  clock.advance(hourMs - 10_000)
  const late = await names.resolve(`ipns://${name.text}`, usualTerms, never)
  assert.deepEqual(late, { path: `${content}/site`, ttlMs: 10_000 })
  clock.advance(10_000)
  await assert.rejects(names.resolve(`/ipns/${name.text}`, usualTerms, never), {
    message: 'could not resolve name',
  })
})

test('a record replaces one of a lower sequence number alone, whichever account brings it', async (t) => {
  const { names, clock, database } = createNamesFixture(t)
  const { name, sign } = newSigner()
  const put = (sequence: bigint, accountId = 'alice', force = false, later = 0) => {
    const bytes = sign(content, sequence, clock.now() + hourMs + later)
    return names.put(accountId, { name, bytes, force }, online, never)
  }
  await put(5n)
  await put(5n)
  await assert.rejects(put(4n), {
    code: 'command_failed',
    message: 'existing IPNS record has sequence 5 >= new record sequence 4',
  })
  await assert.rejects(put(5n, 'alice', false, 1000), /has sequence 5 >= new record sequence 5/)
  await put(5n, 'alice', true, 1000)
  await assert.rejects(put(4n, 'alice', true, 9000), /sequence 5 >= new record sequence 4/)
  await put(6n, 'bob')
  assert.equal((await names.find(name, usualTerms, never))?.sequence, 6n)
  const all = database.all<{ account_id: string }>('SELECT account_id FROM ipns_record')
  assert.deepEqual(
    all.map((row) => row.account_id),
    ['alice'],
  )
})

test('of two requests at a time with the same sequence number one is refused or both bring the same record', async (t) => {
  const { names, clock } = createNamesFixture(t)
  const { name, sign } = newSigner()
  const puts = [1, 2, 3].map((later) => {
    const bytes = sign(content, 1n, clock.now() + hourMs + later)
    return names.put('alice', { name, bytes, force: true }, online, never)
  })
  const ended = await Promise.allSettled(puts)
  assert.ok(ended.some(({ status }) => status === 'fulfilled'))
  const cached = await names.find(name, usualTerms, never)
  assert.equal(cached?.validity, clock.now() + hourMs + 3)
})

test('records that are not valid for the name are not stored', async (t) => {
  const { names, clock } = createNamesFixture(t)
  const { name, sign } = newSigner()
  const put = (bytes: Uint8Array) => names.put('alice', { name, bytes, force: true }, online, never)
  await assert.rejects(put(newSigner().sign(content, 1n, clock.now() + hourMs)), {
    code: 'command_failed',
    message: /signature/,
  })
  await assert.rejects(put(sign(content, 1n, clock.now())), /expired/)
  await assert.rejects(put(Buffer.from('nothing')), { code: 'command_failed' })
  assert.equal(await names.find(name, usualTerms, never), null)
})

test('an account has at most 1000 names; ended ones make room', async (t) => {
  const { names, clock, database } = createNamesFixture(t)
  for (let at = 0; at < recordsPerAccountMax; at += 1) {
    const key = nameOfKey(Buffer.from(`key ${at}`)).multihash
    const validity = clock.now() + (at === 0 ? hourMs : 2 * hourMs)
    database.run(
      `INSERT INTO ipns_record (name, account_id, record, rank, validity, due, changed) VALUES (?, 'alice', x'00', x'00', ?, 0, 0)`,
      [key, validity],
    )
  }
  const put = (accountId: string) => {
    const { name, sign } = newSigner()
    const bytes = sign(content, 1n, clock.now() + 5 * hourMs)
    return names.put(accountId, { name, bytes, force: false }, online, never)
  }
  await assert.rejects(put('alice'), /at most 1000 IPNS names per account/)
  await put('bob')
  clock.advance(hourMs)
  const parallel = await Promise.allSettled([put('alice'), put('alice'), put('alice')])
  assert.equal(parallel.filter(({ status }) => status === 'fulfilled').length, 1)
  await assert.rejects(put('alice'), /at most 1000 IPNS names per account/)
})

test('routers are asked once in the TTL of a record, and the higher sequence number wins', async (t) => {
  const { names, clock, routed, state } = createNamesFixture(t)
  state.isOnline = true
  const { name, sign } = newSigner()
  routed.set(name.text, [sign(content, 7n, clock.now() + 2 * hourMs, 100_000)])
  const resolve = (terms = usualTerms) => names.resolve(`/ipns/${name.text}`, terms, never)
  assert.equal((await resolve()).path, content)
  routed.set(name.text, [sign(`${content}/new`, 8n, clock.now() + 2 * hourMs, 100_000)])
  assert.equal((await resolve()).path, content)
  assert.equal(state.gets.length, 1)
  assert.equal((await resolve({ ...usualTerms, fresh: true })).path, `${content}/new`)
  routed.set(name.text, [sign(`${content}/newer`, 9n, clock.now() + 2 * hourMs, 100_000)])
  clock.advance(100_000)
  const offline = await resolve({ ...usualTerms, offline: true })
  assert.equal(offline.path, `${content}/new`)
  assert.equal((await resolve()).path, `${content}/newer`)
  await names.put(
    'alice',
    { name, bytes: sign(content, 10n, clock.now() + hourMs), force: false },
    online,
    never,
  )
  assert.equal((await resolve()).path, content)
  assert.deepEqual(state.puts, [name.text])
})

test('a router that lies or fails hides no stored record; without one the failure says so', async (t) => {
  const { names, clock, routed, state } = createNamesFixture(t)
  const { name, sign } = newSigner()
  const bytes = sign(content, 1n, clock.now() + hourMs)
  await names.put('alice', { name, bytes, force: false }, online, never)
  state.isOnline = true
  routed.set(name.text, [newSigner().sign('/ipfs/other', 9n, clock.now() + hourMs)])
  assert.equal((await names.resolve(`/ipns/${name.text}`, usualTerms, never)).path, content)
  clock.advance(60_000)
  state.isBroken = true
  assert.equal((await names.resolve(`/ipns/${name.text}`, usualTerms, never)).path, content)
  await assert.rejects(names.resolve(`/ipns/${newSigner().name.text}`, usualTerms, never), {
    code: 'no_upstream',
  })
})

test('DNSLink is followed within its TTL of 60 s to 1 h, over names of keys and of DNS', async (t) => {
  const { names, clock, dns, state } = createNamesFixture(t)
  const { name, sign } = newSigner()
  const bytes = sign(content, 1n, clock.now() + 10 * hourMs, 24 * hourMs)
  await names.put('alice', { name, bytes, force: false }, online, never)
  dns.set('_dnslink.a.example', { texts: ['x', 'dnslink=/ipns/b.example/x'], ttlMs: 0 })
  dns.set('_dnslink.b.example', { texts: [`dnslink=/ipns/${name.text}`], ttlMs: 9 * hourMs })
  const resolve = (path: string, terms = usualTerms) => names.resolve(path, terms, never)
  assert.deepEqual(await resolve('/ipns/A.example./y'), { path: `${content}/x/y`, ttlMs: 60_000 })
  assert.deepEqual(await resolve('/ipns/b.example'), { path: content, ttlMs: hourMs })
  const step = await resolve('/ipns/a.example/y', { ...usualTerms, recursive: false })
  assert.equal(step.path, '/ipns/b.example/x/y')
  assert.deepEqual(state.dnsLookups, ['_dnslink.a.example', '_dnslink.b.example'])
  dns.delete('_dnslink.a.example')
  clock.advance(60_000)
  await assert.rejects(resolve('/ipns/a.example'), {
    code: 'command_failed',
    message: 'could not resolve name: DNSLink lookup could not find a TXT record',
  })
  assert.equal((await resolve('/ipns/b.example')).ttlMs, hourMs - 60_000)
  dns.set('_dnslink.c.example', new Fault('no_upstream'))
  await assert.rejects(resolve('/ipns/c.example'), { code: 'no_upstream' })
  await assert.rejects(resolve('/ipns/d.example', { ...usualTerms, offline: true }), /could not/)
  assert.ok(!state.dnsLookups.includes('_dnslink.d.example'))
})

test('a lookup ends with its timeout, and after a minute at the latest', async (t) => {
  const { rows, clock } = createNamesFixture(t)
  const names = createNames({
    rows,
    clock,
    routing: () => null,
    allowsDnsName: () => true,
    lookUpTxt: (_name, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      }),
  })
  for (const [timeoutMs, endsMs] of [
    [1_000, 1_000],
    [60_000, 60_000],
    [90_000, 60_000],
  ] as const) {
    const terms = { ...usualTerms, timeoutMs }
    let isOver = false
    const lookup = names.resolve('/ipns/a.example', terms, never).finally(() => (isOver = true))
    const ended = assert.rejects(lookup, { code: 'deadline' })
    clock.advance(endsMs - 1)
    await new Promise(setImmediate)
    assert.equal(isOver, false)
    clock.advance(1)
    await ended
  }
})

test('a circle of names ends after 8 steps', async (t) => {
  const { names, dns, state } = createNamesFixture(t)
  dns.set('_dnslink.a.example', { texts: ['dnslink=/ipns/b.example/x'], ttlMs: null })
  dns.set('_dnslink.b.example', { texts: ['dnslink=/ipns/a.example'], ttlMs: null })
  await assert.rejects(names.resolve('/ipns/a.example', usualTerms, never), {
    message: 'could not resolve name (recursion limit exceeded)',
  })
  assert.equal(state.dnsLookups.length, 2)
  for (let at = 0; at < hopsMax; at += 1) {
    const next = at === hopsMax - 1 ? content : `/ipns/n${at + 1}.example`
    dns.set(`_dnslink.n${at}.example`, { texts: [`dnslink=${next}`], ttlMs: null })
  }
  assert.equal((await names.resolve('/ipns/n0.example', usualTerms, never)).path, content)
})

test('a DNS name that is not listed is not looked up', async (t) => {
  const { names, state } = createNamesFixture(t, ['listed.example'])
  await assert.rejects(names.resolve('/ipns/other.example', usualTerms, never), {
    code: 'not_found',
    message: /gateway\.dnslink does not list it/,
  })
  assert.deepEqual(state.dnsLookups, [])
  await assert.rejects(names.resolve('/ipns/listed.example', usualTerms, never))
  assert.equal(state.dnsLookups.length, 1)
  for (const path of ['/ipns/-', '/ipns/localhost', content, 'x']) {
    await assert.rejects(names.resolve(path, usualTerms, never), { code: 'command_failed' })
  }
})

test('a DNS name becomes one label and back; other labels are none', () => {
  const name = 'en.wikipedia-on-ipfs.org'
  assert.equal(inlineDnsName(name), 'en-wikipedia--on--ipfs-org')
  assert.equal(dnsNameOfLabel('en-wikipedia--on--ipfs-org'), name)
  assert.equal(dnsNameOfLabel(name), name)
  assert.equal(dnsNameOfLabel('localhost'), null)
  for (const wrong of ['a', 'a..b', '-a.b', 'a-.b', `${'a'.repeat(64)}.b`, 'a.b/c', 'ä.example']) {
    assert.equal(parseDnsName(wrong), null, wrong)
  }
})

test('one DNSLink among the TXT records counts, and two are none', () => {
  assert.deepEqual(findDnsLink(['v=spf1', `dnslink=${content}/a b`]), { path: `${content}/a b` })
  assert.deepEqual(findDnsLink([`dnslink=${cid}`]), { path: content })
  assert.deepEqual(findDnsLink([content, `dnslink=${content}`]), { path: content })
  assert.match(String(Object.values(findDnsLink([content, '/ipns/a.example']))), /more than one/)
  for (const wrong of ['dnslink=/ipfs/nothing', 'dnslink=/http/x', 'dnslink=', '/ipns/nothing']) {
    assert.match(String(Object.values(findDnsLink([wrong]))), /could not find/, wrong)
  }
})

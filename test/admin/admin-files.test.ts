// Pins and storage of accounts through the admin operations, on the data folder of a running server.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openAdminAccess } from '../../src/cli/admin-access.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { psaClient } from '../fakes/files/psa-client.ts'
import { until } from '../fakes/until.ts'
import { type Started, startCairn } from '../started-server.ts'

let cairn: Started
before(async () => {
  cairn = await startCairn()
})
after(() => cairn.stop())

const context = {
  out: () => {},
  err: () => {},
  readInput: async () => '',
  env: {},
}

async function add(name: string, content: string, server = cairn, pinName = ''): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([content]), name)
  const query = new URLSearchParams({ pin: 'true', 'pin-name': pinName })
  const response = await fetch(`${server.url}/api/v0/add?${query.toString()}`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${server.apiKey}:${server.apiKeySecret}`)}` },
    body: form,
  })
  return ((await response.json()) as { Hash: string }).Hash
}

test('pins are listed with sizes, newest first and page by page, and storage by account', async () => {
  await using admin = await openAdminAccess(context, { dataDir: cairn.dataDir })
  const [account] = (await admin.call('GET /accounts')).accounts
  const id = account?.id ?? ''
  deepEqual((await admin.call('GET /accounts/{account}/files', { account: id })).pins, [])

  const cids: string[] = []
  for (let index = 0; index < 205; index++) cids.push(await add(`${index}.txt`, `stone ${index}\n`))
  const first = await admin.call('GET /accounts/{account}/files', { account: id })
  equal(first.pins.length, 200)
  ok(first.next !== null)
  const second = await admin.call('GET /accounts/{account}/files', {
    account: id,
    from: first.next ?? '',
  })
  equal(second.next, null)
  const listed = [...first.pins, ...second.pins]
  deepEqual(listed.map(({ cid }) => cid).toSorted(), cids.toSorted())
  const times = listed.map(({ created }) => created)
  deepEqual(
    times,
    times.toSorted((one, other) => other - one),
  )
  ok(
    listed.every(
      ({ mode, blocks, bytes }) => mode === 'recursive' && blocks === 1 && (bytes ?? 0) > 8,
    ),
  )
  deepEqual(first.stored.blocks, 205)

  const { accounts, stored } = await admin.call('GET /storage')
  deepEqual(accounts, [{ account: account?.name, pins: 205, ...first.stored }])
  ok(stored.blocks >= 205)
})

test('pins are found by a part of their name or by their CID, page by page', async (t) => {
  const server = await startCairn()
  t.after(() => server.stop())
  await using admin = await openAdminAccess(context, { dataDir: server.dataDir })
  const account = (await admin.call('GET /accounts')).accounts[0]?.id ?? ''
  const cids: string[] = []
  for (const name of ['Site_1.html', 'site-2.html', 'photo 100%.png']) {
    cids.unshift(await add(name, name, server, name))
  }
  const find = async (search: string, more: object = {}) =>
    await admin.call('GET /accounts/{account}/files', { account, search, ...more })
  const names = async (search: string) => (await find(search)).pins.map(({ name }) => name)
  deepEqual(await names('SITE'), ['site-2.html', 'Site_1.html'])
  deepEqual(await names('_'), ['Site_1.html'])
  deepEqual(await names('100%'), ['photo 100%.png'])
  deepEqual(await names(cids[1] ?? ''), ['site-2.html'])
  deepEqual(await names('nothing'), [])
  const first = await find('site', { limit: 1 })
  deepEqual([first.pins.length, first.count], [1, 3])
  const rest = await find('site', { limit: 1, from: first.next ?? '' })
  deepEqual([rest.pins[0]?.name, rest.next], ['Site_1.html', null])
})

test('pins are ordered by name, size and date and filtered by type, page by page', async (t) => {
  const server = await startCairn()
  t.after(() => server.stop())
  await using admin = await openAdminAccess(context, { dataDir: server.dataDir })
  const account = (await admin.call('GET /accounts')).accounts[0]?.id ?? ''
  const names = ['b.PNG', 'A.png', 'site', 'c_1.pdf', 'ü.json', 'film.mp4']
  const lengthOf = (at: number) => 1 + ((at * 7) % 11)
  for (const [at, name] of names.entries()) await add(name, 'x'.repeat(lengthOf(at)), server, name)
  type Sent = { readonly [Name in 'sort' | 'order' | 'type' | 'search']?: string }
  const listed = async (sent: Sent) => {
    const found: string[] = []
    let from: string | null = null
    do {
      const page: { pins: { name: string }[]; next: string | null; found: number } =
        await admin.call('GET /accounts/{account}/files', {
          account,
          limit: 1,
          ...(sent as { sort?: 'name' }),
          ...(from === null ? {} : { from }),
        })
      found.push(...page.pins.map(({ name }) => name))
      from = page.next
    } while (from !== null)
    return found
  }
  const byName = ['A.png', 'b.PNG', 'c_1.pdf', 'film.mp4', 'site', 'ü.json']
  deepEqual(await listed({ sort: 'name' }), byName)
  deepEqual(await listed({ sort: 'name', order: 'desc' }), byName.toReversed())
  deepEqual(await listed({ sort: 'created', order: 'asc' }), names)
  const sizes = await listed({ sort: 'size' })
  deepEqual(await listed({ sort: 'size', order: 'asc' }), sizes.toReversed())
  const lengths = sizes.map((name) => lengthOf(names.indexOf(name)))
  deepEqual(
    lengths,
    lengths.toSorted((one, other) => other - one),
  )
  deepEqual(await listed({ type: 'image' }), ['A.png', 'b.PNG'])
  deepEqual(await listed({ type: 'other' }), ['site'])
  deepEqual(await listed({ type: 'document', search: '_' }), ['c_1.pdf'])
  deepEqual(await listed({ type: 'archive' }), [])
  const page = await admin.call('GET /accounts/{account}/files', {
    account,
    type: 'image',
    limit: 1,
  })
  deepEqual([page.found, page.count], [2, names.length])
  const cid = page.pins[0]?.cid ?? ''
  deepEqual(await listed({ search: cid.slice(0, 20) }), [page.pins[0]?.name])
})

test('an account makes its pins public, and excludes one of them', async (t) => {
  const server = await startCairn()
  t.after(() => server.stop())
  await using admin = await openAdminAccess(context, { dataDir: server.dataDir })
  const id = (await admin.call('GET /accounts')).accounts[0]?.id ?? ''
  const cid = await add('public', 'for anyone', server)
  const status = async () => (await fetch(`${server.url}/ipfs/${cid}?format=raw`)).status
  const change = async (provide: 'none' | 'all') =>
    await admin.call('PATCH /accounts/{account}/files/{cid}', { account: id, cid, provide })
  const pin = async () =>
    (await admin.call('GET /accounts/{account}/files', { account: id })).pins[0]
  const found = async () => (await pin())?.provide
  equal(await found(), 'all')
  const { account } = await admin.call('PUT /accounts/{account}/provide', {
    account: id,
    provide: 'roots',
  })
  equal(account.settings.provide, 'roots')
  const { announcedAt, announcesAt } = (await pin()) ?? {}
  deepEqual([announcedAt, announcesAt], [null, null])
  const inState = async (announcement: 'announced' | 'waiting' | 'none') =>
    (await admin.call('GET /accounts/{account}/files', { account: id, announcement })).pins.length
  const pins = (await admin.call('GET /accounts/{account}/files', { account: id })).count
  deepEqual(
    [await inState('announced'), await inState('waiting'), await inState('none')],
    [0, 0, pins],
  )
  // The server checks each second whether any account has public pins.
  await until(async () => equal(await status(), 200), 30_000)
  deepEqual(await change('none'), { cid, provide: 'none' })
  equal(await status(), 401)
  equal(await found(), 'none')
  await change('all')
  equal(await status(), 200)
  for (const [change, code] of [
    [{ cid: 'bafkqaaa', provide: 'all' }, 'absent'],
    [{ cid: 'bafkqaaa', created: 1 }, 'absent'],
    [{ cid }, 'bad_input'],
    [{ cid, created: Date.now() + 60_000 }, 'bad_input'],
  ] as const) {
    const sent = { account: id, ...change }
    await rejects(admin.call('PATCH /accounts/{account}/files/{cid}', sent), { code })
  }
  await admin.call('PATCH /accounts/{account}/files/{cid}', { account: id, cid, created: 5 })
  equal((await pin())?.created, 5)
  await admin.call('PUT /accounts/{account}/provide', { account: id, provide: 'none' })
  equal(await status(), 401)
})

test('a pin states the key that added it, and which pins and trees contain it', async (t) => {
  const server = await startCairn()
  t.after(() => server.stop())
  const made = (await server.cli('keys', 'create', '--account', 'default', '--name', 'second')) as {
    readonly apiKey: string
    readonly apiKeySecret: string
  }
  const [first, second] = [filesClient(server), filesClient({ ...server, ...made })]
  await using admin = await openAdminAccess(context, { dataDir: server.dataDir })
  const account = (await admin.call('GET /accounts')).accounts[0]?.id ?? ''
  const find = async (cid: string) =>
    await admin.call('GET /accounts/{account}/files/{cid}', { account, cid })
  const addedBy = async (cid: string) => (await find(cid)).key?.name
  const isNowhere = { pins: [], more: false, tree: false }

  const cid = await second.add(Buffer.from('part'), 'cid-version=1')
  equal(await addedBy(cid), 'second')
  deepEqual((await find(cid)).partOf, isNowhere)
  // The key that renames it did not add it.
  await first.post(`pin/add?arg=${cid}&name=renamed`)
  const renamed = await find(cid)
  deepEqual([renamed.pin?.name, renamed.key?.name], ['renamed', 'second'])

  await first.post(`files/cp?arg=/ipfs/${cid}&arg=/copy.txt`)
  equal((await find(cid)).partOf.tree, true)
  for (const name of ['one', 'two']) {
    const form = new FormData()
    form.append('file', new Blob(['part']), 'a.txt')
    form.append('file', new Blob([name]), 'b.txt')
    const query = `wrap-with-directory=true&cid-version=1&pin-name=${name}`
    await first.post(`add?${query}`, form)
  }
  const byKey = await admin.call('GET /accounts/{account}/files', {
    account,
    key: renamed.key?.id ?? '',
  })
  deepEqual([byKey.pins.map((pin) => pin.cid), byKey.found, byKey.count], [[cid], 1, 3])
  const { partOf } = await find(cid)
  deepEqual(partOf.pins.map(({ name }) => name).toSorted(), ['one', 'two'])
  equal(partOf.more, false)

  // A pin that replaces another one, and a requested one, are by the key that sent them.
  const [from = '', to = ''] = partOf.pins.map((pin) => pin.cid)
  await first.post(`pin/rm?arg=${to}`)
  await second.post(`pin/update?arg=${from}&arg=${to}&unpin=false`)
  deepEqual([await addedBy(from), await addedBy(to)], ['first', 'second'])
  const psa = psaClient({ ...server, ...made })
  const requested = await psa.add({ cid: await first.add(Buffer.from('wanted'), 'pin=false') })
  await psa.ends(requested.requestid)
  equal(await addedBy(requested.pin.cid), 'second')

  const { keyId } = renamed.pin ?? {}
  await first.post(`pin/rm?arg=${cid}`)
  deepEqual((await find(cid)).pin, null)
  await first.post(`pin/add?arg=${cid}`)
  const change = async (key: string) =>
    await admin.call('PATCH /accounts/{account}/files/{cid}', { account, cid, keyId: key })
  await rejects(change('absent'), { code: 'bad_input', message: /no key absent/ })
  await change(keyId ?? '')
  equal(await addedBy(cid), 'second')
  for (const unknown of ['bafkqaaa', 'not a CID']) {
    const found = await find(unknown)
    deepEqual(found, { pin: null, announces: false, key: null, partOf: isNowhere })
  }
})

test('an invalid list position is refused', async () => {
  await using admin = await openAdminAccess(context, { dataDir: cairn.dataDir })
  const [account] = (await admin.call('GET /accounts')).accounts
  for (const from of ['x', '1-', '1-zzz', `1-${'Q'.repeat(250)}`]) {
    await rejects(
      admin.call('GET /accounts/{account}/files', { account: account?.id ?? '', from }),
      { code: 'bad_input' },
    )
  }
})

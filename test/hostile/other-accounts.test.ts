// An account that attacks another one through pin requests, names of keys, the file tree, other pinning services and public content.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { requestContent } from '../fakes/files/content-request.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { psaClient } from '../fakes/files/psa-client.ts'
import { until } from '../fakes/until.ts'
import { type Started, startCairn } from '../started-server.ts'

let cairn: Started
let ada: ReturnType<typeof clientsOf>
let eve: ReturnType<typeof clientsOf>

function clientsOf(server: { url: string; apiKey: string; apiKeySecret: string }) {
  return { ...filesClient(server), psa: psaClient(server) }
}

before(async () => {
  cairn = await startCairn({
    env: {
      CAIRN_FILES_ISOLATION: 'own',
      CAIRN_IPNS_KEYS: 'true',
      CAIRN_GATEWAY_DESERIALIZED: 'true',
      CAIRN_GATEWAY_HOST: 'gw.example.org',
      CAIRN_GATEWAY_SUBDOMAINS: 'on',
      CAIRN_GATEWAY_REQUESTS_PER_SECOND_MAX: '0',
    },
  })
  ada = clientsOf(cairn)
  await cairn.cli('accounts', 'create', 'eve')
  await cairn.cli('card', 'set', 'eve')
  const made = await cairn.cli('keys', 'create', '--account', 'eve')
  const { apiKey, apiKeySecret } = made as Record<string, string>
  eve = clientsOf({ url: cairn.url, apiKey: apiKey ?? '', apiKeySecret: apiKeySecret ?? '' })
})
after(() => cairn.stop())

const ok = async (reply: Promise<Response>): Promise<string> => {
  const got = await reply
  const text = await got.text()
  assert.equal(got.status, 200, text)
  return text
}
const refused = async (reply: Promise<Response>): Promise<string> => {
  const got = await reply
  assert.notEqual(got.status, 200)
  return await got.text()
}
const form = (bytes: string | Buffer): FormData => {
  const body = new FormData()
  body.set('file', new Blob([Buffer.from(bytes)]), 'file')
  return body
}

test('a pin request of another account is absent for every operation, like one that never was', async () => {
  const cid = await ada.add(randomBytes(500))
  const { requestid } = await ada.psa.add({ cid, name: 'hers' })
  await ada.psa.ends(requestid)
  const none = '00000000-0000-4000-8000-000000000000'
  const own = await eve.add(randomBytes(500))
  for (const [method, body] of [
    ['GET', undefined],
    ['POST', { cid: own }],
    ['DELETE', undefined],
  ] as const) {
    const [there, absent] = await Promise.all(
      [requestid, none].map((id) => eve.psa.call(method, `/${id}`, body)),
    )
    assert.deepEqual(
      [there?.status, await there?.text()],
      [absent?.status, await absent?.text()],
      method,
    )
    assert.equal(there?.status, 404)
  }
  assert.equal((await eve.psa.list('?status=queued,pinning,pinned,failed')).count, 0)
  assert.equal((await ada.psa.find(requestid)).status, 'pinned')
})

test('a requested pin of a directory of the own account reaches no block of another account', async () => {
  const leaf = await ada.add(randomBytes(700), 'cid-version=1&raw-leaves=true')
  const dag = form(JSON.stringify({ stolen: { '/': leaf } }))
  const put = await ok(eve.post('dag/put?store-codec=dag-cbor&input-codec=dag-json', dag))
  const root = (JSON.parse(put) as { Cid: { '/': string } }).Cid['/']
  const { requestid } = await eve.psa.add({ cid: root })
  const failed = await eve.psa.ends(requestid, 'queued')
  assert.equal(failed.status, 'queued')
  await refused(eve.post(`pin/add?arg=${root}&timeout=2s`))
  await refused(eve.post(`cat?arg=${leaf}`))
  await eve.psa.call('DELETE', `/${requestid}`)
})

test('the file tree retains no block of another account, also below a node of the own one', async () => {
  const leaf = await ada.add(randomBytes(900), 'cid-version=1&raw-leaves=true')
  const link = CID.parse(leaf)
  // A UnixFS directory whose only entry is the leaf of the other account.
  const hash = Buffer.concat([Buffer.from([0x0a, link.bytes.length]), link.bytes])
  const entry = Buffer.concat([hash, Buffer.from([0x12, 1, 0x78, 0x18, 1])])
  const data = Buffer.from([0x0a, 2, 0x08, 1])
  const node = Buffer.concat([Buffer.from([0x12, entry.length]), entry, data])
  const put = await ok(eve.post('block/put?cid-codec=dag-pb', form(node)))
  const directory = (JSON.parse(put) as { Key: string }).Key
  await ok(eve.post(`files/cp?arg=/ipfs/${directory}&arg=/trap`))
  await refused(eve.post('files/read?arg=/trap/x'))
  await refused(eve.post(`files/cp?arg=/trap/x&arg=/stolen`))
  await refused(eve.post(`files/cp?arg=/ipfs/${leaf}&arg=/direct`))
  await refused(eve.post(`cat?arg=${leaf}`))
  const refs = await ok(eve.post('refs/local'))
  assert.ok(!refs.includes(CID.createV1(0x55, link.multihash).toString()))
  await ok(eve.post('files/rm?arg=/trap&recursive=true'))
})

test('names of keys and paths of trees are those of the account alone', async () => {
  const gen = await ok(ada.post('key/gen?arg=site'))
  const { Id } = JSON.parse(gen) as { Id: string }
  await ok(ada.post('files/mkdir?arg=/private'))
  const body = 'x'
  await ok(ada.post('files/write?arg=/private/a&create=true', form(body)))
  for (const command of [
    'key/rm?arg=site',
    'key/rename?arg=site&arg=mine',
    `key/rm?arg=${Id}`,
    `name/publish?arg=/ipfs/bafkqaaa&key=site`,
    `name/publish?arg=/ipfs/bafkqaaa&key=${Id}`,
    'files/read?arg=/private/a',
    'files/ls?arg=/private',
    'files/rm?arg=/private&recursive=true',
    'files/mv?arg=/private&arg=/mine',
    'files/cp?arg=/private&arg=/mine',
    'files/stat?arg=/../private',
  ]) {
    await refused(eve.post(command))
  }
  assert.ok(!(await ok(eve.post('key/list'))).includes(Id))
  assert.equal(await ok(ada.post('files/read?arg=/private/a')), body)
})

test('writers of one path of the tree: each write is whole, and none is lost or mixed', async () => {
  await ok(ada.post('files/mkdir?arg=/race'))
  const bodies = Array.from({ length: 8 }, (_, n) => String(n).repeat(5000))
  await Promise.all(
    bodies.map((body, n) =>
      ok(ada.post(`files/write?arg=/race/same&create=true&truncate=true`, form(body))).then(() =>
        ok(ada.post(`files/write?arg=/race/${n}&create=true`, form(body))),
      ),
    ),
  )
  assert.ok(bodies.includes(await ok(ada.post('files/read?arg=/race/same'))))
  const listed = JSON.parse(await ok(ada.post('files/ls?arg=/race'))) as { Entries: unknown[] }
  assert.equal(listed.Entries.length, 9)
})

test('concurrent pins of one CID are one pin, and the last request takes it along', async () => {
  const cid = await ada.add(randomBytes(300), 'pin=false')
  const requests = await Promise.all(
    Array.from({ length: 6 }, (_, n) => ada.psa.add({ cid, name: `n${n}` })),
  )
  await Promise.all(requests.map(({ requestid }) => ada.psa.ends(requestid)))
  const [first, ...rest] = requests
  await Promise.all(rest.map(({ requestid }) => ada.psa.call('DELETE', `/${requestid}`)))
  await ok(ada.post(`pin/ls?arg=${cid}`))
  await ada.psa.call('DELETE', `/${first?.requestid}`)
  await refused(ada.post(`pin/ls?arg=${cid}`))
})

type Request = {
  readonly path: string
  readonly host?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Normalises a reply: replaces `CID` and `NAME` in the request, and removes their values from the reply. */
async function seen(request: Request, cid: string, name: string) {
  const fill = (text: string): string => text.replaceAll('CID', cid).replaceAll('NAME', name)
  const hide = (text: string): string => text.replaceAll(cid, 'CID').replaceAll(name, 'NAME')
  const { path, host, method = 'GET', headers = {} } = request
  const { port } = new URL(cairn.url)
  const filled = Object.entries(headers).map(([key, value]) => [key, fill(value)])
  const reply = await requestContent(
    `http://${fill(host ?? '127.0.0.1')}:${port}${fill(path)}`,
    Object.fromEntries(filled) as Record<string, string>,
    { method, via: Number(port) },
  )
  const { date: _date, 'x-request-id': _id, ...stated } = reply.headers
  return { status: reply.status, headers: hide(JSON.stringify(stated)), text: hide(reply.text) }
}

const onPaths: readonly Request[] = ['/ipfs/CID', '/ipns/NAME'].flatMap((path) => [
  { path },
  { path: `${path}/` },
  { path: `${path}/x` },
  { path: `${path}?format=raw` },
  { path: `${path}?format=car` },
  { path: `${path}?format=car&dag-scope=block` },
  { path: `${path}?format=tar` },
  { path: `${path}?format=dag-json` },
  { path: `${path}?download=true&filename=x` },
  { path, headers: { accept: 'application/vnd.ipld.car' } },
  { path, headers: { range: 'bytes=0-9' } },
  { path: `${path}?format=raw`, headers: { range: 'bytes=0-9' } },
  { path, headers: { 'if-none-match': '"CID"' } },
  { path, headers: { 'if-none-match': '*' } },
  { path: `${path}?format=raw`, headers: { 'if-none-match': '"CID.raw"' } },
  { path: `${path}?format=car`, headers: { 'if-none-match': '*' } },
  { path, headers: { 'cache-control': 'only-if-cached' } },
])
const onHosts: readonly Request[] = ['CID.ipfs', 'NAME.ipns'].flatMap((host) => [
  { path: '/', host: `${host}.gw.example.org` },
  { path: '/x', host: `${host}.gw.example.org` },
  { path: '/_redirects', host: `${host}.gw.example.org` },
  { path: '/?format=raw', host: `${host}.gw.example.org` },
  { path: '/', host: `${host}.gw.example.org`, headers: { 'if-none-match': '*' } },
  { path: '/', host: `${host}.gw.example.org`, headers: { 'cache-control': 'only-if-cached' } },
])

/** A new name of the account that resolves to this CID. */
async function nameOf({ post }: typeof ada, cid: string): Promise<string> {
  const key = randomBytes(8).toString('hex')
  const { Id } = JSON.parse(await ok(post(`key/gen?arg=${key}`))) as { Id: string }
  await ok(post(`name/publish?arg=/ipfs/${cid}&key=${key}&resolve=false`))
  return Id
}

/** Resolves when clients without a key can read eve's public content; returns its CID. */
async function openGateway(): Promise<string> {
  await cairn.cli('accounts', 'set', 'eve', '--provide', 'roots')
  const open = await eve.add(randomBytes(3000), 'cid-version=1&raw-leaves=true')
  await until(async () => {
    assert.equal((await seen({ path: '/ipfs/CID?format=raw' }, open, 'none')).status, 200)
  }, 30_000)
  return open
}

test('without a key, the record of a name is served if its content is', async () => {
  const open = await openGateway()
  const path = '/ipns/NAME?format=ipns-record'
  const hidden = await ada.add(randomBytes(100))
  const [ofPublic, ofPrivate] = [await nameOf(eve, open), await nameOf(ada, hidden)]
  const chained = JSON.parse(await ok(ada.post('key/gen?arg=chained'))) as { Id: string }
  await ok(ada.post(`name/publish?arg=/ipns/${ofPrivate}&key=chained&resolve=false`))
  assert.equal((await seen({ path }, open, ofPublic)).status, 200)
  for (const one of [ofPrivate, chained.Id]) {
    const record = await seen({ path }, hidden, one)
    assert.deepEqual([record.status, record.text.includes('CID')], [401, false])
    assert.equal((await seen({ path, headers: ada.headers }, hidden, one)).status, 200)
  }
})

test('without a key, what an account writes into its file tree is private', async () => {
  await openGateway()
  const bytes = randomBytes(100)
  await ok(eve.post('files/write?arg=/draft&create=true&cid-version=1', form(bytes)))
  const { Hash } = JSON.parse(await ok(eve.post('files/stat?arg=/draft'))) as { Hash: string }
  assert.equal((await seen({ path: '/ipfs/CID?format=raw' }, Hash, 'none')).status, 401)
  assert.equal(
    (await seen({ path: '/ipfs/CID?format=raw', headers: eve.headers }, Hash, 'none')).status,
    200,
  )
})

test('without a key or with that of another account, private content looks like absent content', async () => {
  await openGateway()
  const cid = await ada.add(randomBytes(3000), 'cid-version=1&raw-leaves=true')
  const absent = CID.createV1(0x55, await sha256.digest(randomBytes(32))).toString()
  const [name, nameOfAbsent] = [await nameOf(ada, cid), await nameOf(ada, absent)]
  for (const request of [...onPaths, ...onHosts]) {
    for (const [method, key] of [
      ['GET', {}],
      ['HEAD', {}],
      ['GET', eve.headers],
    ] as const) {
      const sent = { ...request, method, headers: { ...request.headers, ...key } }
      const [there, not] = await Promise.all([
        seen(sent, cid, name),
        seen(sent, absent, nameOfAbsent),
      ])
      assert.deepEqual(there, not, JSON.stringify(sent))
    }
  }
})

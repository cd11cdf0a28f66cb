import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { Fault } from '../base/fault.ts'
import { fileEntry, never } from '../../test/fakes/files/files-fixture.ts'
import { absentCid, startPathReader } from '../../test/fakes/gateway-client.ts'
import { sendRaw } from '../../test/fakes/raw-http.ts'
import { defaultKeySettings } from '../access/accounts/key-settings.ts'
import { compileAllowlists } from '../access/accounts/allowlists.ts'
import { dagPbCodec } from '../codec/ipld/cid.ts'
import { parseDenyList } from './deny-list.ts'

const raw = 'application/vnd.ipld.raw'
const car = 'application/vnd.ipld.car'
/** A small file is a single raw block. */
const bare = { cidVersion: 1, rawLeaves: true } as const
const patience = { offline: true, timeoutMs: null }

test('a raw block comes with its bytes and every header of the contract', async (t) => {
  const reader = await startPathReader(t)
  const cid = await reader.add([fileEntry('', 'stone')], bare)
  const response = await reader.get(`${cid}?format=raw`)
  assert.equal(response.status, 200)
  assert.equal(await response.text(), 'stone')
  const shown = Object.fromEntries(response.headers)
  delete shown['date']
  delete shown['x-request-id']
  delete shown['keep-alive']
  assert.deepEqual(shown, {
    'accept-ranges': 'bytes',
    'access-control-allow-headers':
      'Authorization, Accept, Cache-Control, Content-Type, If-None-Match, Range, User-Agent, X-Requested-With',
    'access-control-allow-methods': 'GET, HEAD, OPTIONS',
    'access-control-allow-origin': '*',
    'access-control-expose-headers':
      'Content-Length, Content-Range, Content-Disposition, Content-Location, ETag, Retry-After, X-Chunked-Output, X-Ipfs-Path, X-Ipfs-Roots, X-Request-Id, X-Stream-Output',
    'cache-control': 'public, max-age=29030400, immutable',
    connection: 'keep-alive',
    'content-disposition': `attachment; filename="${cid}.bin"`,
    'content-length': '5',
    'content-type': raw,
    etag: `"${cid}.raw"`,
    server: 'cairn/0.1.0',
    vary: 'Accept, Authorization',
    'x-content-type-options': 'nosniff',
    'x-ipfs-path': `/ipfs/${cid}`,
    'x-ipfs-roots': cid,
  })
  assert.deepEqual(reader.server.settled, [{ outcome: 'ok', in: 0, out: 5 }])
})

test('a block is found by every spelling of its CID', async (t) => {
  const reader = await startPathReader(t)
  const cid = await reader.add([fileEntry('', 'stone')])
  const block = Buffer.from(await reader.server.files.block(CID.parse(cid), patience, never))
  for (const spelled of [cid, CID.parse(cid).toV1().toString()]) {
    const response = await reader.get(`${spelled}?format=raw`)
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), block)
    assert.equal(response.headers.get('etag'), `"${spelled}.raw"`)
  }
})

test('a block below a path comes with the CIDs that lead to it', async (t) => {
  const reader = await startPathReader(t)
  const folder = await reader.add([fileEntry('d/sub/a', 'stone')], bare)
  const sub = await reader.server.files.resolve(`${folder}/sub`, patience, never)
  const file = await reader.server.files.resolve(`${folder}/sub/a`, patience, never)
  const response = await reader.get(`${folder}/sub/a?format=raw`)
  assert.equal(await response.text(), 'stone')
  const { headers } = response
  assert.equal(headers.get('etag'), `"${file.toString()}.raw"`)
  assert.equal(headers.get('content-disposition'), `attachment; filename="${file.toString()}.bin"`)
  assert.equal(headers.get('x-ipfs-path'), `/ipfs/${folder}/sub/a`)
  assert.equal(headers.get('x-ipfs-roots'), [folder, sub, file].join(','))
  const block = Buffer.from(await reader.server.files.block(sub, patience, never))
  const below = await reader.get(`${folder}/sub/`, { accept: raw, range: 'bytes=2-5' })
  assert.deepEqual(Buffer.from(await below.arrayBuffer()), block.subarray(2, 6))
  assert.equal(below.headers.get('x-ipfs-path'), `/ipfs/${folder}/sub/`)
  assert.equal((await reader.get(`${folder}/nope?format=raw`)).status, 404)
})

test('the format of the query wins over Accept, and one of Accept gets its own address', async (t) => {
  const reader = await startPathReader(t)
  const cid = await reader.add([fileEntry('', 'stone')], { cidVersion: 1 })
  const location = async (path: string, accept: string) => {
    const response = await reader.get(path, { accept }, 'HEAD')
    return [response.headers.get('content-type'), response.headers.get('content-location')]
  }
  assert.deepEqual(await location(cid, raw), [raw, `/ipfs/${cid}?format=raw`])
  assert.deepEqual(await location(`${cid}?a=b`, `text/html;q=0.5, ${raw};q=0.1`), [
    raw,
    `/ipfs/${cid}?a=b&format=raw`,
  ])
  assert.deepEqual(await location(`${cid}?format=raw`, car), [raw, null])
  const both = await location(cid, `${raw};q=0.2, ${car}; dups=y; q=0.9`)
  assert.deepEqual(both, [
    `${car}; version=1; order=dfs; dups=y`,
    `/ipfs/${cid}?format=car&car-dups=y`,
  ])
  const better = await location(cid, `${car}; order=bfs, ${car}; order=dfs; q=0.5`)
  assert.equal(better[0], `${car}; version=1; order=dfs; dups=n`)
})

test('without a format or with an unknown one it is a 400, with one of files a 406', async (t) => {
  const reader = await startPathReader(t)
  const cid = await reader.add([fileEntry('', 'stone')], { cidVersion: 1 })
  const bodyOf = async (path: string, headers = {}, status = 400) => {
    const response = await reader.get(path, headers)
    assert.equal(response.status, status, path)
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
    return await response.text()
  }
  const hint = 'ask for ?format=raw or ?format=car: this server gives only what readers can check\n'
  assert.equal(await bodyOf(cid), hint)
  assert.equal(
    await bodyOf(`${cid}?format=zip`),
    'format "zip" is not supported by this server: expected one of raw, car, tar, dag-json, dag-cbor, json, cbor, ipns-record\n',
  )
  for (const format of ['tar', 'dag-json', 'dag-cbor', 'json', 'cbor']) {
    assert.equal(await bodyOf(`${cid}?format=${format}`, {}, 406), hint)
  }
  assert.equal(await bodyOf(cid, { accept: 'application/x-tar' }, 406), hint)
  assert.match(await bodyOf('notacid?format=raw'), /^invalid cid: "notacid"/)
  assert.match(await bodyOf('?format=raw'), /^invalid cid: ""/)
  assert.match(await bodyOf(`${cid}/%ff?format=car`), /^malformed escape/)
  assert.match(await bodyOf(`${cid}/%00?format=car`), /^NUL/)
  // Without fetch, which normalizes such paths before sending.
  const outside = await sendRaw(
    reader.server.port,
    `GET /ipfs/${cid}/a/%2e%2e/..?format=car HTTP/1.1\r\nhost: x\r\n`,
    `authorization: ${reader.basic}\r\nconnection: close\r\n\r\n`,
  )
  assert.match(outside, /^HTTP\/1\.1 400 .*leads out of its root\n$/s)
})

test('a client that accepts HTML gets a refusal as a page, and a program as a line of text', async (t) => {
  const reader = await startPathReader(t)
  const page = await reader.get('notacid', { accept: 'text/html,*/*;q=0.8' })
  assert.deepEqual(
    [page.status, page.headers.get('content-type')],
    [400, 'text/html; charset=utf-8'],
  )
  assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/)
  assert.match(await page.text(), /<h1>This address cannot be served<\/h1>/)
  for (const [path, accept] of [
    ['notacid', '*/*'],
    ['notacid?format=raw', 'text/html'],
    ['notacid', 'application/vnd.ipld.raw, text/html'],
  ] as const) {
    const refused = await reader.get(path, { accept })
    assert.equal(refused.headers.get('content-type'), 'text/plain; charset=utf-8', path)
  }
})

test('what is not here is a 404, and with only-if-cached a 412', async (t) => {
  const reader = await startPathReader(t)
  for (const method of ['GET', 'HEAD']) {
    for (const format of ['raw', 'car']) {
      const path = `${absentCid}?format=${format}`
      assert.equal((await reader.get(path, {}, method)).status, 404)
      const cached = await reader.get(
        path,
        { 'cache-control': 'no-transform, Only-If-Cached' },
        method,
      )
      assert.equal(cached.status, 412)
    }
  }
  const never304 = await reader.get(`${absentCid}?format=raw`, { 'if-none-match': '*' })
  assert.equal(never304.status, 404)
})

test('a path that leads nowhere is a 404 that names the missing part', async (t) => {
  const reader = await startPathReader(t)
  const cid = await reader.add([fileEntry('d/a', 'stone')])
  const response = await reader.get(`${cid}/nope?format=car`)
  assert.equal(response.status, 404)
  assert.equal(await response.text(), `no link named "nope" under ${cid}\n`)
})

test('a tag that is known already gets a 304 without the content being read', async (t) => {
  let reads = 0
  const reader = await startPathReader(t)
  const cid = await reader.add([fileEntry('', 'stone')], { cidVersion: 1 })
  const { files } = reader.server
  const block = files.block
  files.block = async (...args) => {
    reads += 1
    return await block(...args)
  }
  const tag = `"${cid}.raw"`
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    for (const method of ['GET', 'HEAD']) {
      const response = await reader.get(`${cid}?format=raw`, { 'if-none-match': known }, method)
      assert.equal(response.status, 304, known)
      assert.equal(response.headers.get('etag'), tag)
      assert.equal(await response.text(), '')
    }
  }
  assert.equal(reads, 0)
  const other = await reader.get(`${cid}?format=raw`, { 'if-none-match': `"${cid}"` })
  assert.equal(other.status, 200)
  await other.text()
  assert.equal(reads, 1)
})

test('a range of a block is a 206, one past its end a 416, several are the whole', async (t) => {
  const reader = await startPathReader(t)
  const cid = await reader.add([fileEntry('', '0123456789')], bare)
  const request = async (range: string, more = {}) => {
    const response = await reader.get(`${cid}?format=raw`, { range, ...more })
    const { headers } = response
    return [response.status, await response.text(), headers.get('content-range')]
  }
  assert.deepEqual(await request('bytes=2-4'), [206, '234', 'bytes 2-4/10'])
  assert.deepEqual(await request('bytes=7-'), [206, '789', 'bytes 7-9/10'])
  assert.deepEqual(await request('bytes=-3'), [206, '789', 'bytes 7-9/10'])
  assert.deepEqual(await request('bytes=0-99'), [206, '0123456789', 'bytes 0-9/10'])
  const whole = [200, '0123456789', null]
  for (const range of ['bytes=0-1,3-4', 'bytes=4-2', 'lines=0-1', 'bytes=-', 'bytes=a-b']) {
    assert.deepEqual(await request(range), whole, range)
  }
  const past = [416, 'range is outside the content\n', 'bytes */10']
  assert.deepEqual(await request('bytes=10-'), past)
  assert.deepEqual(await request('bytes=-0'), past)
  assert.deepEqual(await request('bytes=2-4', { 'if-range': `"${cid}.raw"` }), [
    206,
    '234',
    'bytes 2-4/10',
  ])
  assert.deepEqual(await request('bytes=2-4', { 'if-range': '"other"' }), whole)
})

test('HEAD has the headers of GET and no body', async (t) => {
  const reader = await startPathReader(t)
  const cid = await reader.add([fileEntry('', '0123456789')], bare)
  const response = await reader.get(`${cid}?format=raw`, { range: 'bytes=0-1' }, 'HEAD')
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-length'), '10')
  assert.equal(await response.text(), '')
})

test('the probe CID is answered with an empty body, here and everywhere', async (t) => {
  const reader = await startPathReader(t, { pathRules: { pinnedOnly: () => true } })
  for (const method of ['GET', 'HEAD']) {
    const response = await reader.get('bafkqaaa?format=raw', {}, method)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-length'), '0')
    assert.equal(await response.text(), '')
  }
  const ranged = await reader.get('bafkqaaa?format=raw', { range: 'bytes=0-' })
  assert.equal(ranged.status, 200)
  assert.equal((await reader.get('bafkqaaa?format=car', {}, 'HEAD')).status, 200)
})

test('other methods are a 405, and a preflight needs no key', async (t) => {
  const reader = await startPathReader(t)
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const response = await reader.get('bafkqaaa?format=raw', {}, method)
    assert.equal(response.status, 405)
    assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS')
  }
  const preflight = await reader.get('bafkqaaa', { authorization: '' }, 'OPTIONS')
  assert.equal(preflight.status, 204)
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Authorization.*Range/)
})

test('a reader needs key and secret, and the checks of the IPFS API apply', async (t) => {
  const reader = await startPathReader(t)
  const status = async (authorization: string) => {
    const response = await reader.get('bafkqaaa?format=raw', { authorization })
    return [response.status, await response.text(), response.headers.get('www-authenticate')]
  }
  const basicOf = ({ key, secret }: { key: string; secret: string }) =>
    `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`
  const challenge = 'Basic realm="cairn", charset="UTF-8"'
  assert.deepEqual(await status(''), [401, 'project id required\n', challenge])
  assert.deepEqual(await status('Basic !!'), [401, 'project id required\n', challenge])
  assert.deepEqual(await status(basicOf({ key: reader.account.key, secret: 'no' })), [
    401,
    'invalid project id or project secret\n',
    challenge,
  ])
  const poor = reader.server.newAccount({ hasCard: false })
  assert.equal((await status(basicOf(poor)))[0], 402)
  const closed = reader.server.newAccount({ settings: { ...defaultKeySettings, files: false } })
  assert.equal((await status(basicOf(closed)))[0], 403)
  const settings = { ...defaultKeySettings, allowMethods: ['ipfs/car'] }
  const narrow = reader.server.newAccount({ settings, allowlists: compileAllowlists(settings) })
  const refused = await status(basicOf(narrow))
  assert.equal(refused[1], 'rejected due to project ID settings: method\n')
})

test('a page may not make a browser ask for a key on the origin of the commands', async (t) => {
  const reader = await startPathReader(t)
  for (const mode of ['navigate', 'no-cors']) {
    const text = await sendRaw(
      reader.server.port,
      `GET /ipfs/bafkqaaa?format=raw HTTP/1.1\r\nhost: x\r\nsec-fetch-mode: ${mode}\r\nconnection: close\r\n\r\n`,
    )
    assert.match(text, /^HTTP\/1\.1 403 /)
    assert.doesNotMatch(text, /www-authenticate/i)
    const sentByItself = await sendRaw(
      reader.server.port,
      `GET /ipfs/bafkqaaa?format=raw HTTP/1.1\r\nhost: x\r\nsec-fetch-mode: ${mode}\r\n`,
      `authorization: ${reader.basic}\r\nconnection: close\r\n\r\n`,
    )
    assert.match(sentByItself, /^HTTP\/1\.1 403 /)
  }
})

test('public reading needs no key, gives what is here, and a wrong key is still wrong', async (t) => {
  const reader = await startPathReader(t, {
    pathRules: { isPublic: () => true, fetches: () => true },
  })
  const cid = await reader.add([fileEntry('', 'stone')], bare)
  const response = await reader.get(`${cid}?format=raw`, { authorization: '' })
  assert.equal(await response.text(), 'stone')
  assert.equal(response.headers.get('vary'), 'Accept')
  // Requests without a key are not counted in any account's usage.
  assert.deepEqual(reader.server.settled, [])
  assert.equal((await reader.get(`${absentCid}?format=raw`, { authorization: '' })).status, 404)
  const wrong = `Basic ${Buffer.from('a:b').toString('base64')}`
  assert.equal((await reader.get(`${cid}?format=raw`, { authorization: wrong })).status, 401)
})

test('with pinned content only, a root must be pinned by the reader, or by anyone where all may read', async (t) => {
  const rules = { isPublic: false }
  const reader = await startPathReader(t, {
    pathRules: { pinnedOnly: () => true, isPublic: () => rules.isPublic },
  })
  const loose = await reader.add([fileEntry('', 'loose')], { cidVersion: 1, pin: false })
  const pinned = await reader.add([fileEntry('', 'pinned')])
  const status = async (path: string, headers = {}) => (await reader.get(path, headers)).status
  assert.equal(await status(`${loose}?format=raw`), 404)
  assert.equal(await status(`${pinned}?format=raw`), 200)
  assert.equal(await status(`${CID.parse(pinned).toV1().toString()}?format=raw`), 200)
  const other = reader.server.newAccount()
  const authorization = `Basic ${Buffer.from(`${other.key}:${other.secret}`).toString('base64')}`
  assert.equal(await status(`${pinned}?format=raw`, { authorization }), 404)
  rules.isPublic = true
  assert.equal(await status(`${pinned}?format=raw`, { authorization: '' }), 200)
  assert.equal(await status(`${loose}?format=raw`, { authorization: '' }), 404)
})

test('what lies below a pin is pinned, and what is only leased is not', async (t) => {
  const reader = await startPathReader(t, { pathRules: { pinnedOnly: () => true } })
  const leased = await reader.add([fileEntry('', 'leased')], { ...bare, pin: false })
  const both = await reader.add([fileEntry('', 'both')], { ...bare, pin: false })
  await reader.add([fileEntry('d/a', 'below'), fileEntry('d/b', 'both')], bare)
  const below = await reader.add([fileEntry('', 'below')], { ...bare, onlyHash: true })
  const status = async (path: string) => (await reader.get(`${path}?format=raw`)).status
  assert.equal(await status(below), 200)
  assert.equal(await status(both), 200)
  assert.equal(await status(leased), 404)
  const folder = await reader.add([fileEntry('d/a', 'once')], bare)
  const once = await reader.add([fileEntry('', 'once')], { ...bare, onlyHash: true })
  assert.equal(await status(once), 200)
  await reader.server.files.unpin(reader.account.key, CID.parse(folder), true)
  assert.equal(await status(folder), 404)
  assert.equal(await status(once), 404)
})

test('below a large root that was let go nothing is pinned, long before all of it is given back', async (t) => {
  const reader = await startPathReader(t, { pathRules: { pinnedOnly: () => true } })
  const names = Array.from({ length: 1200 }, (_, index) => `${index}`)
  const folder = await reader.add(
    names.map((name) => fileEntry(`d/${name}`, name)),
    bare,
  )
  const parts = await Promise.all(
    ['0', '700', '1199'].map((name) =>
      reader.add([fileEntry('', name)], { ...bare, onlyHash: true }),
    ),
  )
  const statuses = () =>
    Promise.all(parts.map(async (cid) => (await reader.get(`${cid}?format=raw`)).status))
  assert.deepEqual(await statuses(), [200, 200, 200])
  await reader.server.files.unpin(reader.account.key, CID.parse(folder), true)
  assert.deepEqual(await statuses(), [404, 404, 404])
})

test('a direct pin is one of the block alone', async (t) => {
  const reader = await startPathReader(t, { pathRules: { pinnedOnly: () => true } })
  const folder = await reader.add([fileEntry('d/a', 'below')], { ...bare, pin: false })
  const pin = { cid: CID.parse(folder), mode: 'direct', name: '' } as const
  await reader.server.files.pin(reader.account.key, pin, patience, () => {}, never)
  assert.equal((await reader.get(`${folder}?format=raw`)).status, 200)
  assert.equal((await reader.get(`${folder}/a?format=raw`)).status, 404)
  assert.equal((await reader.get(`${folder}?format=car`)).status, 404)
  const recursive = { ...pin, mode: 'recursive' } as const
  await reader.server.files.pin(reader.account.key, recursive, patience, () => {}, never)
  assert.equal((await reader.get(`${folder}?format=car`)).status, 200)
  assert.equal((await reader.get(`${folder}/a?format=raw`)).status, 200)
})

test('a key may be for pinned content only, where the server gives all', async (t) => {
  const reader = await startPathReader(t)
  const loose = await reader.add([fileEntry('', 'loose')], { ...bare, pin: false })
  const settings = { ...defaultKeySettings, gatewayPinnedOnly: true }
  const narrow = reader.server.newAccount({ settings })
  const authorization = `Basic ${Buffer.from(`${narrow.key}:${narrow.secret}`).toString('base64')}`
  assert.equal((await reader.get(`${loose}?format=raw`)).status, 200)
  assert.equal((await reader.get(`${loose}?format=raw`, { authorization })).status, 404)
})

test('an account may make its pins public, and no other content is revealed', async (t) => {
  const reader = await startPathReader(t, { pathRules: { hasPublicContent: () => true } })
  const pinned = await reader.add([fileEntry('d/a', 'pinned')], bare)
  const loose = await reader.add([fileEntry('', 'loose')], { ...bare, pin: false })
  const status = async (path: string, headers = {}) => {
    const response = await reader.get(`${path}?format=raw`, { authorization: '', ...headers })
    return response.status
  }
  const { key } = reader.account
  assert.equal(await status(pinned), 401)
  reader.server.setProvide(key, 'roots')
  assert.equal(await status(pinned), 200)
  assert.equal(await status(`${pinned}/a`), 200)
  // Clients without access get the same reply whether the block is stored or not.
  assert.equal(await status(loose), 401)
  assert.equal(await status(absentCid), 401)
  reader.server.setProvide(reader.server.newAccount().key, 'all')
  reader.server.setProvide(key, 'none')
  assert.equal(await status(pinned), 401)
  reader.server.setProvide(key, 'all')
  assert.equal(await status(pinned), 200)
  await reader.server.files.unpin(key, CID.parse(pinned), true)
  assert.equal(await status(pinned), 401)
})

test('content on the deny list is a 410, by any spelling and along a path', async (t) => {
  const texts: string[] = []
  let list = await parseDenyList('', () => null)
  const reader = await startPathReader(t, {
    pathRules: { denialOf: (cid, segments) => list.find(cid, segments)?.status ?? null },
  })
  const file = await reader.add([fileEntry('', 'stone')])
  const folder = await reader.add([fileEntry('d/a', 'stone'), fileEntry('d/b', 'other')])
  list = await parseDenyList(`# a list\n/ipfs/${CID.parse(file).toV1().toString()}\n`, () => null)
  const status = async (path: string, headers = {}) => {
    const response = await reader.get(path, headers)
    texts.push(await response.text().catch(() => 'cut'))
    return response.status
  }
  assert.equal(await status(`${file}?format=raw`), 410)
  assert.equal(await status(`${file}?format=car`), 410)
  assert.equal(await status(`${file}?format=raw`, { 'if-none-match': '*' }), 410)
  assert.equal(await status(`${folder}/a?format=car`), 410)
  assert.equal(await status(`${folder}/b?format=car`), 200)
  // All blocks are small, so the refusal comes before the first byte.
  assert.equal(await status(`${folder}?format=car`), 410)
})

/** An identity CID of a directory with one entry `x`: a root that is not stored and links to `target`. */
function wrapperOf(target: string): string {
  const field = (number: number, bytes: Uint8Array) =>
    Buffer.concat([Buffer.of((number << 3) | 2, bytes.length), bytes])
  const link = Buffer.concat([field(1, CID.parse(target).bytes), field(2, Buffer.from('x'))])
  const block = Buffer.concat([field(2, link), field(1, Buffer.of(8, 1))])
  return CID.createV1(dagPbCodec, identity.digest(block)).toString()
}

test('an identity root with links is no way around pins, and one without is its own content', async (t) => {
  const reader = await startPathReader(t, { pathRules: { pinnedOnly: () => true } })
  const loose = await reader.add([fileEntry('', 'loose')], { ...bare, pin: false })
  const status = async (path: string) => (await reader.get(`${path}?format=raw`)).status
  assert.equal(await status(loose), 404)
  assert.equal(await status(`${wrapperOf(loose)}/x`), 404)
  assert.equal(await status(wrapperOf(loose)), 404)
  assert.equal(
    await status(CID.createV1(0x55, identity.digest(Buffer.from('own'))).toString()),
    200,
  )
})

test('a denied block is denied below every root and in every format', async (t) => {
  let denied = ''
  const reader = await startPathReader(t, {
    pathRules: {
      denialOf: (cid) => (cid.toV1().toString() === denied ? 451 : null),
    },
    pathSettings: { deserialized: true },
  })
  const text = 'leaf '.repeat(100_000)
  const file = await reader.add([fileEntry('', text)], bare)
  const folder = await reader.add([fileEntry('d/x', text)], bare)
  const status = async (path: string) => {
    const response = await reader.get(path)
    const whole = await response.arrayBuffer().then(
      () => true,
      () => false,
    )
    return whole ? response.status : 'cut'
  }
  for await (const { cid } of reader.server.files.blocks(CID.parse(file), patience, never)) {
    denied = cid.toV1().toString()
    if (cid.code === 0x55) break
  }
  for (const path of [file, `${folder}/x`, `${folder}?format=tar`, `${wrapperOf(file)}/x`]) {
    assert.ok([451, 'cut'].includes(await status(path)), path)
  }
  denied = CID.parse(file).toV1().toString()
  for (const path of [file, `${folder}/x`, `${wrapperOf(file)}/x`]) {
    assert.equal(await status(path), 451, path)
  }
})

test('over the rate it is a 429 with a wait, and one answer too many too', async (t) => {
  const reader = await startPathReader(t, {
    pathRules: {
      admit() {
        throw new Fault('over_rate', { data: { rate: { backoff_seconds: 3 } } })
      },
    },
  })
  const response = await reader.get('bafkqaaa?format=raw')
  assert.equal(response.status, 429)
  assert.equal(response.headers.get('retry-after'), '03')
})

test('a program that requests raw blocks is counted as a reader of blocks, a page is not', async (t) => {
  const counted: unknown[] = []
  const reader = await startPathReader(t, {
    pathRules: {
      admit({ blocks }) {
        counted.push(blocks)
        return () => {}
      },
    },
  })
  const raw = { accept: 'application/vnd.ipld.raw' }
  for (const [query, headers] of [
    ['?format=raw', {}],
    ['', raw],
    ['?format=car', {}],
    ['?format=raw', { origin: 'https://page.example' }],
    ['', { ...raw, 'sec-fetch-site': 'same-origin' }],
  ] as const) {
    await (await reader.get(`bafkqaaa${query}`, headers)).arrayBuffer()
  }
  assert.deepEqual(counted, [true, true, false, false, false])
})

test('what was admitted is given back when the answer has ended, however it ended', async (t) => {
  let open = 0
  const reader = await startPathReader(t, {
    pathRules: {
      admit() {
        open += 1
        return () => {
          open -= 1
        }
      },
    },
  })
  const cid = await reader.add([fileEntry('', 'stone')], { cidVersion: 1 })
  for (const [path, headers] of [
    [`${cid}?format=raw`, {}],
    [`${cid}?format=raw`, { range: 'bytes=99-' }],
    [`${cid}?format=raw`, { 'if-none-match': '*' }],
    [`${absentCid}?format=car`, {}],
  ] as const) {
    await (await reader.get(path, headers)).arrayBuffer()
  }
  assert.equal(open, 0)
})

test('switched off there is no such page', async (t) => {
  const reader = await startPathReader(t, { pathSettings: { enabled: false } })
  const response = await reader.get('bafkqaaa?format=raw')
  assert.equal(response.status, 404)
  assert.equal(await response.text(), '404 page not found\n')
})

test('an odd file name is sent in ASCII and in full, and never breaks a header', async (t) => {
  const reader = await startPathReader(t)
  const name = async (filename: string) => {
    const query = new URLSearchParams({ format: 'raw', filename })
    const response = await reader.get(`bafkqaaa?${query.toString()}`, {}, 'HEAD')
    return response.headers.get('content-disposition')
  }
  assert.equal(await name('a b.bin'), 'attachment; filename="a b.bin"')
  assert.equal(
    await name('testтест.jpg'),
    `attachment; filename="test____.jpg"; filename*=UTF-8''test%D1%82%D0%B5%D1%81%D1%82.jpg`,
  )
  assert.equal(
    await name('a"\r\nx: y\\/'),
    `attachment; filename="a___x: y__"; filename*=UTF-8''a%22%0D%0Ax%3A%20y%5C%2F`,
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { cidOf, dagCborCodec, dagPbCodec, rawCodec } from '../codec/ipld/cid.ts'
import { encodeDagNode } from '../codec/ipld/dag-pb.ts'
import { multihashOf } from '../codec/ipld/multihash.ts'
import { encodeUnixfs } from '../codec/ipld/unixfs.ts'
import { fileEntry, never } from '../../test/fakes/files/files-fixture.ts'
import { type GatewayClient, startPathReader } from '../../test/fakes/gateway-client.ts'
import { sendRaw } from '../../test/fakes/raw-http.ts'

const shown = { pathSettings: { deserialized: true } }
const large = Buffer.from(Array.from({ length: 600_000 }, (_, index) => index % 251))

async function putBlock(
  { server, account }: GatewayClient,
  codec: number,
  bytes: Uint8Array,
): Promise<string> {
  const cid = cidOf(1, codec, multihashOf('sha2-256', bytes))
  const context = { accountId: account.key, proceed: () => true, signal: never }
  await server.files.putBlock({ cid, bytes }, false, { offline: true, timeoutMs: null }, context)
  return cid.toString()
}

/** A directory block with one entry of any name. */
async function folderOf(
  reader: GatewayClient,
  entries: readonly (readonly [string, string])[],
): Promise<string> {
  const links = entries.map(([name, cid]) => ({ cid: CID.parse(cid).bytes, name, size: 1n }))
  const data = encodeUnixfs({ type: 'directory' })
  return await putBlock(reader, dagPbCodec, encodeDagNode({ links, data }))
}

test('a file comes as its bytes, with its type, its tag and its length', async (t) => {
  const reader = await startPathReader(t, shown)
  const folder = await reader.add([fileEntry('d/pic.png', large), fileEntry('d/e', '')])
  const file = await reader.add([fileEntry('', large)])
  const response = await reader.get(`${folder}/pic.png`)
  assert.equal(response.status, 200)
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), large)
  const { headers } = response
  assert.equal(headers.get('etag'), `"${file}"`)
  assert.equal(headers.get('content-type'), 'image/png')
  assert.equal(headers.get('content-length'), '600000')
  assert.equal(headers.get('accept-ranges'), 'bytes')
  assert.equal(headers.get('cache-control'), 'public, max-age=29030400, immutable')
  assert.equal(headers.get('x-ipfs-path'), `/ipfs/${folder}/pic.png`)
  assert.equal(headers.get('x-ipfs-roots'), `${folder},${file}`)
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.match(headers.get('content-security-policy') ?? '', /sandbox/)
  const head = await reader.get(`${folder}/pic.png`, {}, 'HEAD')
  assert.deepEqual([head.headers.get('content-length'), await head.text()], ['600000', ''])
  const empty = await reader.get(`${folder}/e`, { range: 'bytes=0-' })
  assert.deepEqual([empty.status, await empty.text()], [200, ''])
  const known = await reader.get(`${folder}/pic.png`, { 'if-none-match': `"${file}"` })
  assert.equal(known.status, 304)
})

test('ranges of a file are its bytes, wherever its blocks are cut', async (t) => {
  const reader = await startPathReader(t, shown)
  const file = await reader.add([fileEntry('', large)])
  for (const [range, from, to] of [
    ['bytes=0-0', 0, 1],
    ['bytes=262143-262144', 262_143, 262_145],
    ['bytes=524288-', 524_288, 600_000],
    ['bytes=-1', 599_999, 600_000],
    ['bytes=1-599998', 1, 599_999],
  ] as const) {
    const response = await reader.get(file, { range })
    assert.equal(response.status, 206)
    assert.equal(response.headers.get('content-range'), `bytes ${from}-${to - 1}/600000`)
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), large.subarray(from, to), range)
  }
  const past = await reader.get(file, { range: 'bytes=600000-' })
  assert.deepEqual([past.status, past.headers.get('content-range')], [416, 'bytes */600000'])
})

test('a directory without its slash is moved there, with its query', async (t) => {
  const reader = await startPathReader(t, shown)
  const folder = await reader.add([fileEntry('d/sub/a', 'stone')])
  for (const [path, location] of [
    [folder, `/ipfs/${folder}/`],
    [`${folder}/sub?x=%20y`, `/ipfs/${folder}/sub/?x=%20y`],
  ] as const) {
    const response = await reader.get(path)
    assert.deepEqual([response.status, response.headers.get('location')], [301, location])
  }
})

test('a directory does not show an index that is denied by its path', async (t) => {
  const reader = await startPathReader(t, {
    ...shown,
    pathRules: {
      denialOf: (_cid, segments = []) => (segments.join('/') === 'sub/index.html' ? 410 : null),
    },
  })
  const folder = await reader.add([fileEntry('d/sub/index.html', 'page'), fileEntry('d/a', 'a')])
  assert.equal((await reader.get(`${folder}/sub/`)).status, 410)
  assert.equal((await reader.get(`${folder}/`)).status, 200)
})

test('another spelling of a path is moved to the one it has, and never to another server', async (t) => {
  const reader = await startPathReader(t, shown)
  const file = await reader.add([fileEntry('', 'stone')])
  const location = async (path: string) => {
    const text = await sendRaw(
      reader.server.port,
      `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${reader.basic}\r\nconnection: close\r\n\r\n`,
    )
    return /^location: (.*)\r$/im.exec(text)?.[1] ?? null
  }
  assert.equal(await location(`//ipfs/${file}?format=raw`), `/ipfs/${file}?format=raw`)
  assert.equal(await location(`/ipfs///${file}/a//b`), `/ipfs/${file}/a//b`)
  assert.equal(await location(`/ipfs/ipfs/${file}`), `/ipfs/${file}`)
  assert.equal(await location(`//evil.test/ipfs/${file}`), null)
  assert.equal(await location('//ipfs//evil.test'), null)
})

test('the page of a directory lists its entries by name, and nothing in a name becomes markup', async (t) => {
  const reader = await startPathReader(t, shown)
  const stone = await reader.add([fileEntry('', 'stone')], { cidVersion: 1 })
  const names = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    'javascript:alert(1)',
    'a b&c?d#e%',
    '\u202egpj.exe\0\u001b[2J',
    'é',
  ]
  const folder = await folderOf(
    reader,
    names.map((name) => [name, stone]),
  )
  const response = await reader.get(`${folder}/`)
  const { headers } = response
  const page = await response.text()
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
  assert.equal(headers.get('etag'), `"DirIndex-3_CID-${folder}"`)
  assert.match(headers.get('cache-control') ?? '', /max-age=604800/)
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/)
  assert.doesNotMatch(page, /<script|<img|onerror=alert\(1\)>/)
  assert.doesNotMatch(page, /(?![\n])\p{Cc}/u)
  for (const name of names) {
    const wanted = `href="/ipfs/${folder}/${encodeURIComponent(name).replaceAll("'", '&#39;')}"`
    assert.ok(page.includes(wanted), name)
  }
  const places = ['&#34;&#62;', '&#60;script', 'a b&#38;c', 'javascript:'].map((text) =>
    page.indexOf(`">${text}`),
  )
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  )
  assert.ok(!page.includes('>..</a>'))
  assert.ok(page.includes('>6 entries<'))
  const lone = await reader.get(`${await folderOf(reader, [['a', stone]])}/`)
  assert.ok((await lone.text()).includes('>1 entry<'))
  const head = await reader.get(`${folder}/`, {}, 'HEAD')
  assert.deepEqual([head.status, await head.text()], [200, ''])
})

test('a page below the root leads back up, and a large directory is shown in part', async (t) => {
  const reader = await startPathReader(t, shown)
  const stone = await reader.add([fileEntry('', 'stone')], { cidVersion: 1 })
  const many = await folderOf(
    reader,
    Array.from({ length: 6000 }, (_, index) => [`n${index}`, stone] as const),
  )
  const folder = await folderOf(reader, [['many', many]])
  const page = await (await reader.get(`${folder}/many/`)).text()
  assert.ok(page.includes(`<a href="/ipfs/${folder}/many/..">..</a>`))
  assert.ok(
    page.includes(
      `/ipfs/<a href="/ipfs/${folder}">${folder}</a>/<a href="/ipfs/${folder}/many">many</a>`,
    ),
  )
  assert.ok(page.includes('the first 5000 entries'))
  assert.equal(page.split('<tr>').length - 1, 5002)
})

test('an index.html is given in place of the page, and a sharded directory has both too', async (t) => {
  const reader = await startPathReader(t, {
    pathSettings: { deserialized: true, host: 'pages.test' },
  })
  const site = await reader.add([fileEntry('d/index.html', '<p>hello'), fileEntry('d/a', 'stone')])
  const names = Array.from({ length: 7000 }, (_, index) => `a-rather-long-name-of-a-file-${index}`)
  const sharded = await reader.add(names.map((name) => fileEntry(`d/${name}`, 'x')))
  const response = await reader.get(`${site}/`)
  assert.equal(await response.text(), '<p>hello')
  // The directory's own tag: another directory may have the same page.
  assert.equal(response.headers.get('etag'), `"${site}"`)
  const known = await reader.get(`${site}/`, { 'if-none-match': `"${site}"` })
  assert.equal(known.status, 304)
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
  const page = await (await reader.get(`${sharded}/`)).text()
  assert.ok(page.includes('the first 5000 entries'))
  assert.equal(await (await reader.get(`${sharded}/${names[6999]}`)).text(), 'x')
})

test('what could act as a page is saved and not shown, on the origin of the commands', async (t) => {
  const reader = await startPathReader(t, {
    pathSettings: { deserialized: true, host: 'pages.test' },
  })
  const texts = [
    ['a.html', '<p>'],
    ['b', '<!DOCTYPE html><script>1</script>'],
    ['c.svg', '<svg/>'],
    ['d', '\n<svg xmlns="x">'],
    ['e.xml', '<x/>'],
    ['f.pdf', '%PDF-1'],
    ['g.xhtml', '<x/>'],
  ] as const
  const folder = await reader.add(texts.map(([name, text]) => fileEntry(`d/${name}`, text)))
  for (const [name] of texts) {
    const { headers } = await reader.get(`${folder}/${name}`, {}, 'HEAD')
    assert.match(headers.get('content-disposition') ?? '', /^attachment/, name)
    assert.match(headers.get('content-security-policy') ?? '', /sandbox$/, name)
    const own = await sendRaw(
      reader.server.port,
      `HEAD /ipfs/${folder}/${name} HTTP/1.1\r\nhost: Pages.test:80\r\nsec-fetch-mode: navigate\r\n`,
      `authorization: ${reader.basic}\r\nconnection: close\r\n\r\n`,
    )
    assert.match(own, /^HTTP\/1\.1 200 /)
    assert.doesNotMatch(own, /^content-disposition:/im)
    // No allow-same-origin: each reply has an opaque origin. A browser's viewer runs no script of the origin, and shows nothing in
    // a sandbox.
    const isolated = /content-security-policy: sandbox allow-scripts(?!.*same-origin)/i
    const viewed = /content-security-policy: default-src 'none';(?!.*(?:script-src|sandbox))/i
    assert.match(own, name === 'f.pdf' ? viewed : isolated, name)
  }
})

test('a script or style sheet is plain text on the origin of the commands, whatever it is called', async (t) => {
  const reader = await startPathReader(t, {
    pathSettings: { deserialized: true, host: 'pages.test' },
    pathRules: { isPublic: () => true },
  })
  const file = await reader.add([fileEntry('', 'alert(1)')])
  const folder = await reader.add([fileEntry('d/a.js', 'alert(1)'), fileEntry('d/a.css', 'a{}')])
  const typeOf = async (path: string, host: string) => {
    const text = await sendRaw(
      reader.server.port,
      `HEAD /ipfs/${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
    )
    assert.match(text, /^x-content-type-options: nosniff\r$/im)
    return /^content-type: (.*)\r$/im.exec(text)?.[1]
  }
  const paths = [`${file}?filename=a.js`, `${file}?filename=a.mjs`, `${folder}/a.js`]
  for (const path of paths) {
    assert.equal(await typeOf(path, 'cairn.test'), 'text/plain; charset=utf-8', path)
    assert.equal(await typeOf(path, 'pages.test'), 'text/javascript; charset=utf-8', path)
  }
  assert.equal(await typeOf(`${folder}/a.css`, 'cairn.test'), 'text/plain; charset=utf-8')
  assert.equal(await typeOf(`${file}?filename=a.wasm`, 'cairn.test'), 'application/octet-stream')
})

test('JSON without an extension has its type', async (t) => {
  const reader = await startPathReader(t, shown)
  const text = JSON.stringify({ name: 'Stone #1', description: 'x'.repeat(2000) })
  const folder = await reader.add([fileEntry('d/1', text), fileEntry('d/2', '{"name":')])
  const typeOf = async (path: string) => (await reader.get(path)).headers.get('content-type')
  assert.equal(await typeOf(`${folder}/1`), 'application/json')
  assert.equal(await typeOf(`${folder}/2`), 'text/plain; charset=utf-8')
})

test('a host for content alone shows files where the other origin does not', async (t) => {
  const reader = await startPathReader(t, {
    pathSettings: { host: 'pages.test' },
    pathRules: { isPublic: () => true },
  })
  const file = await reader.add([fileEntry('', 'stone')])
  const status = async (host: string) => {
    const text = await sendRaw(
      reader.server.port,
      `GET /ipfs/${file} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
    )
    return Number(text.slice(9, 12))
  }
  assert.equal(await status('pages.test'), 200)
  assert.equal(await status('other.test'), 400)
})

test('filename and download name the file and have it saved', async (t) => {
  const reader = await startPathReader(t, shown)
  const file = await reader.add([fileEntry('', 'stone')])
  const request = async (query: string) => {
    const { headers } = await reader.get(`${file}${query}`, {}, 'HEAD')
    return [headers.get('content-disposition'), headers.get('content-type')]
  }
  const text = 'text/plain; charset=utf-8'
  assert.deepEqual(await request(''), [null, text])
  assert.deepEqual(await request('?filename=a.png'), ['inline; filename="a.png"', 'image/png'])
  assert.deepEqual(await request('?download=true'), ['attachment', text])
  assert.deepEqual(await request('?filename=a.html'), [
    'attachment; filename="a.html"',
    'text/html; charset=utf-8',
  ])
})

test('links, other codecs and paths into them each have their answer', async (t) => {
  const reader = await startPathReader(t, shown)
  const data = encodeUnixfs({ type: 'symlink', data: Buffer.from('/etc/passwd') })
  const link = await putBlock(reader, dagPbCodec, encodeDagNode({ links: [], data }))
  const folder = await folderOf(reader, [['link', link]])
  const cbor = await putBlock(reader, dagCborCodec, Buffer.from('a16161820102', 'hex'))
  const git = await putBlock(reader, 0x78, Buffer.from('blob'))
  const file = await reader.add([fileEntry('', 'stone')])
  const status = async (path: string) => (await reader.get(path)).status
  assert.equal(await status(`${folder}/link/x`), 404)
  assert.equal(await status(`${folder}/nope`), 404)
  assert.equal(await status(`${file}/x`), 404)
  assert.equal(await status(`${cbor}/a`), 501)
  assert.equal(await status(`${cbor}/z`), 404)
  assert.equal(await status(git), 400)
  const shownLink = await reader.get(`${folder}/link`)
  assert.equal(shownLink.headers.get('content-type'), 'inode/symlink')
  assert.equal(await shownLink.text(), '/etc/passwd')
  const shownCbor = await reader.get(cbor)
  assert.equal(shownCbor.headers.get('content-type'), 'application/vnd.ipld.dag-cbor')
  assert.equal((await shownCbor.arrayBuffer()).byteLength, 6)
  // Not every block is UnixFS.
  const junk = await putBlock(reader, dagPbCodec, encodeDagNode({ links: [], data: null }))
  assert.equal(await status(junk), 500)
  assert.equal(await status(`${await putBlock(reader, rawCodec, Buffer.from('x'))}/x`), 404)
})

test('a service worker is refused', async (t) => {
  const reader = await startPathReader(t, shown)
  const file = await reader.add([fileEntry('', 'stone')])
  assert.equal((await reader.get(file, { 'service-worker': 'script' })).status, 400)
})

test('a file that goes missing on the way cuts the connection', async (t) => {
  const reader = await startPathReader(t, shown)
  const leaf = await putBlock(reader, rawCodec, Buffer.alloc(100_000, 1))
  const lost = cidOf(1, rawCodec, multihashOf('sha2-256', Buffer.from('lost'))).toString()
  const data = encodeUnixfs({ type: 'file', fileSize: 100_004n, blockSizes: [100_000n, 4n] })
  const links = [leaf, lost].map((cid) => ({ cid: CID.parse(cid).bytes, name: '', size: 1n }))
  const root = await putBlock(reader, dagPbCodec, encodeDagNode({ links, data }))
  const response = await reader.get(root)
  assert.equal(response.status, 200)
  await assert.rejects(response.arrayBuffer())
  assert.equal(reader.server.settled.at(-1)?.outcome, 'not_found')
})

test('hostile paths are answered, each in its own way, and the server lives', async (t) => {
  const reader = await startPathReader(t, shown)
  const folder = await reader.add([fileEntry('d/a', 'stone')])
  const request = async (path: string) => {
    const text = await sendRaw(
      reader.server.port,
      `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${reader.basic}\r\nconnection: close\r\n\r\n`,
    )
    return Number(text.slice(9, 12))
  }
  assert.equal(await request(`/ipfs/${folder}/%2e%2e/%2e%2e/etc/passwd`), 400)
  assert.equal(await request(`/ipfs/${folder}/..%2f..%2fetc`), 404)
  assert.equal(await request(`/ipfs/${folder}/./x/../a`), 200)
  assert.equal(await request(`/ipfs/${folder}//a`), 200)
  assert.equal(await request(`/ipfs/${folder}/${'a/'.repeat(5000)}`), 400)
  assert.equal(await request(`/ipfs/${folder}/${'%F0%9F%92%A9'.repeat(200)}`), 404)
  assert.equal(await request(`/ipfs/${folder}/%ED%A0%80`), 400)
  assert.equal(await request('/ipfs/'), 400)
  assert.equal(await request('/ipfs//'), 400)
  assert.equal(await request(`/ipfs/${'z'.repeat(15_000)}`), 400)
  assert.equal(await request(`/ipfs/z${'1'.repeat(229)}`), 400)
  assert.equal(await request(`/ipfs/${folder}/a?${'&format='.repeat(1500)}`), 200)
  assert.equal(await request(`//ipfs/${folder}/a`), 301)
  assert.equal(await request('//ipfs/nope'), 400)
  assert.equal(await request('/ipfs/ipfs/nope'), 400)
  assert.equal(await request(`${'/'.repeat(10_000)}ipfs/${folder}`), 301)
  assert.equal(await request('/'.repeat(15_000)), 404)
  assert.equal(await request('/ipns/example.org'), 404)
})

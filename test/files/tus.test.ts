// Resumable uploads to a running server, with the standard tus client and with plain HTTP requests.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Upload } from 'tus-js-client'
import { filesClient } from '../fakes/files/files-client.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'

let server: Started

before(async () => {
  server = await startCairn()
})

after(async () => {
  await server.stop()
})

type Way = {
  readonly metadata?: Record<string, string>
  readonly uploadUrl?: string
  readonly chunkSize?: number
  /** Receives the progress; returns true to abort the upload. */
  readonly until?: (sent: number) => boolean
  readonly on?: Started
}

/** Resolves with the CID; null if `until` aborted it. */
function upload(bytes: Buffer, way: Way = {}): Promise<{ cid: string | null; url: string }> {
  const on = way.on ?? server
  return new Promise((resolve, reject) => {
    const made = new Upload(bytes, {
      endpoint: `${on.url}/tus/files`,
      headers: filesClient(on).headers,
      retryDelays: null,
      metadata: way.metadata ?? {},
      ...(way.uploadUrl === undefined ? {} : { uploadUrl: way.uploadUrl }),
      ...(way.chunkSize === undefined ? {} : { chunkSize: way.chunkSize }),
      onProgress(sent) {
        if (way.until?.(sent) !== true) return
        void made.abort().then(() => resolve({ cid: null, url: made.url ?? '' }))
      },
      onSuccess({ lastResponse }) {
        const cid = lastResponse.getHeader('X-Cairn-Cid') ?? null
        resolve({ cid, url: made.url ?? '' })
      },
      onError: reject,
    })
    made.start()
  })
}

function call(method: string, path: string, headers: Record<string, string> = {}, body?: Buffer) {
  return fetch(`${server.url}${path}`, {
    method,
    headers: { ...filesClient(server).headers, 'tus-resumable': '1.0.0', ...headers },
    ...(body === undefined ? {} : { body: new Uint8Array(body) }),
  })
}

const bytes = Buffer.alloc(3_000_000, 'goes on ')

test('a complete upload has the same CID as add with the same options', async () => {
  const { add, post } = filesClient(server)
  for (const metadata of [{}, { 'cid-version': '1', chunker: 'size-100000', pin: 'false' }]) {
    const { cid } = await upload(bytes, { metadata: { filename: 'a.bin', ...metadata } })
    assert.equal(cid, await add(bytes, new URLSearchParams({ ...metadata }).toString()))
  }
  const { cid } = await upload(bytes, {
    metadata: { filename: 'a.bin', 'wrap-with-directory': 'true' },
  })
  const inner = await post(`cat?arg=${cid}/a.bin`)
  assert.deepEqual(Buffer.from(await inner.arrayBuffer()), bytes)
  assert.match(await (await post(`pin/ls?arg=${cid}`)).text(), /recursive/)
})

test('a chunked upload that is aborted and resumed has the same CID, and its bytes are stored once', async () => {
  const first = await upload(bytes, { chunkSize: 500_000, until: (sent) => sent > 1_200_000 })
  assert.equal(first.cid, null)
  const head = await call('HEAD', new URL(first.url).pathname)
  assert.ok(Number(head.headers.get('upload-offset')) >= 1_000_000)
  assert.equal(head.headers.get('upload-length'), '3000000')
  const { cid } = await upload(bytes, { uploadUrl: first.url })
  assert.equal(cid, await filesClient(server).add(bytes))
  const kept = readdirSync(join(server.dataDir, 'uploads')).filter((name) =>
    name.endsWith('.bytes'),
  )
  assert.deepEqual(kept, [])
  // A client that lost the reply repeats the request.
  const again = await call('HEAD', new URL(first.url).pathname)
  assert.equal(again.headers.get('x-cairn-cid'), cid)
})

test('a folder is uploaded as a body of multipart/form-data, and has the same CID as add', async () => {
  const part = (name: string, content: string) =>
    `--stone\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n` +
    `Content-Type: application/octet-stream\r\n\r\n${content}\r\n`
  const body = Buffer.from(
    `${part('site%2Fa.txt', 'a')}${part('site%2Fdeep%2Fb', 'b')}--stone--\r\n`,
  )
  const sent = await upload(body, {
    metadata: { multipart: 'stone', 'cid-version': '1' },
    chunkSize: 100,
  })
  const form = new FormData()
  form.append('file', new Blob(['a']), 'site%2Fa.txt')
  form.append('file', new Blob(['b']), 'site%2Fdeep%2Fb')
  const added = await (await filesClient(server).post('add?cid-version=1', form)).text()
  const { Hash } = JSON.parse(added.trim().split('\n').at(-1) ?? '') as { Hash: string }
  assert.equal(sent.cid, Hash)

  const cut = await call('POST', '/tus/files', {
    'upload-length': '20',
    'upload-metadata': `multipart ${Buffer.from('stone').toString('base64')}`,
  })
  const type = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
  const path = cut.headers.get('location') ?? ''
  const refused = await call('PATCH', path, type, body.subarray(0, 20))
  assert.equal(refused.status, 400, await refused.text())
  await call('DELETE', path)
  const noBoundary = await call('POST', '/tus/files', {
    'upload-length': '20',
    'upload-metadata': `multipart ${Buffer.from('a b').toString('base64')}`,
  })
  assert.match(await noBoundary.text(), /multipart of Upload-Metadata is no boundary/)
})

test('an empty file is complete when it is created', async () => {
  const { cid } = await upload(Buffer.alloc(0))
  assert.equal(cid, 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH')
})

test('by hand, an upload is created with its bytes, described as JSON, and absent after its deletion', async () => {
  const body = Buffer.from('Infura IPFS - Getting started demo.\n')
  const type = { 'content-type': 'application/offset+octet-stream' }
  const whole = await call('POST', '/tus/files', { 'upload-length': '36', ...type }, body)
  assert.equal(whole.status, 201)
  const hash = 'QmeGAVddnBSnKc1DLE7DLV9uuTqo5F7QbaveTjr45JUdQn'
  assert.equal(whole.headers.get('x-cairn-cid'), hash)
  assert.equal(await whole.text(), `{"Name":"${hash}","Hash":"${hash}","Size":"44"}\n`)

  const made = await call('POST', '/tus/files', { 'upload-length': '36' })
  const path = made.headers.get('location') ?? ''
  assert.match(path, /^\/tus\/files\/[0-9a-f]{32}$/)
  assert.ok(Date.parse(made.headers.get('upload-expires') ?? '') > Date.now())
  const offset = { 'upload-offset': '0', ...type }
  assert.equal((await call('PATCH', path, { ...offset, 'upload-offset': '7' }, body)).status, 409)
  const part = await call('PATCH', path, offset, body.subarray(0, 10))
  assert.equal(part.status, 204)
  assert.equal(part.headers.get('upload-offset'), '10')
  assert.equal((await call('DELETE', path)).status, 204)
  assert.equal((await call('HEAD', path)).status, 404)
})

test('a client that disconnects before the reply can get the CID later', async () => {
  const large = Buffer.alloc(20_000_000, 'no answer ')
  const made = await call('POST', '/tus/files', { 'upload-length': String(large.length) })
  const path = made.headers.get('location') ?? ''
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  const head = [
    `PATCH ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: ${filesClient(server).headers.authorization}`,
    'Tus-Resumable: 1.0.0',
    'Upload-Offset: 0',
    'Content-Type: application/offset+octet-stream',
    `Content-Length: ${large.length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  await new Promise((resolve) => socket.write(large, resolve))
  socket.destroy()
  const { cid } = await upload(large, { uploadUrl: `${server.url}${path}` })
  assert.equal(cid, await filesClient(server).add(large))
})

test('access, options and lengths are checked before a byte is stored', async () => {
  const length = { 'upload-length': '10' }
  const none = await fetch(`${server.url}/tus/files`, { method: 'POST', headers: length })
  assert.equal(none.status, 401)
  assert.match(await none.text(), /project id required/)
  const metadata = `chunker ${Buffer.from('nope').toString('base64')}`
  const wrong = await call('POST', '/tus/files', { ...length, 'upload-metadata': metadata })
  assert.equal(wrong.status, 500)
  assert.match(await wrong.text(), /unrecognized chunker option: nope/)
  assert.equal((await call('POST', '/tus/files')).status, 400)
  assert.equal((await call('GET', '/tus/files')).status, 405)
  assert.equal((await call('HEAD', '/tus/files/../../etc')).status, 404)
  assert.equal((await call('HEAD', `/tus/files/${'0'.repeat(32)}`)).status, 404)
  const options = await fetch(`${server.url}/tus/files`, { method: 'OPTIONS' })
  assert.match(options.headers.get('tus-extension') ?? '', /creation,/)
})

test('quotas of the key apply, and uploads of another account are absent', async () => {
  await server.cli('accounts', 'create', 'other')
  await server.cli('card', 'set', 'other')
  const args = ['keys', 'create', '--account', 'other', '--files-body-bytes', '1000']
  const key = (await server.cli(...args)) as { apiKey: string; apiKeySecret: string }
  const other = { ...server, ...key }
  const made = await call('POST', '/tus/files', { 'upload-length': '36' })
  const path = made.headers.get('location') ?? ''
  const foreign = { ...filesClient(other).headers, 'tus-resumable': '1.0.0' }
  const look = await fetch(`${server.url}${path}`, { method: 'HEAD', headers: foreign })
  assert.equal(look.status, 404)
  const large = await fetch(`${server.url}/tus/files`, {
    method: 'POST',
    headers: { ...foreign, 'upload-length': '1001' },
  })
  assert.equal(large.status, 413)
  assert.equal((await call('DELETE', path)).status, 204)
})

test('a key has at most 64 unfinished uploads', async () => {
  const paths: string[] = []
  for (let count = 0; count < 64; count++) {
    const made = await call('POST', '/tus/files', { 'upload-length': '5' })
    assert.equal(made.status, 201, String(count))
    paths.push(made.headers.get('location') ?? '')
  }
  const more = await call('POST', '/tus/files', { 'upload-length': '5' })
  assert.equal(more.status, 429)
  for (const path of paths) await call('DELETE', path)
})

test(
  'an upload continues after kill -9 from the bytes on disk',
  { timeout: 300_000 },
  async (t) => {
    const dataDir = await temporaryFolder()
    t.after(() => rm(dataDir, { recursive: true, force: true }))
    const large = Buffer.alloc(60_000_000)
    for (let at = 0; at < large.length; at += 8) large.writeUInt32LE(at, at)
    const doomed = await startCairn({ dataDir })
    const keys = { apiKey: doomed.apiKey, apiKeySecret: doomed.apiKeySecret }
    await assert.rejects(
      upload(large, {
        on: doomed,
        chunkSize: 15_000_000,
        until(sent) {
          if (sent > 40_000_000) doomed.child.kill('SIGKILL')
          return false
        },
      }),
    )
    await doomed.kill()
    const next = { ...(await startCairn({ dataDir })), ...keys }
    t.after(() => next.stop())
    const [name = ''] = readdirSync(join(dataDir, 'uploads')).filter((one) => one.endsWith('.json'))
    const url = `${next.url}/tus/files/${name.replace('.json', '')}`
    const headers = { ...filesClient(next).headers, 'tus-resumable': '1.0.0' }
    const had = Number((await fetch(url, { method: 'HEAD', headers })).headers.get('upload-offset'))
    assert.ok(had >= 30_000_000 && had < 60_000_000, `${had} bytes`)
    const { cid } = await upload(large, { on: next, uploadUrl: url })
    assert.equal(cid, await filesClient(next).add(large))
  },
)

test('an upload that is complete but not imported before kill -9 is added at the next request', async (t) => {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const doomed = await startCairn({ dataDir })
  const headers = { ...filesClient(doomed).headers, 'tus-resumable': '1.0.0' }
  const made = await fetch(`${doomed.url}/tus/files`, {
    method: 'POST',
    headers: { ...headers, 'upload-length': '36' },
  })
  await doomed.kill()
  // The state after the last sync of a PATCH.
  const path = made.headers.get('location') ?? ''
  const place = join(dataDir, 'uploads', path.replace(/^.*\//, ''))
  const record = JSON.parse(readFileSync(`${place}.json`, 'utf8')) as object
  writeFileSync(`${place}.json`, JSON.stringify({ ...record, received: 36 }))
  writeFileSync(`${place}.bytes`, 'Infura IPFS - Getting started demo.\n')
  const next = await startCairn({ dataDir })
  t.after(() => next.stop())
  const asked = await Promise.all(
    [1, 2, 3].map(() => fetch(`${next.url}${path}`, { method: 'HEAD', headers })),
  )
  for (const { status, headers: replyHeaders } of asked) {
    assert.equal(status, 200)
    assert.equal(replyHeaders.get('x-cairn-cid'), 'QmeGAVddnBSnKc1DLE7DLV9uuTqo5F7QbaveTjr45JUdQn')
  }
})

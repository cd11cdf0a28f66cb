// Replies that a real service sends rarely: temporary refusals, truncated bodies, pages, endless replies.
// test/backup/backup-s3.test.ts runs the client against a real service.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../base/clock.ts'
import { ObjectNotFound } from './object-store.ts'
import { type S3Client, createS3Client } from './s3-client.ts'
import { type S3Policy, objectsPolicy } from './s3-policy.ts'

const never = new AbortController().signal
const secretAccessKey = 'the secret of the bucket'

type Seen = { readonly method: string; readonly url: string; readonly body: Buffer }
type Answer = (request: IncomingMessage, response: ServerResponse, number: number) => void

/** A service whose n-th request, counted from 0, is answered by `answer`. */
async function serve(
  t: TestContext,
  answer: Answer,
  policy?: S3Policy,
): Promise<{ readonly client: S3Client; readonly seen: readonly Seen[] }> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const { method = '', url = '' } = request
      seen.push({ method, url, body: Buffer.concat(pieces) })
      answer(request, response, seen.length - 1)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const endpoint = `http://127.0.0.1:${port}`
  const settings = { endpoint, region: 'us-east-1', accessKeyId: 'id', secretAccessKey }
  const client = createS3Client(settings, 'bucket', systemClock, policy)
  t.after(async () => {
    await client.close()
    server.closeAllConnections()
    server.close()
  })
  return { client, seen }
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`)
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

test('a temporary refusal is tried again with the same signed body, three times at most', async (t) => {
  const { client, seen } = await serve(t, (request, response, number) => {
    const digest = createHash('sha256').update('body').digest('hex')
    assert.equal(request.headers['x-amz-content-sha256'], digest)
    assert.match(request.headers.authorization ?? '', /^AWS4-HMAC-SHA256 Credential=id\//)
    if (number === 0 || request.url === '/bucket/busy') refuse(response, 503, 'SlowDown')
    else response.end()
  })
  await client.put('key', Buffer.from('body'), never)
  assert.deepEqual(
    seen.map(({ method, url, body }) => [method, url, body.toString()]),
    [
      ['PUT', '/bucket/key', 'body'],
      ['PUT', '/bucket/key', 'body'],
    ],
  )
  await assert.rejects(client.put('busy', Buffer.from('body'), never), {
    message: /^127\.0\.0\.1:\d+ refused PUT bucket\/busy \(SlowDown, status 503\)$/,
  })
  assert.equal(seen.length, 2 + 3)
})

test('a refusal that stays is not tried again, and its sentence has no secret', async (t) => {
  const { client, seen } = await serve(t, (_request, response) => {
    refuse(response, 403, 'SignatureDoesNotMatch')
  })
  await assert.rejects(client.list('', never), (error: Error) => {
    assert.match(error.message, /check backup\.s3\.secretAccessKey$/)
    assert.ok(!error.message.includes(secretAccessKey))
    return true
  })
  assert.equal(seen.length, 1)
})

test('a body that breaks off is continued where it stopped', async (t) => {
  const content = createHash('sha512').update('content').digest()
  const ranges: (string | undefined)[] = []
  const { client } = await serve(t, (request, response) => {
    const { range } = request.headers
    ranges.push(range)
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
    const rest = content.subarray(from)
    response.writeHead(range === undefined ? 200 : 206, { 'content-length': rest.length })
    if (rest.length <= 24) response.end(rest)
    else response.write(rest.subarray(0, 20), () => response.destroy())
  })
  assert.deepEqual(await bytesOf(client.read('key', never)), content)
  assert.deepEqual(ranges, [undefined, 'bytes=20-', 'bytes=40-'])
})

test('a service that does not continue at a byte, or sends nothing more, ends the read', async (t) => {
  const { client, seen } = await serve(t, (request, response, number) => {
    const isStuck = request.url === '/bucket/stuck'
    response.writeHead(isStuck && number > 2 ? 206 : 200, { 'content-length': 100 })
    const part = isStuck && number > 2 ? '' : 'some'
    response.write(part, () => response.destroy())
    response.flushHeaders()
  })
  await assert.rejects(
    bytesOf(client.read('restarts', never)),
    /does not continue at byte 4 of restarts/,
  )
  await assert.rejects(bytesOf(client.read('stuck', never)), /no reply from http/)
  assert.ok(seen.length <= 2 + 2 * 3, `${seen.length} requests`)
})

test('all pages of a list are read, with names as they were stored', async (t) => {
  const { client, seen } = await serve(t, (_request, response, number) => {
    const token =
      number === 0
        ? '<IsTruncated>true</IsTruncated><NextContinuationToken>a&amp;b=</NextContinuationToken>'
        : '<IsTruncated>false</IsTruncated>'
    response.end(
      `<ListBucketResult>${token}<Contents><Key>p/${number}&amp;x</Key><Size>${number + 7}</Size></Contents></ListBucketResult>`,
    )
  })
  assert.deepEqual(
    await client.list('p/', never),
    new Map([
      ['p/0&x', 7],
      ['p/1&x', 8],
    ]),
  )
  assert.match(seen[1]?.url ?? '', /continuation-token=a%26b%3D/)
})

test('an upload that fails after the status was sent is a failure', async (t) => {
  const { client } = await serve(t, (_request, response) => {
    response.end('<Error><Code>InternalError</Code></Error>')
  })
  await assert.rejects(
    client.endUpload({ key: 'key', id: '1' }, [{ tag: '"tag"', crc32: null }], never),
    /refused POST bucket\/key \(InternalError, status 200\)/,
  )
})

test('a reply without an end is cut off, and an abort ends a request', async (t) => {
  const { client } = await serve(t, (request, response) => {
    if (request.url?.includes('prefix=silent') === true) return
    const piece = Buffer.alloc(1024 * 1024, ' ')
    const send = (): void => void (response.destroyed || response.write(piece, send))
    send()
  })
  await assert.rejects(client.list('endless', never), /a reply of more than 16777216 bytes/)
  const ending = new AbortController()
  const list = client.list('silent', ending.signal)
  setImmediate(() => ending.abort(new Error('stopped')))
  await assert.rejects(list, /stopped/)
})

const eager: S3Policy = { ...objectsPolicy, retryDelaysMs: [1, 1] }

test('in an outage, retries are at most a tenth of the requests, after the first ten', async (t) => {
  const answer: Answer = (_request, response) => refuse(response, 503, 'SlowDown')
  const { client, seen } = await serve(t, answer, eager)
  const requests = 100
  for (let sent = 0; sent < requests; sent += 1) {
    await assert.rejects(client.put('key', Buffer.from('body'), never), { status: 503 })
  }
  const retries = seen.length - requests
  assert.ok(retries >= 10 && retries <= 10 + requests / 10, `${retries} retries`)
})

test('an abort ends the wait before a retry', async (t) => {
  const ending = new AbortController()
  const answer: Answer = (_request, response) => {
    refuse(response, 503, 'SlowDown')
    setImmediate(() => ending.abort(new Error('stopped')))
  }
  const { client, seen } = await serve(t, answer, { ...eager, retryDelaysMs: [600_000, 600_000] })
  await assert.rejects(client.put('key', Buffer.from('body'), ending.signal), /stopped/)
  assert.equal(seen.length, 1)
})

test('a range that the service cuts short, or does not have, is an object that is gone', async (t) => {
  const answer: Answer = (request, response) => {
    const { url = '' } = request
    if (url.endsWith('absent')) return refuse(response, 404, 'NoSuchKey')
    if (url.endsWith('behind')) return refuse(response, 416, 'InvalidRange')
    response.writeHead(url.endsWith('whole') ? 200 : 206).end('1234567')
  }
  const { client } = await serve(t, answer, eager)
  for (const key of ['short', 'absent', 'behind']) {
    await assert.rejects(client.readRange(key, 5, 10, never), ObjectNotFound, key)
  }
  await assert.rejects(client.readRange('whole', 5, 2, never), /sends no ranges of whole/)
  assert.equal(Buffer.from(await client.readRange('whole', 0, 7, never)).toString(), '1234567')
})

test('a body has a CRC32, and the SHA-256 as well over a connection without TLS', async (t) => {
  const answer: Answer = (request, response) => {
    assert.equal(request.headers['x-amz-checksum-crc32'], '26gLsg==')
    const digest = createHash('sha256').update('body').digest('hex')
    assert.equal(request.headers['x-amz-content-sha256'], digest)
    response.end()
  }
  const { client, seen } = await serve(t, answer, eager)
  await client.put('key', Buffer.from('body'), never)
  assert.equal(seen.length, 1)
})

// Requests to an S3 service, signed by aws4fetch (AWS Signature Version 4) and sent by undici. Each request carries the SHA-256 of
// its body or, over TLS with `checksums`, its CRC32, which the service compares. Makes up to three tries, with few retries in an
// outage; limits time and reply sizes; error messages contain the fix.
// Tested by test/backup/backup-s3.test.ts, src/content/objects/s3-client.test.ts
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { AwsV4Signer } from 'aws4fetch'
import { type Clock, pause } from '../../base/clock.ts'
import { codeOf, describeHttpError, openPool } from '../../base/http-origin.ts'
import type { HashWorker } from '../../codec/hash/hash-worker.ts'
import { ObjectNotFound } from './object-store.ts'
import { S3Error, fixOf, isMissing, isTemporary } from './s3-error.ts'
import { type S3Settings, backupPolicy } from './s3-policy.ts'
import { type ReplyBody, readReply } from './s3-reply.ts'
import { itemsIn, valueIn } from './s3-xml.ts'

/** A stored part of a multipart upload. `crc32`: base64, with `checksums` only. */
export type UploadedPart = { readonly tag: string; readonly crc32: string | null }

/** Keys consist of letters, digits and `._-/`. All methods throw S3Error, or `signal.reason`. */
export type S3Client = {
  /** Concurrent requests. */
  readonly parallel: number
  put(key: string, body: Uint8Array, signal: AbortSignal): Promise<void>
  /** Reads from byte `from` on. Continues after an interruption. */
  read(key: string, signal: AbortSignal): AsyncGenerator<Uint8Array>
  /** As `ObjectStore.read`. */
  readRange(
    key: string,
    at: number,
    bytes: number,
    signal: AbortSignal,
    most?: number,
  ): Promise<Uint8Array>
  /** Keys that start with `prefix`, and their sizes. */
  list(prefix: string, signal: AbortSignal): Promise<ReadonlyMap<string, number>>
  /** The same in pages, in order, after the key `after`. */
  listFrom(
    prefix: string,
    after: string,
    signal: AbortSignal,
  ): AsyncGenerator<ReadonlyMap<string, number>>
  /** An absent key is not an error. */
  remove(key: string, signal: AbortSignal): Promise<void>
  /** Clock of the service, with a resolution of 1 s; null: not stated. Sends a read request to the bucket. */
  time(signal: AbortSignal): Promise<number | null>
  /** Creates a multipart upload and returns its ID. */
  beginUpload(key: string, signal: AbortSignal): Promise<string>
  /** Parts count from 1. */
  putPart(
    upload: { readonly key: string; readonly id: string; readonly part: number },
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<UploadedPart>
  endUpload(
    upload: { readonly key: string; readonly id: string },
    parts: readonly UploadedPart[],
    signal: AbortSignal,
  ): Promise<void>
  abortUpload(upload: { readonly key: string; readonly id: string }): Promise<void>
  /** Unfinished uploads of keys that start with `prefix`, at most 1000. */
  listUploads(
    prefix: string,
    signal: AbortSignal,
  ): Promise<readonly { readonly key: string; readonly id: string }[]>
  close(): Promise<void>
}

const triesMax = 3
/** Retries that are available without earlier requests, for a client with a `retryShare`. */
const retriesReserve = 10
const connectMs = 10_000
/** Pages have up to 1000 keys. */
const pagesMax = 1000

type S3Request = {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** CRC32 of the body in base64, if the caller needs it too. */
  readonly crc32?: string
}

type Reply = ReplyBody & { readonly status: number }

/** `hashWorker`: hashes large bodies in shared memory; null: this thread hashes them. */
export function createS3Client(
  settings: S3Settings,
  bucket: string,
  clock: Clock,
  policy = backupPolicy,
  hashWorker: HashWorker | null = null,
): S3Client {
  const { region, accessKeyId, secretAccessKey } = settings
  const { retryDelaysMs, retryShare, connections, silenceMs, checksums, names } = policy
  const endpoint = new URL(settings.endpoint ?? `https://s3.${region}.amazonaws.com`)
  const root = `${endpoint.pathname.replace(/\/$/, '')}/${bucket}`
  const pool = openPool(endpoint, { connections, connectMs, silenceMs })
  /** Signing keys of the day. */
  const cache = new Map<string, ArrayBuffer>()
  const isUnsigned = checksums && endpoint.protocol === 'https:'
  let retriesLeft = retriesReserve

  async function sha256Of(body: Uint8Array): Promise<string> {
    const digest = await hashWorker?.(body, false)?.wait()
    return digest === undefined ? hash('sha256', body) : Buffer.from(digest).toString('hex')
  }

  async function sumsOf({ method, body, crc32: sum }: S3Request): Promise<Record<string, string>> {
    // In a POST, the header would be the checksum of the whole object.
    const hasSum = body !== undefined && method === 'PUT' && checksums
    return {
      'x-amz-content-sha256':
        hasSum && isUnsigned ? 'UNSIGNED-PAYLOAD' : await sha256Of(body ?? new Uint8Array(0)),
      ...(hasSum ? { 'x-amz-checksum-crc32': sum ?? crc32Of(body) } : {}),
    }
  }

  /** Whether another try may start: in an outage, retries would only add load. */
  function mayRetry(): boolean {
    if (retryShare === null) return true
    if (retriesLeft < 1) return false
    retriesLeft -= 1
    return true
  }

  async function sendOnce(
    request: S3Request,
    sums: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Reply> {
    const { method, key, query = {}, headers = {}, body } = request
    const url = new URL(endpoint.origin)
    url.pathname = key === '' ? root : `${root}/${key}`
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    if (cache.size > 4) cache.clear()
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, ...sums },
      accessKeyId,
      secretAccessKey,
      service: 's3',
      region,
      cache,
      datetime: new Date(clock.now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
    })
    const signed = await signer.sign()
    const reply = await pool.request({
      method,
      path: `${signed.url.pathname}${signed.url.search}`,
      headers: { 'user-agent': 'cairn', ...Object.fromEntries(signed.headers) },
      body: body ?? null,
      signal,
    })
    return {
      status: reply.statusCode,
      headers: reply.headers,
      body: reply.body as AsyncIterable<Uint8Array>,
    }
  }

  /** The reply if its status is below 300, with its body unread. */
  async function open(request: S3Request, signal: AbortSignal): Promise<Reply> {
    retriesLeft = Math.min(retriesReserve, retriesLeft + (retryShare ?? 0))
    const sums = await sumsOf(request)
    for (let tries = 1; ; tries += 1) {
      signal.throwIfAborted()
      let failure: S3Error
      try {
        const reply = await sendOnce(request, sums, signal)
        if (reply.status < 300) return reply
        failure = refusalOf(request, reply.status, (await readReply(reply)).toString())
      } catch (thrown) {
        signal.throwIfAborted()
        failure = noReply(thrown)
      }
      if (tries === triesMax || !isTemporary(failure) || !mayRetry()) throw failure
      await pause(tries === 1 ? retryDelaysMs[0] : retryDelaysMs[1], signal)
    }
  }

  /** The whole reply. A body that breaks off is requested again. */
  async function requestBytes(
    request: S3Request,
    signal: AbortSignal,
  ): Promise<Omit<Reply, 'body'> & { readonly bytes: Buffer }> {
    for (let tries = 1; ; tries += 1) {
      const reply = await open(request, signal)
      try {
        return { status: reply.status, headers: reply.headers, bytes: await readReply(reply) }
      } catch (thrown) {
        signal.throwIfAborted()
        if (tries === triesMax || !mayRetry()) throw noReply(thrown)
      }
    }
  }

  async function request(
    request: S3Request,
    signal: AbortSignal,
  ): Promise<{ readonly headers: Reply['headers']; readonly text: string }> {
    const { headers, bytes } = await requestBytes(request, signal)
    return { headers, text: bytes.toString() }
  }

  function noReply(thrown: unknown): S3Error {
    if (thrown instanceof S3Error) return thrown
    const why = describeHttpError(thrown)
    const fix = codeOf(thrown) === 'ENOTFOUND' ? `: check the host of ${names.endpoint}` : ''
    return new S3Error(`no reply from ${endpoint.origin} (${why})${fix}`, 0, { cause: thrown })
  }

  function refusalOf({ method, key }: S3Request, status: number, text: string): S3Error {
    const code = valueIn(text, 'Code') ?? ''
    const fix = fixOf(status, code, bucket, names)
    const why = code === '' ? `status ${status}` : `${code}, status ${status}`
    const what = `${endpoint.host} refused ${method} ${key === '' ? bucket : `${bucket}/${key}`} (${why})`
    return new S3Error(fix === null ? what : `${what}: ${fix}`, status, { code })
  }

  async function* pages(
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    let token: string | null = null
    for (let page = 0; page < pagesMax; page += 1) {
      const more: Record<string, string> = token === null ? {} : { 'continuation-token': token }
      const options = { method: 'GET', key: '', query: { ...query, ...more } } as const
      const { text } = await request(options, signal)
      yield text
      token = valueIn(text, 'NextContinuationToken')
      if (token === null || valueIn(text, 'IsTruncated') !== 'true') return
    }
    throw new S3Error(`more than ${pagesMax * 1000} objects in ${bucket}`, 0)
  }

  async function* listFrom(
    prefix: string,
    after: string,
    signal: AbortSignal,
  ): AsyncGenerator<ReadonlyMap<string, number>> {
    const start: Record<string, string> = after === '' ? {} : { 'start-after': after }
    for await (const text of pages({ 'list-type': '2', prefix, ...start }, signal)) {
      const found = new Map<string, number>()
      for (const item of itemsIn(text, 'Contents')) {
        const key = valueIn(item, 'Key')
        const size = Number(valueIn(item, 'Size'))
        if (key !== null && Number.isSafeInteger(size)) found.set(key, size)
      }
      yield found
    }
  }

  return {
    parallel: connections,
    async put(key, body, signal) {
      await request({ method: 'PUT', key, body }, signal)
    },
    async *read(key, signal) {
      let got = 0
      for (let failures = 0; ;) {
        const headers: Record<string, string> = got === 0 ? {} : { range: `bytes=${got}-` }
        const reply = await open({ method: 'GET', key, headers }, signal)
        if (got > 0 && reply.status !== 206) {
          throw new S3Error(`${endpoint.host} does not continue at byte ${got} of ${key}`, 0)
        }
        const before = got
        try {
          for await (const piece of reply.body) {
            got += piece.length
            yield piece
          }
          return
        } catch (thrown) {
          signal.throwIfAborted()
          failures = got > before ? 1 : failures + 1
          if (failures === triesMax) throw noReply(thrown)
        }
      }
    },
    async readRange(key, at, bytes, signal, most = bytes) {
      if (most === 0) return new Uint8Array(0)
      const headers = { range: `bytes=${at}-${at + most - 1}` }
      try {
        const reply = await requestBytes({ method: 'GET', key, headers }, signal)
        const isFullReply = at === 0 && reply.status === 200
        if (isFullReply ? reply.bytes.length >= bytes : reply.status === 206) {
          if (reply.bytes.length >= bytes) return reply.bytes.subarray(0, most)
          throw new ObjectNotFound(key)
        }
        if (isFullReply) throw new ObjectNotFound(key)
      } catch (error) {
        throw isMissing(error) ? new ObjectNotFound(key, error) : error
      }
      throw new S3Error(`${endpoint.host} sends no ranges of ${key}`, 0)
    },
    async list(prefix, signal) {
      const found = new Map<string, number>()
      for await (const page of listFrom(prefix, '', signal)) {
        for (const [key, bytes] of page) found.set(key, bytes)
      }
      return found
    },
    listFrom,
    async remove(key, signal) {
      await request({ method: 'DELETE', key }, signal)
    },
    async time(signal) {
      const query = { 'list-type': '2', 'max-keys': '1' }
      const { headers } = await request({ method: 'GET', key: '', query }, signal)
      const time = typeof headers['date'] === 'string' ? Date.parse(headers['date']) : Number.NaN
      return Number.isNaN(time) ? null : time
    },
    async beginUpload(key, signal) {
      const headers: Record<string, string> = checksums
        ? { 'x-amz-checksum-algorithm': 'CRC32' }
        : {}
      const { text } = await request(
        { method: 'POST', key, query: { uploads: '' }, headers },
        signal,
      )
      const id = valueIn(text, 'UploadId')
      if (id === null) throw new S3Error(`${endpoint.host} began no upload of ${key}`, 0)
      return id
    },
    async putPart({ key, id, part }, body, signal) {
      const query = { partNumber: String(part), uploadId: id }
      const sum = checksums ? crc32Of(body) : null
      const sums = sum === null ? {} : { crc32: sum }
      const { headers } = await request({ method: 'PUT', key, query, body, ...sums }, signal)
      const { etag } = headers
      if (typeof etag !== 'string') throw new S3Error(`${endpoint.host} named no part of ${key}`, 0)
      return { tag: etag, crc32: sum }
    },
    async endUpload({ key, id }, uploaded, signal) {
      const parts = uploaded.map(
        ({ tag, crc32: sum }, index) =>
          `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag.replaceAll('"', '&quot;')}</ETag>${sum === null ? '' : `<ChecksumCRC32>${sum}</ChecksumCRC32>`}</Part>`,
      )
      const body = Buffer.from(
        `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`,
      )
      const { text } = await request({ method: 'POST', key, query: { uploadId: id }, body }, signal)
      // The service sends the status before it has assembled the parts.
      if (text.includes('<Error>')) throw refusalOf({ method: 'POST', key }, 200, text)
    },
    async abortUpload({ key, id }) {
      const never = new AbortController().signal
      await request({ method: 'DELETE', key, query: { uploadId: id } }, never)
    },
    async listUploads(prefix, signal) {
      const { text } = await request(
        { method: 'GET', key: '', query: { uploads: '', prefix } },
        signal,
      )
      return itemsIn(text, 'Upload').flatMap((item) => {
        const key = valueIn(item, 'Key')
        const id = valueIn(item, 'UploadId')
        return key === null || id === null || !key.startsWith(prefix) ? [] : [{ key, id }]
      })
    },
    close: () => pool.destroy(),
  }
}

function crc32Of(body: Uint8Array): string {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return sum.toString('base64')
}

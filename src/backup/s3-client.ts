// Requests to an S3 service, signed by aws4fetch (AWS Signature Version 4) and sent by undici. Each request has the SHA-256
// of its body, which the service compares. Three tries; bounded time and replies; errors state what to change.
// Tested by test/backup/backup-s3.test.ts, src/backup/s3-client.test.ts
import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import { type Clock, pause } from '../base/clock.ts'
import { codeOf, describeHttpError, openPool } from '../base/http-origin.ts'

export type S3Settings = {
  /** `https://s3.example.com`; null: that of AWS in the region. Requests are `<endpoint>/<bucket>/<key>`. */
  readonly endpoint: string | null
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** Keys consist of letters, digits and `._-/`. All methods throw S3Error, or `signal.reason`. */
export type S3Client = {
  /** Concurrent requests. */
  readonly parallel: number
  put(key: string, body: Uint8Array, signal: AbortSignal): Promise<void>
  /** From byte `from` on. Continues after an interruption. */
  read(key: string, signal: AbortSignal): AsyncGenerator<Uint8Array>
  /** Keys that start with `prefix`, and their sizes. */
  list(prefix: string, signal: AbortSignal): Promise<ReadonlyMap<string, number>>
  remove(key: string, signal: AbortSignal): Promise<void>
  /** Multipart uploads: returns the ID of a new one. */
  beginUpload(key: string, signal: AbortSignal): Promise<string>
  /** Parts count from 1. Returns the tag for `endUpload`. */
  putPart(
    upload: { readonly key: string; readonly id: string; readonly part: number },
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<string>
  endUpload(
    upload: { readonly key: string; readonly id: string },
    tags: readonly string[],
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

/** The message is a sentence for the operator. `status` 0: no reply. */
class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly status: number
  constructor(message: string, status: number, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

const triesMax = 3
/** Before the second try; four times as long before the third. */
const waitMs = 500
const connections = 4
const connectMs = 10_000
/** Without a byte of the reply, after the request was sent. */
const silenceMs = 120_000
const replyBytesMax = 16 * 1024 * 1024
/** Of 1000 keys each. */
const pagesMax = 1000

type Ask = {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: AsyncIterable<Uint8Array>
}

export function createS3Client(settings: S3Settings, bucket: string, clock: Clock): S3Client {
  const { region, accessKeyId, secretAccessKey } = settings
  const endpoint = new URL(settings.endpoint ?? `https://s3.${region}.amazonaws.com`)
  const root = `${endpoint.pathname.replace(/\/$/, '')}/${bucket}`
  const pool = openPool(endpoint, { connections, connectMs, silenceMs })
  /** Signing keys of a day. */
  const cache = new Map<string, ArrayBuffer>()

  async function sendOnce(ask: Ask, signal: AbortSignal): Promise<Reply> {
    const { method, key, query = {}, headers = {}, body } = ask
    const url = new URL(endpoint.origin)
    url.pathname = key === '' ? root : `${root}/${key}`
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const digest = createHash('sha256')
      .update(body ?? '')
      .digest('hex')
    if (cache.size > 4) cache.clear()
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': digest },
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

  /** The reply with a status below 300, its body unread. */
  async function open(ask: Ask, signal: AbortSignal): Promise<Reply> {
    for (let tries = 1; ; tries += 1) {
      signal.throwIfAborted()
      let failure: S3Error
      try {
        const reply = await sendOnce(ask, signal)
        if (reply.status < 300) return reply
        failure = refusalOf(ask, reply.status, (await textOf(reply)).toString())
      } catch (thrown) {
        signal.throwIfAborted()
        failure = noReply(thrown)
      }
      if (tries === triesMax || !isTemporary(failure)) throw failure
      await pause(waitMs * 4 ** (tries - 1))
    }
  }

  /** The whole reply. A body that breaks off is requested again. */
  async function request(
    ask: Ask,
    signal: AbortSignal,
  ): Promise<{ readonly headers: Reply['headers']; readonly text: string }> {
    for (let tries = 1; ; tries += 1) {
      const reply = await open(ask, signal)
      try {
        return { headers: reply.headers, text: (await textOf(reply)).toString() }
      } catch (thrown) {
        signal.throwIfAborted()
        if (tries === triesMax) throw noReply(thrown)
      }
    }
  }

  function noReply(thrown: unknown): S3Error {
    if (thrown instanceof S3Error) return thrown
    const why = describeHttpError(thrown)
    const fix = codeOf(thrown) === 'ENOTFOUND' ? ': check the host of backup.s3.endpoint' : ''
    return new S3Error(`no reply from ${endpoint.origin} (${why})${fix}`, 0, thrown)
  }

  function refusalOf({ method, key }: Ask, status: number, text: string): S3Error {
    const code = valueIn(text, 'Code') ?? ''
    const fix = fixes[code] ?? fixes[String(status)]
    const why = code === '' ? `status ${status}` : `${code}, status ${status}`
    const what = `${endpoint.host} refused ${method} ${key === '' ? bucket : `${bucket}/${key}`} (${why})`
    return new S3Error(fix === undefined ? what : `${what}: ${fix(bucket)}`, status)
  }

  async function* pages(
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    let token: string | null = null
    for (let page = 0; page < pagesMax; page += 1) {
      const more: Record<string, string> = token === null ? {} : { 'continuation-token': token }
      const ask = { method: 'GET', key: '', query: { ...query, ...more } } as const
      const { text } = await request(ask, signal)
      yield text
      token = valueIn(text, 'NextContinuationToken')
      if (token === null || valueIn(text, 'IsTruncated') !== 'true') return
    }
    throw new S3Error(`more than ${pagesMax * 1000} objects in ${bucket}`, 0)
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
    async list(prefix, signal) {
      const found = new Map<string, number>()
      for await (const text of pages({ 'list-type': '2', prefix }, signal)) {
        for (const item of itemsIn(text, 'Contents')) {
          const key = valueIn(item, 'Key')
          const size = Number(valueIn(item, 'Size'))
          if (key !== null && Number.isSafeInteger(size)) found.set(key, size)
        }
      }
      return found
    },
    async remove(key, signal) {
      await request({ method: 'DELETE', key }, signal)
    },
    async beginUpload(key, signal) {
      const { text } = await request({ method: 'POST', key, query: { uploads: '' } }, signal)
      const id = valueIn(text, 'UploadId')
      if (id === null) throw new S3Error(`${endpoint.host} began no upload of ${key}`, 0)
      return id
    },
    async putPart({ key, id, part }, body, signal) {
      const query = { partNumber: String(part), uploadId: id }
      const { headers } = await request({ method: 'PUT', key, query, body }, signal)
      const { etag } = headers
      if (typeof etag !== 'string') throw new S3Error(`${endpoint.host} named no part of ${key}`, 0)
      return etag
    },
    async endUpload({ key, id }, tags, signal) {
      const parts = tags.map(
        (tag, index) =>
          `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag.replaceAll('"', '&quot;')}</ETag></Part>`,
      )
      const body = Buffer.from(
        `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`,
      )
      const { text } = await request({ method: 'POST', key, query: { uploadId: id }, body }, signal)
      // The status is sent before the service has put the parts together.
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

const unknownKey = (): string => 'the service does not know backup.s3.accessKeyId'

/** What to change, by the code of S3 or by status. */
const fixes: Readonly<Record<string, (bucket: string) => string>> = {
  InvalidAccessKeyId: unknownKey,
  // Of versitygw.
  XAdminUserNotFound: unknownKey,
  SignatureDoesNotMatch: () => 'check backup.s3.secretAccessKey',
  AccessDenied: (bucket) => `the key may not read and write ${bucket}`,
  NoSuchBucket: (bucket) => `create the bucket ${bucket} first`,
  NoSuchKey: () => 'the object is missing',
  AuthorizationHeaderMalformed: () => 'check backup.s3.region',
  PermanentRedirect: () => 'check backup.s3.region and backup.s3.endpoint',
  RequestTimeTooSkewed: () => 'set the clock of this machine',
  '301': () => 'check backup.s3.region and backup.s3.endpoint',
  '403': (bucket) => `the key may not read and write ${bucket}`,
}

/** Another try may succeed. */
function isTemporary({ status }: S3Error): boolean {
  return status === 0 || status === 408 || status === 429 || status >= 500
}

async function textOf({ body }: Reply): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > replyBytesMax) throw new S3Error(`a reply of more than ${replyBytesMax} bytes`, 1)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** The elements of that name; S3 sends no attributes in them and does not nest them. */
function itemsIn(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(
    ([, item = '']) => item,
  )
}

/** The text of the first element of that name; null: there is none. */
function valueIn(xml: string, name: string): string | null {
  const [, text] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? []
  return text === undefined
    ? null
    : text.replaceAll(/&(?:lt|gt|quot|apos|amp|#34);/g, (one) => entities[one] ?? one)
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#34;': '"',
  '&apos;': "'",
  '&amp;': '&',
}

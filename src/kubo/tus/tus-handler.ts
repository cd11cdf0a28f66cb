// Resumable uploads: the tus protocol 1.0.0 at `/tus/files`, with the authorization, limits and quotas of `add`, which runs when an
// upload's last byte has arrived. Acknowledged bytes are synced.
// Rules: https://tus.io/protocols/resumable-upload
// Tested by test/files/tus.test.ts
import type { CommandCall, KuboCommand, KuboPipeline } from '../kubo-command.ts'
import { randomBytes } from 'node:crypto'
import type { Locker, Server as TusServer } from '@tus/server'
import type { Caller } from '../../access/accounts/caller.ts'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import type { FilesUpload } from '../../pipeline/transfer.ts'
import type { UploadEntry } from '../../ipfs/import/upload-entry.ts'
import { overCount } from '../../access/limits/rate-limit.ts'
import { isAmbient } from '../../http/cross-origin.ts'
import { readFilesCredential } from '../../pipeline/authenticate-request.ts'
import {
  isOriginRefused,
  type Refusal,
  refusalOf,
  sendRefusal,
} from '../../pipeline/files-refusal.ts'
import { type RequestLog, silentRequestLog } from '../../pipeline/request-log/finished-request.ts'
import {
  type Progress,
  beginProgress,
  reportExchange,
} from '../../pipeline/request-log/report-exchange.ts'
import type { FilesEntry, FilesSettings } from '../ipfs-api.ts'
import type { NodeExchange } from '../../http/node-exchange.ts'
import { requestBodyStream } from '../../http/request-body-stream.ts'
import { readParts } from '../multipart.ts'
import { UploadBody, uploadEntries } from '../upload-body.ts'
import { bodyStream } from './body-stream.ts'
import { tusHeaders, tusPath, tusPreflight } from './tus-headers.ts'
import { addOptions, boundaryOf, nameOf, parseMetadata } from './upload-metadata.ts'
import type { Added, ResumableUpload, ResumableUploads } from './resumable-uploads.ts'
import type { UploadSpace } from './upload-space.ts'

export type TusHandlerDeps = {
  readonly gateway: KuboPipeline
  readonly add: KuboCommand<unknown>
  readonly records: ResumableUploads
  readonly space: UploadSpace
  readonly version: string
  readonly settings: FilesSettings
  /** Absent: requests are not logged. */
  readonly requests?: RequestLog
  readonly clock: Clock
  readonly log: Log
}

/** Maximum number of unfinished uploads of one key. */
const openMax = 64

/** `as`: the caller that the admin API authenticated, and the path to use instead of the exchange's path. */
export type TusHandler = (exchange: NodeExchange, as?: FilesEntry) => Promise<void>

/** Creates the handler. It answers every exchange itself and throws nothing. */
export function createTusHandler(parts: TusHandlerDeps): TusHandler {
  const { clock, log, settings, requests = silentRequestLog } = parts
  const serve = createServe(parts)
  return async (exchange, as) => {
    const { request, response } = exchange
    const progress = { ...beginProgress(clock, requests), method: 'tus' }
    const limits = { bytesMax: settings.uploadBytesMax, idleMs: settings.idleMs }
    const upload = new UploadBody(exchange, limits, clock)
    response.setHeaders(new Headers(tusHeaders(request.headers, parts.version)))
    response.setHeader('x-request-id', exchange.requestId)
    try {
      const answer = await serve({ exchange, upload, as: as ?? null }, progress)
      sendRefusal(exchange, answer, { bodyEnded: upload.ended, clock })
      progress.sent.bytes = Buffer.byteLength(answer.body)
    } catch (thrown) {
      const fault = Fault.from(thrown)
      progress.fault = fault
      if (fault.code === 'internal') {
        log('error', 'upload failed', { requestId: exchange.requestId, cause: fault.cause })
      }
      if (isOriginRefused(fault)) response.removeHeader('Access-Control-Allow-Origin')
      sendRefusal(exchange, refusalOf(fault), { bodyEnded: upload.ended, clock })
    }
    if (exchange.method !== 'OPTIONS') {
      reportExchange({ requests, clock }, exchange, 'ipfs', progress, upload.bytes)
    }
  }
}

function createServe({ gateway, add, records, space, clock, settings }: TusHandlerDeps) {
  // Loaded with the first upload, so that the server starts faster.
  let loaded: Promise<{ library: typeof import('@tus/server'); locker: Locker }> | null = null
  async function load() {
    const library = await import('@tus/server')
    return { library, locker: new library.MemoryLocker() as Locker }
  }
  const adding = new Map<string, Promise<Added>>()

  return async ({ exchange, upload, as }: Arrived, progress: Progress): Promise<Refusal> => {
    const { requestId } = exchange
    const { headers } = exchange.request
    if (exchange.method === 'OPTIONS') return tusPreflight(headers)
    if (isAmbient(headers)) throw new Fault('browser_refused')
    const credential =
      as === null ? readFilesCredential(exchange) : { key: null, secret: null, requestId, ...as }
    const caller = await gateway.authenticateFiles(credential, add.name)
    progress.caller = caller
    const path = as?.path ?? exchange.path
    const creates = path === tusPath
    if (!(creates ? ['POST'] : ['HEAD', 'PATCH', 'DELETE']).includes(exchange.method)) {
      return plain(405, 'method not allowed')
    }
    const begun = creates ? await begin(exchange, caller) : null
    const record = begun?.record ?? (await findRecord(path, caller))
    if (record === null) return plain(404, 'upload not found')
    if (exchange.method === 'PATCH' && record.added !== null)
      return plain(409, 'upload is complete')
    loaded ??= load()
    const visit = { exchange, upload, path, caller, record, creates }
    if (exchange.method === 'DELETE') return await runProtocol(visit, null)
    if (exchange.method === 'HEAD') {
      // It waits for a running PATCH, which may have received the last byte.
      const answer = await runProtocol(visit, null)
      const now = await records.find(record.id)
      if (now === null || now.received < now.bytes || now.added !== null) return answer
    }
    try {
      return await run(visit)
    } finally {
      begun?.settle()
    }
  }

  async function begin(exchange: NodeExchange, caller: Caller): Promise<BegunUpload> {
    try {
      const open = records.openOf(caller.keyId)
      // Nothing is awaited between the count of this machine and `records.begin`, so that concurrent creations count each other.
      const count = typeof open === 'number' ? open : await open
      const record = draftOf(exchange, caller, count)
      return { record, settle: records.begin(record) }
    } catch (thrown) {
      gateway.countRefusal(caller, add.name, Fault.from(thrown))
      throw thrown
    }
  }

  function draftOf(
    { request: { headers } }: NodeExchange,
    caller: Caller,
    open: number,
  ): ResumableUpload {
    const length = String(headers['upload-length'] ?? '')
    const bytes = /^\d{1,16}$/.test(length) ? Number(length) : Number.NaN
    if (!Number.isSafeInteger(bytes)) {
      throw new Fault('bad_argument', { detail: 'Upload-Length is missing or no number' })
    }
    if (settings.uploadBytesMax !== null && bytes > settings.uploadBytesMax) {
      throw new Fault('too_large')
    }
    if (open >= openMax) {
      throw overCount(`this key is limited to ${openMax} unfinished uploads`)
    }
    // When the upload completes, its bytes are stored twice: in the upload and in the store.
    space.mustFit(2 * bytes)
    const { accountId, keyId } = caller
    const metadata = parseMetadata(headers['upload-metadata'] as string | undefined)
    const id = randomBytes(16).toString('hex')
    const created = clock.now()
    return { id, accountId, keyId, bytes, received: 0, created, metadata, added: null }
  }

  /** Null for an upload of another account. */
  async function findRecord(path: string, { accountId }: Caller): Promise<ResumableUpload | null> {
    const record = await records.find(path.slice(tusPath.length + 1))
    return record?.accountId === accountId ? record : null
  }

  /** Runs the request as a part of `add`. */
  async function run(visit: Visit): Promise<Refusal> {
    const { exchange, upload, caller, record, creates } = visit
    const request = {
      args: [],
      options: addOptions(record.metadata),
      entries: entryOf(record),
      host: exchange.request.headers.host ?? '',
    }
    let fault: Fault | null = null
    const ran = await gateway.runFiles({
      caller,
      operation: {
        ...add,
        async run(input, call) {
          const finish = () => addOnce(record.id, input, call)
          return { kind: 'object', value: await runProtocol(visit, finish) }
        },
      },
      request,
      upload: reserved(upload, record, creates),
      connected: () => !exchange.response.destroyed && !exchange.signal.aborted,
      signal: exchange.signal,
    })
    try {
      if (ran.reply.kind !== 'object') throw new Error('a reply of another kind')
      return ran.reply.value as Refusal
    } catch (thrown) {
      fault = Fault.from(thrown)
      throw thrown
    } finally {
      ran.settle(fault, { in: upload.bytes, out: 0 })
    }
  }

  /** Runs the protocol. Throws the errors of the body, the disk or `finish`. */
  async function runProtocol(
    visit: Visit,
    finish: (() => Promise<Added>) | null,
  ): Promise<Refusal> {
    const { exchange, upload, path, record, creates } = visit
    if (exchange.method === 'HEAD' && finish !== null) await finish()
    const { library, locker } = await (loaded ?? load())
    const { TusDataStore } = await import('./tus-data-store.ts')
    const failed: { thrown?: unknown } = {}
    const server: TusServer = new library.Server({
      path: tusPath,
      datastore: new TusDataStore(records, space, creates ? record : null),
      locker,
      relativeLocation: true,
      namingFunction: () => record.id,
      async onUploadFinish() {
        try {
          const line = JSON.stringify(await finish?.())
          const type = { 'Content-Type': 'application/json' }
          return { ...(creates ? {} : { status_code: 200 }), headers: type, body: `${line}\n` }
        } catch (thrown) {
          failed.thrown ??= thrown
          throw thrown
        }
      },
      onResponseError(_request, error) {
        if (error instanceof Fault) failed.thrown ??= error
        return undefined
      },
    })
    const hasBody = exchange.method === 'PATCH' || exchange.method === 'POST'
    const body = hasBody ? bodyStream(upload, (thrown) => (failed.thrown ??= thrown)) : null
    const response = await server.handleWeb(
      new Request(`http://localhost${path}`, {
        method: exchange.method,
        headers: plainHeaders(exchange),
        ...(body === null ? {} : { body: body.stream, duplex: 'half' }),
      } as RequestInit),
    )
    body?.leave()
    if (failed.thrown !== undefined) throw failed.thrown
    const headers: Record<string, string> = {}
    for (const [name, value] of response.headers) {
      if (!/^(access-control-|content-length$|connection$)/.test(name)) headers[name] = value
    }
    const { added = null } = (await records.find(record.id)) ?? {}
    if (added !== null) headers['X-Cairn-Cid'] = added.Hash
    return { status: response.status, headers, body: await response.text() }
  }

  /** Concurrent callers share one run. */
  async function addOnce(id: string, input: unknown, call: CommandCall): Promise<Added> {
    const running = adding.get(id) ?? addNow(id, input, call).finally(() => adding.delete(id))
    adding.set(id, running)
    return await running
  }

  async function addNow(id: string, input: unknown, call: CommandCall): Promise<Added> {
    // Continues after the client has disconnected: all bytes are stored, and a later request returns the CID.
    const before = (await records.find(id))?.added ?? null
    if (before !== null) return before
    const lasting = { ...call, connected: () => true, signal: new AbortController().signal }
    const reply = await add.run(input, lasting)
    let added: Added | null = null
    if (reply.kind === 'events') {
      for await (const line of reply.lines) if (isAdded(line)) added = line
    }
    const record = await records.find(id)
    if (added === null || record === null) throw new Fault('hung_up')
    await records.finish({ ...record, added })
    return added
  }

  async function* entryOf({ id, metadata }: ResumableUpload): AsyncGenerator<UploadEntry> {
    const boundary = boundaryOf(metadata)
    if (boundary === null) {
      yield { path: nameOf(metadata), kind: 'file', content: records.read(id) }
    } else {
      yield* uploadEntries(readParts(requestBodyStream(records.read(id)), boundary))
    }
  }
}

/** `settle`: call it when the request ends. */
type BegunUpload = { readonly record: ResumableUpload; readonly settle: () => void }

type Arrived = {
  readonly exchange: NodeExchange
  readonly upload: UploadBody
  /** Null: the request contains its own credentials. */
  readonly as: FilesEntry | null
}

type Visit = Omit<Arrived, 'as'> & {
  readonly path: string
  readonly caller: Caller
  readonly record: ResumableUpload
  readonly creates: boolean
}

/** The creation request checks the whole declared length. */
function reserved(upload: UploadBody, { bytes }: ResumableUpload, creates: boolean): FilesUpload {
  return {
    declaredBytes: creates ? bytes : upload.declaredBytes,
    reservedBytes: bytes,
    get bytes() {
      return upload.bytes
    },
    get onChunk() {
      return upload.onChunk
    },
    set onChunk(listener) {
      upload.onChunk = listener
    },
  }
}

function isAdded(line: unknown): line is Added {
  return typeof line === 'object' && line !== null && 'Hash' in line
}

function plainHeaders({ request }: NodeExchange): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    const isOurs = /^(tus-|upload-|content-type$|content-length$)/.test(name)
    if (isOurs && typeof value === 'string') headers.set(name, value)
  }
  return headers
}

function plain(status: number, sentence: string): Refusal {
  const type = 'text/plain; charset=utf-8'
  return { status, headers: { 'Content-Type': type }, body: `${sentence}\n` }
}

// The IPFS Pinning Service API 1.0.0 at `/psa`, behind the same checks, limits and quotas as the IPFS API.
// Specification: https://ipfs.github.io/pinning-services-api-spec/
// Tested by test/files/psa.test.ts
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../../base/clock.ts'
import { Fault, type FaultCode, filesStatus } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import { isAmbient } from '../../http/cross-origin.ts'
import type { NodeExchange, RequestHandler } from '../../http/node-exchange.ts'
import type { Credential } from '../../pipeline/authenticate-request.ts'
import {
  isOriginRefused,
  messageOf,
  type Refusal,
  sendRefusal,
  waitSeconds,
} from '../../pipeline/files-refusal.ts'
import { type RequestLog, silentRequestLog } from '../../pipeline/request-log/finished-request.ts'
import {
  type Progress,
  beginProgress,
  reportExchange,
} from '../../pipeline/request-log/report-exchange.ts'
import type { KuboPipeline } from '../kubo-command.ts'
import { kuboHeaders } from '../kubo-reply.ts'
import { UploadBody } from '../upload-body.ts'
import { findPinOperation, type PinOperationDeps } from './pin-operations.ts'

export const psaPath = '/psa'

export type PsaDeps = PinOperationDeps & {
  readonly gateway: KuboPipeline
  readonly version: string
  readonly settings: { readonly idleMs: number }
  /** Absent: requests are not logged. */
  readonly requestLog?: RequestLog
  readonly clock: Clock
  readonly log: Log
}

const bodyBytesMax = 64 * 1024
const credentialCharsMax = 8192
const json = { 'Content-Type': 'application/json' }

/** Creates the handler. It answers every exchange itself and throws nothing. */
export function createPsaHandler(parts: PsaDeps): RequestHandler {
  const { clock, log, requestLog: requests = silentRequestLog } = parts
  return async (exchange) => {
    const { request, response } = exchange
    const progress = { ...beginProgress(clock, requests), method: 'psa' }
    const { idleMs } = parts.settings
    const upload = new UploadBody(exchange, { bytesMax: bodyBytesMax, idleMs }, clock)
    response.setHeaders(new Headers(kuboHeaders(request.headers, parts.version)))
    response.setHeader('x-request-id', exchange.requestId)
    let answer: Refusal
    try {
      answer =
        exchange.method === 'OPTIONS'
          ? preflight(request.headers)
          : await serve(parts, exchange, upload, progress)
    } catch (thrown) {
      const fault = Fault.from(thrown)
      progress.fault = fault
      if (fault.code === 'internal') {
        log('error', 'pin request failed', {
          requestId: exchange.requestId,
          cause: fault.cause,
        })
      }
      if (isOriginRefused(fault)) response.removeHeader('Access-Control-Allow-Origin')
      answer = failureOf(fault)
    }
    sendRefusal(exchange, answer, { bodyEnded: upload.ended, clock })
    progress.sent.bytes = Buffer.byteLength(answer.body)
    if (exchange.method === 'OPTIONS') return
    reportExchange({ requests, clock }, exchange, 'ipfs', progress, upload.bytes)
  }
}

async function serve(
  parts: PsaDeps,
  exchange: NodeExchange,
  upload: UploadBody,
  progress: Progress,
): Promise<Refusal> {
  const { method, path, query, request } = exchange
  const [, id = null] = pathForm.exec(path) ?? []
  if (!pathForm.test(path)) throw new Fault('absent', { detail: 'no such path' })
  const found = findPinOperation(parts, { method, id, query })
  if (found === null) throw new Fault('wrong_http')
  if (isAmbient(request.headers)) throw new Fault('browser_refused')
  const credential = readCredential(exchange)
  const { command } = found
  const caller = await parts.gateway.authenticateFiles(credential, command)
  progress.caller = caller
  const body = found.hasBody ? await readBody(upload).catch(countRefused) : ''
  const ran = await parts.gateway.runFiles({
    caller,
    operation: found.operation(body),
    request: { args: [], options: new Map(), entries: null, host: request.headers.host ?? '' },
    upload,
    connected: () => !exchange.response.destroyed && !exchange.signal.aborted,
    signal: exchange.signal,
  })
  const value = ran.reply.kind === 'object' ? ran.reply.value : null
  const answer = {
    status: method === 'GET' ? 200 : 202,
    headers: value === null ? {} : json,
    body: value === null ? '' : JSON.stringify(value),
  }
  ran.settle(null, { in: upload.bytes, out: Buffer.byteLength(answer.body) })
  return answer

  function countRefused(thrown: unknown): never {
    parts.gateway.countRefusal(caller, command, Fault.from(thrown))
    throw thrown
  }
}

const pathForm = new RegExp(`^${psaPath}/pins(?:/([^/]{1,100}))?$`)

/** Key and secret of `Authorization: Bearer <key>:<secret>`. Throws `no_credential`, `bad_secret`. */
function readCredential({ request: { headers }, address, requestId }: NodeExchange): Credential {
  const { authorization = '', origin } = headers
  if (authorization === '' || authorization.length > credentialCharsMax) {
    throw new Fault('no_credential')
  }
  const [, key = '', secret = ''] = /^bearer +([^\s:]+):(\S+)$/i.exec(authorization.trim()) ?? []
  if (key === '') throw new Fault('bad_secret')
  return { key, secret, address, origin, userAgent: headers['user-agent'], requestId }
}

async function readBody(upload: UploadBody): Promise<string> {
  upload.checkDeclared()
  const chunks: Uint8Array[] = []
  await upload.feed((chunk) => chunks.push(chunk) > 0)
  return Buffer.concat(chunks).toString('utf8')
}

/** Headers of the 204 to OPTIONS; no key is needed. */
function preflight({ origin }: IncomingHttpHeaders): Refusal {
  const methods = 'GET, POST, DELETE, OPTIONS'
  const headers =
    origin === undefined
      ? { Allow: methods }
      : {
          'Access-Control-Allow-Methods': methods,
          'Access-Control-Allow-Headers':
            'authorization, content-type, accept, x-requested-with, user-agent',
          'Access-Control-Max-Age': '7200',
        }
  return { status: 204, headers, body: '' }
}

/** Status and reason of the specification. Other faults have the status of the IPFS API, and their code as the reason. */
const failures: Partial<Readonly<Record<FaultCode, readonly [status: number, reason: string]>>> = {
  bad_params: [400, 'BAD_REQUEST'],
  no_credential: [401, 'UNAUTHORIZED'],
  bad_key: [401, 'UNAUTHORIZED'],
  bad_secret: [401, 'UNAUTHORIZED'],
  no_card: [409, 'INSUFFICIENT_FUNDS'],
  over_quota: [409, 'INSUFFICIENT_FUNDS'],
  absent: [404, 'NOT_FOUND'],
  internal: [500, 'INTERNAL_SERVER_ERROR'],
}

function failureOf(fault: Fault): Refusal {
  const [status, reason] = failures[fault.code] ?? [
    filesStatus(fault.row),
    fault.code.toUpperCase(),
  ]
  const headers: Record<string, string> = { ...json }
  if (status === 401) headers['WWW-Authenticate'] = 'Bearer realm="cairn"'
  if (status === 405) headers['Allow'] = 'GET, POST, DELETE, OPTIONS'
  if (status === 429 || status === 503) headers['Retry-After'] = `0${waitSeconds(fault)}`
  const body = JSON.stringify({ error: { reason, details: messageOf(fault) } })
  return { status, headers, body }
}

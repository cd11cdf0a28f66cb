// IPNS records over Delegated Routing: `PUT /routing/v1/ipns/<name>` runs `name/put`, with the same keys, rate limits and usage.
// The gateway serves `GET`.
// Rule: https://specs.ipfs.tech/routing/http-routing-v1/#ipns-api
// Tested by test/ipns/names-started.test.ts
import type { Clock } from '../base/clock.ts'
import { decodeOrSame } from '../base/decode-or-same.ts'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import { ipnsRecordBytesMax } from '../codec/ipld/ipns-record.ts'
import { isAmbient } from '../http/cross-origin.ts'
import type { NodeExchange, RequestHandler } from '../http/node-exchange.ts'
import type { UploadEntry } from '../ipfs/import/upload-entry.ts'
import { readFilesCredential } from '../pipeline/authenticate-request.ts'
import { type Refusal, refusalOf, sendRefusal } from '../pipeline/files-refusal.ts'
import { type RequestLog, silentRequestLog } from '../pipeline/request-log/finished-request.ts'
import {
  type Progress,
  beginProgress,
  reportExchange,
} from '../pipeline/request-log/report-exchange.ts'
import type { KuboCommand, KuboPipeline } from './kubo-command.ts'
import { UploadBody } from './upload-body.ts'

export const routingRecordsPath = '/routing/v1/ipns/'

export type RoutingRecordsDeps = {
  readonly gateway: KuboPipeline
  /** The command `name/put`. */
  readonly put: KuboCommand<unknown>
  readonly version: string
  readonly idleMs: number
  /** Absent: requests are not logged. */
  readonly requests?: RequestLog
  readonly clock: Clock
  readonly log: Log
}

/** Creates the handler. It answers every exchange itself and throws nothing. */
export function createRoutingRecords(parts: RoutingRecordsDeps): RequestHandler {
  const { clock, log, requests = silentRequestLog } = parts
  return async (exchange) => {
    const { response } = exchange
    const progress = beginProgress(clock, requests)
    const upload = new UploadBody(
      exchange,
      { bytesMax: ipnsRecordBytesMax, idleMs: parts.idleMs },
      clock,
    )
    response.setHeader('Server', `cairn/${parts.version}`)
    response.setHeader('x-request-id', exchange.requestId)
    try {
      await answer(parts, exchange, upload, progress)
    } catch (thrown) {
      const fault = Fault.from(thrown)
      progress.fault = fault
      if (fault.code === 'internal') {
        log('error', 'routing request failed', {
          requestId: exchange.requestId,
          cause: fault.cause,
        })
      }
      sendRefusal(exchange, refusalFor(fault), { bodyEnded: upload.ended, clock })
    }
    reportExchange({ requests, clock }, exchange, 'ipfs', progress, upload.bytes)
  }
}

async function answer(
  { gateway, put }: RoutingRecordsDeps,
  exchange: NodeExchange,
  upload: UploadBody,
  progress: Progress,
): Promise<void> {
  const { method, request, response, signal } = exchange
  progress.method = put.name
  if (method !== 'PUT') throw new Fault('wrong_http')
  if (isAmbient(request.headers)) throw new Fault('browser_refused')
  const caller = await gateway.authenticateFiles(readFilesCredential(exchange), put.name)
  progress.caller = caller
  upload.checkDeclared()
  const { settle } = await gateway.runFiles({
    caller,
    operation: put,
    request: {
      args: [decodeOrSame(exchange.path.slice(routingRecordsPath.length))],
      options: new Map(),
      entries: oneEntry(upload),
      host: request.headers.host ?? '',
    },
    upload,
    connected: () => !response.destroyed,
    signal,
  })
  response.writeHead(200, { 'Content-Length': 0 }).end()
  settle(null, { in: upload.bytes, out: 0 })
}

/** The whole body as one file entry; it has at most `ipnsRecordBytesMax` bytes. */
async function* oneEntry(upload: UploadBody): AsyncGenerator<UploadEntry> {
  yield { kind: 'file', path: 'record', content: contentOf(upload) }
}

async function* contentOf(upload: UploadBody): AsyncGenerator<Uint8Array> {
  const chunks: Buffer[] = []
  await upload.feed((chunk) => {
    chunks.push(Buffer.from(chunk))
    return true
  })
  yield Buffer.concat(chunks)
}

/** A failure that Kubo answers with 500 means that the client sent a bad record. */
function refusalFor(fault: Fault): Refusal {
  const refusal = refusalOf(fault)
  return fault.code === 'command_failed' ? { ...refusal, status: 400 } : refusal
}

// The IPFS API: `/api/v0/*` as in Kubo's HTTP RPC API, with Basic authentication. The order of checks is fixed, and no check reads
// the body. The pipeline applies the rules of the service.
import type {
  CommandDeclaration,
  CommandRequest,
  KuboCommand,
  KuboPipeline,
} from './kubo-command.ts'
import type { Caller } from '../access/accounts/caller.ts'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import type { Inspection } from '../pipeline/inspector/inspection.ts'
import type { Inspector } from '../pipeline/inspector/inspector.ts'
import { isAmbient } from '../http/cross-origin.ts'
import {
  type Route,
  argumentLines,
  commandName,
  parseCommandLine,
  requireArgument,
  routeCommand,
} from './command-line.ts'
import type { RequestHandler, NodeExchange } from '../http/node-exchange.ts'
import { readFilesCredential } from '../pipeline/authenticate-request.ts'
import { kuboHeaders, optionsHeaders, sendReply } from './kubo-reply.ts'
import { isOriginRefused, refusalOf, sendRefusal, textOf } from '../pipeline/files-refusal.ts'
import { type RequestLog, silentRequestLog } from '../pipeline/request-log/finished-request.ts'
import {
  type Progress,
  beginProgress,
  reportExchange,
} from '../pipeline/request-log/report-exchange.ts'
import { findBoundary, readParts } from './multipart.ts'
import { UploadBody, readText, uploadEntries } from './upload-body.ts'

export type FilesSettings = {
  /** Maximum size of one request body; null: no limit. */
  readonly uploadBytesMax: number | null
  /** Ends a request whose client neither sends nor reads a byte for this long. */
  readonly idleMs: number
}

export const defaultFilesSettings: FilesSettings = { uploadBytesMax: null, idleMs: 60_000 }

export type IpfsApiDeps = {
  readonly gateway: KuboPipeline
  /** Offered commands by name. */
  readonly commands: ReadonlyMap<string, KuboCommand<unknown>>
  /** Version of Cairn, for the Server header. */
  readonly version: string
  readonly settings: FilesSettings
  readonly inspector: Pick<Inspector, 'begin'>
  /** Absent: requests are not logged. */
  readonly requests?: RequestLog
  readonly clock: Clock
  readonly log: Log
}

const base = '/api/v0/'
const argumentBytesMax = 1_048_576

/** A caller that is already authenticated. */
export type FilesEntry = {
  readonly caller: Caller
  /** `/api/v0/<command>`, used instead of the path of the exchange. */
  readonly path: string
}

/** Creates the handler. It answers every exchange itself and throws nothing. */
export function createIpfsApi(parts: IpfsApiDeps, entry: FilesEntry | null = null): RequestHandler {
  const { clock, log, settings, requests = silentRequestLog } = parts
  return async (exchange) => {
    const { request, response } = exchange
    const progress = beginProgress(clock, requests)
    const upload = new UploadBody(
      exchange,
      { bytesMax: settings.uploadBytesMax, idleMs: settings.idleMs },
      clock,
    )
    response.setHeaders(new Headers(kuboHeaders(request.headers, parts.version)))
    response.setHeader('x-request-id', exchange.requestId)
    try {
      if (request.method === 'OPTIONS') {
        const answer = { status: 204, headers: optionsHeaders(request.headers), body: '' }
        sendRefusal(exchange, answer, { bodyEnded: upload.ended, clock })
        return
      }
      await answerCommand(parts, exchange, { upload, entry, progress })
    } catch (thrown) {
      const fault = Fault.from(thrown)
      progress.fault = fault
      if (fault.code === 'internal') {
        log('error', 'file request failed', {
          requestId: exchange.requestId,
          cause: fault.cause,
        })
      }
      if (response.headersSent) response.destroy()
      else {
        // A page of an origin that is not listed must not be able to read the refusal either.
        if (isOriginRefused(fault)) response.removeHeader('Access-Control-Allow-Origin')
        const refusal = wantsText(exchange) ? textOf(refusalOf(fault), fault) : refusalOf(fault)
        sendRefusal(exchange, refusal, { bodyEnded: upload.ended, clock })
        progress.sent.bytes = Buffer.byteLength(refusal.body)
      }
    }
    reportExchange({ requests, clock }, exchange, 'ipfs', progress, upload.bytes)
  }
}

async function answerCommand(
  parts: IpfsApiDeps,
  exchange: NodeExchange,
  {
    upload,
    entry,
    progress,
  }: {
    readonly upload: UploadBody
    readonly entry: FilesEntry | null
    readonly progress: Progress
  },
): Promise<void> {
  const arrived = parts.clock.monotonic()
  const { requestId } = exchange
  const { headers, method } = exchange.request
  const fullPath = entry?.path ?? exchange.path
  if (!fullPath.startsWith(base)) throw new Fault('no_command')
  if (method !== 'POST') throw new Fault('wrong_http', { detail: '405 - Method Not Allowed' })
  if (isAmbient(headers)) throw new Fault('browser_refused')
  const path = fullPath.slice(base.length)
  const credential =
    entry === null
      ? readFilesCredential(exchange)
      : { key: null, secret: null, requestId, ...entry }
  const counted = countedAs(parts, path)
  progress.method = counted
  const caller = await parts.gateway.authenticateFiles(
    credential,
    commandName(parts.commands, path),
    counted,
  )
  progress.caller = caller
  const { sent } = progress
  if (!caller.settings.inspect && progress.timeline === null) {
    return await runCommand(parts, exchange, upload, { caller, path, sent, inspection: null })
  }
  const where = { face: 'files', transport: 'http', network: null } as const
  const inspection = parts.inspector.begin(caller, { ...where, arrived, credential })
  inspection.timeline.reached('auth')
  if (progress.timeline !== null) progress.timeline = inspection.timeline
  let fault: Fault | null = null
  try {
    await runCommand(parts, exchange, upload, { caller, path, sent, inspection })
  } catch (thrown) {
    fault = Fault.from(thrown)
    throw thrown
  } finally {
    inspection.timeline.reached('reply')
    const status = fault === null ? exchange.response.statusCode : refusalOf(fault).status
    inspection.end({ fault, status, bytesIn: upload.bytes, bytesOut: sent.bytes })
  }
}

/** The name for usage: unknown commands are not counted by their own names. */
function countedAs({ commands }: IpfsApiDeps, path: string): string {
  const name = commandName(commands, path)
  return commands.has(name) ? name : 'other'
}

type Entered = {
  readonly caller: Caller
  /** Path of the command. */
  readonly path: string
  /** Counts the body bytes of the response. */
  readonly sent: { bytes: number }
  readonly inspection: Inspection | null
}

async function runCommand(
  parts: IpfsApiDeps,
  exchange: NodeExchange,
  upload: UploadBody,
  { caller, path, sent, inspection }: Entered,
): Promise<void> {
  const { operation, request } = await readCommand(parts, path, exchange, upload).catch(
    (thrown) => {
      parts.gateway.countRefusal(caller, countedAs(parts, path), Fault.from(thrown))
      throw thrown
    },
  )
  const recorded = operation.hidesArguments === true ? { ...request, args: [] } : request
  inspection?.recordCommand(operation.name, recorded)
  inspection?.timeline.reached('parse')
  const run = await parts.gateway.runFiles({
    caller,
    operation,
    request,
    upload,
    inspection,
    connected: () => isConnected(exchange),
    signal: exchange.signal,
  })
  const isEndless = run.reply.kind === 'events' && run.reply.endless === true
  if (isEndless) exchange.endAtStop()
  let fault: Fault | null = null
  try {
    const terms = {
      clock: parts.clock,
      idleMs: parts.settings.idleMs,
      uploading: request.entries !== null,
      asText: request.options.get('encoding') === 'text',
      download: run.download,
    }
    await sendReply(exchange, run.reply, terms, sent)
  } catch (thrown) {
    const failure = Fault.from(thrown)
    if (isEndless && exchange.response.headersSent && isEnd(failure)) exchange.response.end()
    else {
      fault = failure
      throw thrown
    }
  } finally {
    run.settle(fault, { in: upload.bytes, out: sent.bytes })
  }
}

/** Ends an endless reply: the client has left, or the server stops. */
function isEnd({ code }: Fault): boolean {
  return code === 'hung_up' || code === 'shutting_down'
}

/** The command of the path, and its request. */
async function readCommand(
  parts: IpfsApiDeps,
  path: string,
  exchange: NodeExchange,
  upload: UploadBody,
) {
  const route = routeCommand(parts.commands, path)
  return { operation: route.command, request: await readRequest(route, exchange, upload) }
}

/** Command line and body as one request. Reads the body here only if it may contain arguments. */
async function readRequest(
  route: Route<CommandDeclaration>,
  exchange: NodeExchange,
  upload: UploadBody,
): Promise<CommandRequest> {
  const { headers } = exchange.request
  const { host = '' } = headers
  const { command } = route
  const { args, options } = parseCommandLine(route, new URLSearchParams(exchange.query))
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new Fault('wrong_media', { detail: 'content encoding of a request is not supported' })
  }
  if (command.body === 'entries') {
    if (command.file !== undefined) requireArgument(command, args)
    const boundary = findBoundary(headers['content-type'])
    if (boundary === null) {
      const detail = `file argument '${command.file ?? command.argument?.name}' is required`
      throw new Fault('bad_argument', { detail })
    }
    upload.checkDeclared()
    return { args, options, entries: uploadEntries(readParts(upload, boundary)), host }
  }
  upload.checkDeclared()
  const boundary = command.body === 'lines' ? findBoundary(headers['content-type']) : null
  const all = boundary === null ? args : [...args, ...(await bodyArguments(upload, boundary))]
  requireArgument(command, all)
  return { args: all, options, entries: null, host }
}

/** Arguments from the lines of the first file part; the rest of the body is discarded. */
async function bodyArguments(upload: UploadBody, boundary: string): Promise<readonly string[]> {
  let lines: readonly string[] = []
  let first = true
  for await (const { head, content } of readParts(upload, boundary)) {
    if (first && head.kind === 'file') {
      lines = argumentLines(await readText(content, argumentBytesMax))
      first = false
    }
    if (upload.bytes > 2 * argumentBytesMax) throw new Fault('too_large')
  }
  return lines
}

/** Also works for a command line that could not be parsed. */
function wantsText({ query }: NodeExchange): boolean {
  if (!query.includes('text')) return false
  const options = new URLSearchParams(query)
  return (options.get('encoding') ?? options.get('enc')) === 'text'
}

function isConnected(exchange: NodeExchange): boolean {
  const { request, response } = exchange
  return !response.destroyed && !request.socket.destroyed && !exchange.signal.aborted
}

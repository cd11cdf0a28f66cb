// The HTTP endpoint of the gateway: `GET|HEAD /ipfs/<cid>[/path]`, the same for `/ipns/<name>`, or any path of a content host, as
// raw blocks, CARs or, if enabled, files and directories. Converts request headers to parameters, and replies to response headers;
// the pipeline applies the rules.
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import { type FilesDownload, measuredStream } from '../pipeline/transfer.ts'
import type { GatewayPipeline } from './gateway-pipeline.ts'
import type { PathContent, PathOperation, PathReply } from './path-operation.ts'
import { absenceOf } from './create-gateway-pipeline.ts'
import { parseAccept } from '../http/accept-header.ts'
import { isAmbient, isOfPage } from '../http/cross-origin.ts'
import { type ByteRange, hasDirective, namesTag, readRange } from '../http/conditional-request.ts'
import { readFilesCredential } from '../pipeline/authenticate-request.ts'
import { isOriginRefused } from '../pipeline/files-refusal.ts'
import type { RequestHandler, NodeExchange } from '../http/node-exchange.ts'
import {
  cacheHeaders,
  contentHeaders,
  pathHeaders,
  preflightHeaders,
} from './ipfs-gateway-headers.ts'
import { pathRefusalOf } from './ipfs-gateway-refusal.ts'
import { type ChosenFormat, chooseFormat, readPath, readQuery } from './ipfs-gateway-request.ts'
import { sendChunks } from '../http/send-chunks.ts'
import { type RequestLog, silentRequestLog } from '../pipeline/request-log/finished-request.ts'
import {
  type Progress,
  beginProgress,
  reportExchange,
} from '../pipeline/request-log/report-exchange.ts'
import type { ContentHost } from './content-host.ts'
import {
  contentPathOf,
  findLocation,
  hostOf,
  originOf,
  routingPath,
  withQuery,
} from './content-location.ts'
import { isLocalClient } from './local-client.ts'

export type IpfsGatewaySettings = {
  readonly enabled: boolean
  /** Whether files and directories are served, in addition to formats that clients can verify. */
  readonly deserialized: boolean
  /** Host name for content only; null: none. */
  readonly host: string | null
  /** Whether paths of that host are redirected to the host name of their root. */
  readonly subdomains: boolean
  /** DNS names whose hosts serve the site that their DNSLink refers to. */
  readonly sites: readonly string[]
  /** The server is for one machine: requests from it read pinned content on `host` without a key. */
  readonly local: boolean
  /** Contact for questions about denied content: an e-mail address or a URL; null: none. */
  readonly abuseContact: string | null
  /** A reply is ended if the client reads no byte for this long. */
  readonly idleMs: number
}

type PathOperations = {
  readonly raw: PathOperation<unknown>
  readonly car: PathOperation<unknown>
  readonly tar: PathOperation<unknown>
  readonly content: PathOperation<unknown>
  readonly record: PathOperation<unknown>
}

export type IpfsGatewayDeps = {
  readonly gateway: GatewayPipeline
  readonly operations: PathOperations
  /** Version of Cairn, for the Server header. */
  readonly version: string
  /** Read for each request. */
  readonly settings: IpfsGatewaySettings
  /** Absent: requests are not logged. */
  readonly requests?: RequestLog
  readonly clock: Clock
  readonly log: Log
}

/** Creates the handler. It answers every exchange itself and throws nothing. */
export function createIpfsGateway(parts: IpfsGatewayDeps): RequestHandler {
  const { clock, requests = silentRequestLog } = parts
  return async (exchange) => {
    const { request, response } = exchange
    const progress = beginProgress(clock, requests)
    response.setHeaders(new Headers(pathHeaders(parts.version)))
    response.setHeader('x-request-id', exchange.requestId)
    try {
      if (!parts.settings.enabled) throw new Fault('no_command')
      if (request.method === 'OPTIONS') {
        response.writeHead(204, preflightHeaders()).end()
        return
      }
      await answer(parts, exchange, progress)
    } catch (thrown) {
      const fault = absenceOf(thrown)
      progress.fault = fault
      if (fault.code === 'internal') {
        const { requestId } = exchange
        parts.log('error', 'path request failed', { requestId, cause: fault.cause })
      }
      // A truncated body must never look complete.
      if (response.headersSent) response.destroy()
      else {
        const shown = promptsBrowser(parts, exchange, fault) ? new Fault('browser_refused') : fault
        refuse(exchange, shown, parts.settings.abuseContact)
      }
    }
    reportExchange({ requests, clock }, exchange, 'gateway', progress, 0)
  }
}

async function answer(
  parts: IpfsGatewayDeps,
  exchange: NodeExchange,
  progress: Progress,
): Promise<void> {
  const { gateway, settings } = parts
  const { method, headers } = exchange.request
  if (method !== 'GET' && method !== 'HEAD') throw new Fault('wrong_http')
  const host = hostOf(parts.settings, exchange)
  const query = readQuery(exchange.query)
  const elsewhere = findLocation(settings, exchange, host, query)
  if (elsewhere !== null) return redirect(exchange, elsewhere.url, elsewhere.status)
  const credential = headers.authorization === undefined ? null : readFilesCredential(exchange)
  // Credentials that a browser adds by itself would also be sent to the commands.
  if (credential !== null && host === null && isAmbient(headers)) {
    throw new Fault('browser_refused')
  }
  const isOnContentHost = host !== null && host.kind !== 'site'
  const local = settings.local && isOnContentHost && isLocalClient(exchange.request)
  const isRouted = host === null && exchange.path.startsWith(routingPath)
  const chosen = isRouted ? recordFormat : chooseIn(query, headers.accept)
  const operation = operationOf(parts.operations, chosen.format)
  progress.method = operation.name
  const caller = await gateway.authenticatePath(credential, operation.name, local)
  progress.caller = caller
  progress.timeline?.reached('auth')
  let parsed: { readonly chosen: ChosenFormat; readonly path: PathOfContent }
  try {
    parsed = parseRequest(parts, exchange, chosen, host)
  } catch (thrown) {
    gateway.countPathRefusal(caller, operation.name, Fault.from(thrown))
    throw thrown
  }
  const { shown, from, ...path } = parsed.path
  const { reply, ttlMs, download, settle } = await gateway.runPath({
    caller,
    address: exchange.address,
    operation,
    from,
    request: {
      ...path,
      ...formatMembersOf(parsed.chosen),
      query,
      search: exchange.query,
      origin: originOf(host),
    },
    local,
    cachedOnly: hasDirective(headers['cache-control'], 'only-if-cached'),
    // RFC 8586: the header that sources of this server send, too.
    readsBlocks: operation === parts.operations.raw && !isOfPage(headers),
    forCairn: /(^|,)\s*cairn\s*([;,]|$)/i.test(String(headers['cdn-loop'] ?? '')),
    signal: exchange.signal,
  })
  const { sent, timeline } = progress
  timeline?.reached('run')
  let fault: Fault | null = null
  try {
    const isIsolated = isSingleRootOrigin(host)
    const terms = {
      chosen: parsed.chosen,
      path: shown,
      ttlMs,
      isOpen: caller === null,
      isLocal: local && caller === null,
      isIsolated,
      download,
    }
    await sendReply(parts, exchange, reply, terms, sent)
    timeline?.reached('reply')
  } catch (thrown) {
    fault = absenceOf(thrown)
    throw thrown
  } finally {
    settle(fault, sent.bytes, exchange.response.statusCode)
  }
}

const recordFormat: ChosenFormat = {
  format: 'ipns-record',
  accepted: new Map(),
  negotiated: false,
  acceptsHtml: false,
}

type PathOfContent = ReturnType<typeof readPath>

function operationOf(
  operations: PathOperations,
  format: ChosenFormat['format'],
): PathOperation<unknown> {
  if (format === 'ipns-record') return operations.record
  return format === 'raw' || format === 'car' || format === 'tar'
    ? operations[format]
    : operations.content
}

/** Whether the host belongs to a single root or name. */
function isSingleRootOrigin(host: ContentHost | null): boolean {
  return host !== null && host.kind !== 'paths'
}

function formatMembersOf({ format, accepted, acceptsHtml }: ChosenFormat) {
  return { format, accepted, acceptsHtml }
}

/** Errors in the request that are reported only after authentication. Throws `bad_argument`. */
function parseRequest(
  { settings }: IpfsGatewayDeps,
  { request: { headers }, path }: NodeExchange,
  chosen: ChosenFormat | Unserved,
  host: ContentHost | null,
): { readonly chosen: ChosenFormat; readonly path: PathOfContent } {
  if (chosen instanceof Unserved) throw chosen.fault
  const { format } = chosen
  const isChecked = format === 'raw' || format === 'car' || format === 'ipns-record'
  if (!isChecked && !settings.deserialized && host === null) {
    const detail =
      'ask for ?format=raw or ?format=car: this server gives only what readers can check'
    throw new Fault(format === null ? 'bad_argument' : 'not_acceptable', { detail })
  }
  // The scope of a service worker would include other sites.
  if (headers['service-worker'] === 'script' && !isSingleRootOrigin(host)) {
    throw new Fault('bad_argument', { detail: 'no service workers from this host' })
  }
  return { chosen, path: readPath(contentPathOf(host, path)) }
}

type ReplyContext = {
  readonly chosen: ChosenFormat
  readonly path: string
  /** How long the name of the path refers to the content; null: unlimited. */
  readonly ttlMs: number | null
  /** Served without a key. */
  readonly isOpen: boolean
  readonly isLocal: boolean
  /** Served on the origin of its root. */
  readonly isIsolated: boolean
  /** Null: the reply is not counted for an account. */
  readonly download: FilesDownload | null
}

async function sendReply(
  parts: IpfsGatewayDeps,
  exchange: NodeExchange,
  reply: PathReply,
  context: ReplyContext,
  sent: { bytes: number },
): Promise<void> {
  const { request, response } = exchange
  const { headers } = request
  if (reply.kind === 'moved') {
    // Only one leading slash: two would refer to another server.
    redirect(exchange, withQuery(exchange, `${exchange.path.replace(/^\/+/, '/')}/`))
    return
  }
  if (reply.kind === 'redirected') {
    redirect(exchange, reply.location, reply.status)
    return
  }
  const { tag } = reply
  const { isOpen, isLocal } = context
  const ttlMs = reply.ttlMs ?? context.ttlMs
  // Without a key, pages of other origins receive nothing, not even from a browser's cache.
  if (isLocal) response.removeHeader('Access-Control-Allow-Origin')
  // Conditions and ranges apply to content, not to a page about its absence (RFC 9110 13.2.1).
  const isContent = reply.status === undefined
  if (isContent && namesTag(headers['if-none-match'], tag)) {
    response.writeHead(304, cacheHeaders(tag, { isOpen, isLocal, ttlMs, isGenerated: false })).end()
    return
  }
  const content = await reply.describe()
  const range = isContent ? rangeOf(exchange, content, tag) : null
  const isGenerated = content.generated === true
  const head = {
    ...cacheHeaders(tag, { isOpen, isLocal, ttlMs, isGenerated }),
    ...contentHeaders(content, context.path),
    ...lengthHeaders(content, range),
    ...locationHeaders(exchange, context.chosen),
    // Sites below one content host share a registrable domain; this header asks browsers to separate their memory.
    ...(context.isIsolated ? { 'Origin-Agent-Cluster': '?1' } : {}),
  }
  const status = reply.status ?? (range === null ? 200 : 206)
  if (request.method === 'HEAD') {
    response.writeHead(status, head).end()
    return
  }
  await sendChunks(
    response,
    context.download === null
      ? content.open(range)
      : measuredStream(content.open(range), range?.length ?? content.size, context.download),
    { begin: () => response.writeHead(status, head) },
    {
      clock: parts.clock,
      idleMs: parts.settings.idleMs,
      length: range?.length ?? content.size,
    },
    sent,
  )
}

function redirect({ response }: NodeExchange, location: string, status = 301): void {
  response.writeHead(status, { Location: location, 'Content-Length': 0 }).end()
}

/** Ranges are defined only for GET (RFC 9110 14.2). */
function rangeOf({ request }: NodeExchange, content: PathContent, tag: string): ByteRange | null {
  const { method, headers } = request
  if (method !== 'GET' || !content.ranged || content.size === null) return null
  return readRange(headers.range, content.size, { ifRange: headers['if-range']?.toString(), tag })
}

function lengthHeaders({ size }: PathContent, range: ByteRange | null): Record<string, string> {
  if (size === null) return {}
  if (range === null) return { 'Content-Length': String(size) }
  const last = range.offset + range.length - 1n
  return {
    'Content-Length': String(range.length),
    'Content-Range': `bytes ${range.offset}-${last}/${size}`,
  }
}

/** The URL of the same reply without an Accept header, for caches. */
function locationHeaders(
  { path, query }: NodeExchange,
  { format, accepted, negotiated }: ChosenFormat,
): Record<string, string> {
  if (!negotiated || format === null) return {}
  const parameters = new URLSearchParams(query)
  parameters.set('format', format)
  if (format === 'car') {
    for (const name of ['version', 'order', 'dups']) {
      const value = accepted.get(name)
      if (value !== undefined && !parameters.has(`car-${name}`))
        parameters.set(`car-${name}`, value)
    }
  }
  return { 'Content-Location': `${path}?${parameters.toString()}` }
}

/** A format that Cairn does not serve; reported after authentication. */
class Unserved {
  readonly format = null
  readonly fault: Fault

  constructor(fault: Fault) {
    this.fault = fault
  }
}

function chooseIn(
  query: ReadonlyMap<string, string>,
  accept: string | undefined,
): ChosenFormat | Unserved {
  try {
    return chooseFormat(query, accept)
  } catch (thrown) {
    return new Unserved(Fault.from(thrown))
  }
}

/** If the reply requested credentials, the browser would send them automatically from then on, to the commands too. */
function promptsBrowser(parts: IpfsGatewayDeps, exchange: NodeExchange, { code }: Fault): boolean {
  const refuses = code === 'no_credential' || code === 'bad_secret' || code === 'bad_key'
  return refuses && isAmbient(exchange.request.headers) && hostOf(parts.settings, exchange) === null
}

function refuse(
  { request, response, query }: NodeExchange,
  fault: Fault,
  contact: string | null,
): void {
  const isNamed = readQuery(query).has('format')
  const asPage = !isNamed && parseAccept(request.headers.accept)[0]?.type === 'text/html'
  const { status, headers, body } = pathRefusalOf(fault, { asPage, contact })
  // A page of an origin that is not listed must not be able to read this reply either.
  if (isOriginRefused(fault)) response.removeHeader('Access-Control-Allow-Origin')
  response.writeHead(status, headers).end(request.method === 'HEAD' ? '' : body)
}

// The admin API under `/api/v1/`: parses requests, runs admin operations, replies with JSON. Checks in order: Host, address, origin
// (for changes with a cookie), caller and concurrency, path, body, caller again; then the operation checks the role. No CORS: only
// the dashboard's own origin.
import type { Caller } from '../../access/accounts/caller.ts'
import { Fault } from '../../base/fault.ts'
import { createKeyedSemaphore, type KeyedSemaphore } from '../../base/keyed-semaphore.ts'
import { type Principal, authorizeRole } from '../principal.ts'
import type { NodeExchange, RequestHandler } from '../../http/node-exchange.ts'
import type { RpcApi } from '../../http/routes.ts'
import { networkOf } from '../../base/addresses.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { AdminContext, AdminOperation } from '../admin-operation.ts'
import { adminBase, isBodiless } from '../admin-route.ts'
import { openApi } from '../open-api.ts'
import { runAdmin } from '../run-admin.ts'
import { type Deadlines, boundedDeadlines, createDeadlines } from '../../http/deadlines.ts'
import {
  type AdminConcurrency,
  checkHost,
  checkOrigin,
  createAdminConcurrency,
  ownOrigin,
  readCookie,
  setCookie,
} from './admin-access.ts'
import { sendAdmin, sendAdminRefusal } from './admin-reply.ts'
import { type RequestLog, silentRequestLog } from '../../pipeline/request-log/finished-request.ts'
import {
  type Progress,
  beginProgress,
  reportExchange,
} from '../../pipeline/request-log/report-exchange.ts'
import { type MatchAdmin, createAdminRoutes } from './admin-routes.ts'

/** Credentials of a request; null: none. */
export type AdminCredential = { readonly session: string | null; readonly token: string | null }

/** Null: unauthenticated. Does not throw for an invalid or expired credential. */
export type FindPrincipal = (
  credential: AdminCredential,
) => Principal | null | Promise<Principal | null>

export type AdminHandlerDeps = {
  readonly operations: readonly AdminOperation[]
  readonly context: AdminContext
  readonly findPrincipal: FindPrincipal
  /** Called after each operation that may have changed state, before the reply. */
  readonly changed: () => Promise<void> | void
  readonly settings: {
    /** Allowed host names in addition to those of loopback. */
    readonly hosts: readonly string[]
    /** Whether requests from this client address are allowed. */
    readonly admits: (address: string) => boolean
  }
  /** Runs a call or a command as a key: `createAsKey`. */
  readonly asKey: AsKey
  /** Absent: requests are not logged. */
  readonly requests?: RequestLog
  /** Version of Cairn. */
  readonly version: string
  readonly clock: Clock
  readonly log: Log
}

type BodyLimits = { readonly bytesMax: number; readonly deadlines: Deadlines }

const bodyBytesMax = 1_048_576
const bodyMs = 30_000
/** Maximum body of requests without a session or token. */
const strangerBodyBytesMax = 16_384
const strangerBodyMs = 3_000
/** Concurrent reads of such bodies; one more aborts the oldest. Most bodies arrive with their head. */
const strangerBodiesMax = 256
const viewsPerPersonMax = 16

/** Creates the handler. It replies to every exchange itself and does not throw. */
export function createAdminHandler(parts: AdminHandlerDeps): RequestHandler {
  const { clock, log, requests = silentRequestLog } = parts
  const api = {
    ...parts,
    match: createAdminRoutes(parts.operations),
    bodies: {
      person: { bytesMax: bodyBytesMax, deadlines: createDeadlines(bodyMs, clock) },
      stranger: {
        bytesMax: strangerBodyBytesMax,
        deadlines: boundedDeadlines(createDeadlines(strangerBodyMs, clock), strangerBodiesMax),
      },
    },
    views: createKeyedSemaphore(viewsPerPersonMax),
    shares: createAdminConcurrency(),
  }
  return async (exchange) => {
    const allowed = { methods: null as string | null }
    const progress = beginProgress(clock, requests)
    const received = { bytes: 0 }
    exchange.response.setHeader('x-request-id', exchange.requestId)
    try {
      await answer(api, exchange, { allowed, progress, received })
      // The API that served the request has already logged it.
      if (progress.method === asKeyName) return
    } catch (thrown) {
      const fault = Fault.from(thrown)
      progress.fault = fault
      if (fault.code === 'internal') {
        log('error', 'admin request failed', {
          requestId: exchange.requestId,
          cause: fault.cause,
        })
      }
      sendAdminRefusal(exchange, fault, allowed.methods)
    }
    progress.sent.bytes = Number(exchange.response.getHeader('content-length') ?? 0)
    reportExchange({ requests, clock }, exchange, 'admin', progress, received.bytes)
  }
}

/** Name in the log of a JSON-RPC call or IPFS command that runs as a key. */
const asKeyName = 'asKey'

/** Serves requests to `rpc/`, `files/` and `uploads` below `…/keys/{key}/`; false: another path. */
export type AsKey = (
  exchange: NodeExchange,
  path: string,
  actor: Principal | null,
) => Promise<boolean>

export type AsKeyParts = {
  /** The key as authenticated with its secret, without its allowlists; null: no such key in the account, or it has expired. */
  readonly callerOf: (accountId: string, keyId: string) => Caller | null | Promise<Caller | null>
  readonly rpc: RpcApi
  /** The IPFS API for an authenticated caller; `path`: `/api/v0/<command>`. */
  readonly files: (as: { readonly caller: Caller; readonly path: string }) => RequestHandler
  /** Resumable uploads for an authenticated caller; `path`: the part after `/tus/files`. */
  readonly uploads: (as: { readonly caller: Caller; readonly path: string }) => RequestHandler
}

const asKeyForm = /^\/accounts\/([^/]+)\/keys\/([^/]+)\/(?:(rpc|files)\/(.+)|uploads(\/.+)?)$/

export function createAsKey({ callerOf, rpc, files, uploads }: AsKeyParts): AsKey {
  return async (exchange, path, actor) => {
    const match = asKeyForm.exec(path)
    if (match === null) return false
    const [, account = '', key = '', face = 'uploads', rest = '', upload = ''] = match
    const caller = await callerAs(actor, account, key)
    if (face === 'uploads') await uploads({ caller, path: upload })(exchange)
    else if (face === 'files') await files({ caller, path: `/api/v0/${rest}` })(exchange)
    else await rpc(exchange, { network: rest, webSocket: false, key: null, caller })
    return true
  }

  async function callerAs(actor: Principal | null, account: string, key: string): Promise<Caller> {
    authorizeRole('member', account, actor)
    const caller = await callerOf(account, key)
    if (caller === null) throw new Fault('absent', { detail: `there is no key ${key} that works` })
    return caller
  }
}

/** `/openapi.json`, public. */
export function createOpenApiHandler({
  operations,
  version,
}: Pick<AdminHandlerDeps, 'operations' | 'version'>): () => string {
  let document: string | null = null
  return () => (document ??= JSON.stringify(openApi(operations, version)))
}

type ApiParts = AdminHandlerDeps & {
  readonly match: MatchAdmin
  readonly bodies: { readonly person: BodyLimits; readonly stranger: BodyLimits }
  /** Open live views, by ID of the person. */
  readonly views: KeyedSemaphore
  /** Limits of concurrent requests. */
  readonly shares: AdminConcurrency
}

/** State of one request. `allowed`: methods of its path, for an error; `received`: bytes of its body. */
type Seen = {
  readonly allowed: { methods: string | null }
  readonly progress: Progress
  readonly received: { bytes: number }
}

async function answer(parts: ApiParts, exchange: NodeExchange, seen: Seen): Promise<void> {
  const { request } = exchange
  const { headers } = request
  checkHost(headers.host, parts.settings.hosts)
  if (!parts.settings.admits(exchange.address)) throw new Fault('wrong_address')
  const method = request.method ?? ''
  const token = bearer(headers.authorization)
  // A token comes from a program: no page can make a browser send it.
  if (token === null && method !== 'GET' && method !== 'HEAD') checkOrigin(headers)
  const session = readCookie('session', headers.cookie, headers.host, headers.origin)
  const credential = token === null ? { session, token } : { session: null, token }
  const actor = await parts.findPrincipal(credential)
  seen.progress.timeline?.reached('auth')
  // An unauthenticated caller acquires a slot only after its body arrived: slow bodies must not occupy the slots of others.
  const release = actor === null ? null : parts.shares.acquire(actor, networkOf(exchange.address))
  try {
    await answerAs({ credential, actor }, parts, exchange, seen)
    seen.progress.timeline?.reached('run')
  } finally {
    release?.()
  }
}

type Requester = { readonly credential: AdminCredential; readonly actor: Principal | null }

async function answerAs(
  requester: Requester,
  parts: ApiParts,
  exchange: NodeExchange,
  { allowed, progress, received }: Seen,
): Promise<void> {
  const { actor } = requester
  const fullPath = exchange.path
  const path = fullPath.slice(adminBase.length)
  const method = exchange.request.method ?? ''
  if (await parts.asKey(exchange, path, actor)) {
    progress.method = asKeyName
    return
  }

  const matched = parts.match(method === 'HEAD' ? 'GET' : method, path)
  if (matched === null) throw new Fault('absent', { detail: `there is no ${method} ${fullPath}` })
  if (matched.operation === null) {
    allowed.methods = matched.allowed.join(', ')
    throw new Fault('wrong_http', { detail: `${method} is not offered here` })
  }
  const { operation, names } = matched
  progress.method = operation.id
  if (method === 'HEAD' && operation.form === 'events') {
    // HEAD would keep the stream open without events.
    allowed.methods = 'GET'
    throw new Fault('wrong_http', { detail: 'HEAD is not offered here' })
  }
  const viewer = operation.form === 'events' && actor?.kind === 'person' ? actor.personId : null
  if (viewer !== null && !parts.views.acquire(viewer)) {
    const detail = `at most ${viewsPerPersonMax} live views per person: close one`
    throw new Fault('overloaded', { detail })
  }
  try {
    await runAndSend(requester, parts, exchange, { operation, names, received })
  } finally {
    if (viewer !== null) parts.views.release(viewer)
  }
}

async function runAndSend(
  requester: Requester,
  parts: ApiParts,
  exchange: NodeExchange,
  {
    operation,
    names,
    received,
  }: Pick<Seen, 'received'> & {
    readonly operation: AdminOperation
    readonly names: Readonly<Record<string, string>>
  },
): Promise<void> {
  const { bodies, shares } = parts
  const bodiless = isBodiless(operation)
  const limits = requester.actor === null ? bodies.stranger : bodies.person
  const rest = bodiless ? readQuery(exchange) : await readJson(exchange, limits, received)
  const release =
    requester.actor === null ? shares.acquire(null, networkOf(exchange.address)) : null
  try {
    await runWith(requester, parts, exchange, { operation, names, rest, bodiless })
  } finally {
    release?.()
  }
}

async function runWith(
  requester: Requester,
  parts: ApiParts,
  exchange: NodeExchange,
  {
    operation,
    names,
    rest,
    bodiless,
  }: {
    readonly operation: AdminOperation
    readonly names: Readonly<Record<string, string>>
    readonly rest: Readonly<Record<string, unknown>>
    readonly bodiless: boolean
  },
): Promise<void> {
  const { headers } = exchange.request
  const { credential } = requester
  // A body takes up to half a minute: check again for a session that ended or a role that was removed.
  const actor = bodiless ? requester.actor : await parts.findPrincipal(credential)
  // Path parameters take precedence over body members.
  const sent: Readonly<Record<string, unknown>> = { ...rest, ...names }
  const cookies: string[] = []
  const cookie = (
    kind: Parameters<typeof setCookie>[0],
    value: Parameters<typeof setCookie>[1],
  ): void => {
    cookies.push(setCookie(kind, value, headers.host, headers.origin))
  }
  const reply = await runAdmin(operation, sent, {
    ...parts.context,
    actor,
    origin: {
      address: exchange.address,
      userAgent: headers['user-agent'] ?? null,
      device: readCookie('device', headers.cookie, headers.host, headers.origin),
      page: ownOrigin(headers),
    },
    session: {
      begin: (begun) => cookie('session', begun),
      end: () => cookie('session', null),
      remember: (device) => cookie('device', device),
    },
    signal: exchange.signal,
  })
  if (operation.method !== 'GET') await parts.changed()
  const mayStill = async (): Promise<boolean> => {
    try {
      const account = typeof sent['account'] === 'string' ? sent['account'] : null
      authorizeRole(operation.role, account, await parts.findPrincipal(credential))
      return true
    } catch (thrown) {
      // If the database cannot be read now, the next check decides.
      return Fault.from(thrown).row.status >= 500
    }
  }
  await sendAdmin(exchange, reply, cookies, { clock: parts.clock, mayStill })
}

function bearer(authorization: string | undefined): string | null {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? null
}

/** A repeated name is refused, because it is ambiguous. */
function readQuery(exchange: NodeExchange): Readonly<Record<string, unknown>> {
  const read = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(exchange.query)) {
    if (read.has(name)) throw new Fault('bad_input', { detail: `${name} was sent twice` })
    read.set(name, value)
  }
  return Object.fromEntries(read)
}

async function readJson(
  exchange: NodeExchange,
  { bytesMax, deadlines }: BodyLimits,
  received: Seen['received'],
): Promise<Readonly<Record<string, unknown>>> {
  const { headers } = exchange.request
  const declared = Number(headers['content-length'] ?? 0)
  if (declared > bytesMax) throw new Fault('too_large')
  exchange.acceptBody()
  const body = await exchange.readBody(bytesMax, deadlines)
  received.bytes = body.bytes.length
  if (body.ending === 'over') throw new Fault('too_large')
  if (body.ending === 'gone') throw new Fault('hung_up')
  if (body.ending === 'late') throw new Fault('body_deadline')
  if (body.bytes.length === 0) return {}
  if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) throw new Fault('wrong_media')
  let value: unknown
  try {
    value = JSON.parse(body.bytes.toString('utf8'))
  } catch (cause) {
    throw new Fault('bad_input', { detail: 'the body is not JSON', cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Fault('bad_input', { detail: 'the body is expected to be a JSON object' })
  }
  return value as Record<string, unknown>
}

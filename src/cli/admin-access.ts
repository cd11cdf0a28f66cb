// Runs the admin operations of a command on the data folder, with the operator's rights, or on a server, with a token. Operations,
// input, output and errors are the same in both cases.
// Tested by test/admin/admin.test.ts
import type { Command } from 'commander'
import type { CID } from 'multiformats/cid'
import { AccountsRefusal } from '../access/accounts/account-rules.ts'
import { obtainSealSecret } from '../access/accounts/server-identity.ts'
import { systemClock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { silentLog } from '../base/log.ts'
import type { AdminOperation } from '../admin/admin-operation.ts'
import { routeOf } from '../admin/admin-route.ts'
import { type AdminCaller, createAdminCaller, requestOf } from '../admin/client.ts'
import { adminOperations, auditedActions } from '../admin/index.ts'
import { runAdmin } from '../admin/run-admin.ts'
import { createHttpClient, HttpTrouble } from '../ipfs/sources/http-client.ts'
import { createOwnDenials, type DenyDecision } from '../ipfs-gateway/own-denials.ts'
import { createPinRequests } from '../ipfs/pins/pin-requests.ts'
import { denyPathsOf, openDenyLists } from '../server/deny-lists.ts'
import { createNetworkAdmin } from '../server/network-admin.ts'
import { openAlertsView } from '../server/open-access.ts'
import { openPinRows, openUsageView } from '../server/open-admin.ts'
import type { Context, SharedOptions } from './context.ts'
import { openData } from './open-data.ts'
import { addSharedOptions } from './shared-options.ts'
import { noAnswer, type UsualServer, usualServer } from './server-access.ts'
import { UsageError } from './usage-error.ts'

export type AdminOptions = SharedOptions & { readonly url?: string }

export type AdminAccess = AsyncDisposable & {
  /** Rejects with the error of the operation; the message is the same as from the server. */
  readonly call: AdminCaller
}

/** A server refused an operation. `message` and `code` are those of its error reply. */
export class ServerRefusal extends Error {
  override readonly name = 'ServerRefusal'
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

/** The shared options, and `--url` for a remote server. */
export function addAdminOptions(command: Command): Command {
  return addSharedOptions(command).option(
    '--url <url>',
    'server to use, with a token in CAIRN_TOKEN (the local data folder)',
  )
}

/** `make`: creates a missing data folder. Throws UsageError, ConfigError, or an Error with a message for the user. */
export async function openAdminAccess(
  context: Context,
  options: AdminOptions,
  { make = false }: { readonly make?: boolean } = {},
): Promise<AdminAccess> {
  const token = context.env['CAIRN_TOKEN'] ?? ''
  if (token !== '') {
    const { url } = options
    return remote(url === undefined ? await usualServer(context, options) : { url }, token)
  }
  if (options.url !== undefined) {
    throw new UsageError('no token: create one in the dashboard and set CAIRN_TOKEN')
  }
  return await local(context, options, make)
}

async function local(
  context: Context,
  options: SharedOptions,
  make: boolean,
): Promise<AdminAccess> {
  const data = await openData(context, options, { make })
  const call = {
    accounts: data.accounts,
    cards: data.cards,
    publicKeys: data.publicKeys,
    pins: openPinRows(data.fileRows, systemClock),
    pinRequests: createPinRequests({
      rows: data.fileRows,
      clock: systemClock,
      queued: () => {},
      // A running server notices the removal at its next attempt.
      removed: () => {},
    }),
    identity: data.identity,
    usage: openUsageView({ rows: data.rows, clock: systemClock, usage: null }),
    alerts: openAlertsView({
      rows: data.rows,
      sealSecret: () => obtainSealSecret(data.config),
      settings: { now: data.config },
    }),
    server: null,
    networks: createNetworkAdmin({
      settings: () => data.config,
      saved: data.savedNetworks,
      live: null,
    }),
    denials: {
      ...createOwnDenials({ rows: data.rows, clock: systemClock }),
      decide: (cid: CID, segments: readonly string[]) => decideFromLists(data, cid, segments),
    },
    ipnsKeys: null,
    serverSettings: null,
    backups: null,
    inspecting: null,
    tryRequest: null,
    auditedActions,
    clock: systemClock,
    actor: { kind: 'local' },
    origin: { address: null, userAgent: null, device: null, page: null },
    session: { begin: () => {}, end: () => {}, remember: () => {} },
    signal: new AbortController().signal,
  } as const
  return {
    call: createAdminCaller(async (route, input) => {
      const sent = JSON.parse(JSON.stringify(input)) as Record<string, unknown>
      try {
        const reply = await runAdmin(operationOf(route), sent, call)
        return (reply as { value: unknown }).value
      } catch (thrown) {
        // Scripts match the reason of an AccountsRefusal.
        if (thrown instanceof Fault && thrown.cause instanceof AccountsRefusal) throw thrown.cause
        throw thrown
      }
    }),
    [Symbol.asyncDispose]: () => data[Symbol.asyncDispose](),
  }
}

/** Reads the deny lists for this one decision, which takes seconds for large lists. */
async function decideFromLists(
  { config, denials }: Awaited<ReturnType<typeof openData>>,
  cid: CID,
  segments: readonly string[],
): Promise<DenyDecision | null> {
  const lists = await openDenyLists(denyPathsOf(config.gateway), {
    own: denials,
    clock: systemClock,
    log: silentLog,
  })
  lists.stop()
  return lists.decide(cid, segments)
}

function operationOf(route: string): AdminOperation {
  const found = adminOperations.find((operation) => routeOf(operation) === route)
  if (found === undefined) throw new Error(`unknown admin operation ${route}`)
  return found
}

const timeoutMs = 60_000
const replyBytesMax = 64 * 1024 * 1024

function remote(server: UsualServer, token: string): AdminAccess {
  const { url } = server
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError(`--url is "${url}", expected http://<host>:<port>`)
  }
  const { origin } = new URL(url)
  const headers = { authorization: `Bearer ${token}` }
  const client = createHttpClient({ ...server, headers, connections: 1, clock: systemClock })
  return {
    call: createAdminCaller(async (route, input) => {
      const { method, path, query, body } = requestOf(route, input)
      const request = {
        method,
        path,
        query,
        ...(body === null
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: Buffer.from(body) }),
      }
      const never = new AbortController().signal
      const reply = await client
        .send({ ...request, replyBytesMax, timeoutMs }, never)
        .catch((thrown: unknown) => {
          if (!(thrown instanceof HttpTrouble)) throw thrown
          throw noAnswer(url, thrown)
        })
      const value = parse(reply.bytes)
      if (reply.status === 200 && value !== null) return value
      const { error } = (value ?? {}) as { error?: { message?: unknown; code?: unknown } }
      if (typeof error?.message === 'string') {
        throw new ServerRefusal(error.message, String(error.code))
      }
      throw new Error(`${origin} returned ${reply.status}, which is not a reply of Cairn`)
    }),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return null
  }
}

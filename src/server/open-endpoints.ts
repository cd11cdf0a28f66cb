// Opens the APIs and their routes. Each reads its settings at each request.
// Tested by test/server/start.test.ts
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { type Answer, sendAnswer, textAnswer } from '../http/text-answer.ts'
import { type Routes, type RpcApi, parseRpcPath } from '../http/routes.ts'
import { type AdminApi, sendDocument, withMetrics } from '../admin/http/admin-api.ts'
import { readBuiltFiles } from '../http/built-files.ts'
import { createDocsSite, docsPath, type DocsSite } from './docs-site.ts'
import { liveAnswer, livePath, readyAnswer, readyPath } from './open-metrics.ts'
import type { NodeExchange, RequestHandler } from '../http/node-exchange.ts'
import { tusPath } from '../kubo/tus/tus-headers.ts'
import { createPsaHandler, psaPath } from '../kubo/psa/psa-handler.ts'
import type { PinRequests } from '../ipfs/pins/pin-requests.ts'
import type { Clock } from '../base/clock.ts'
import type { FairTimeSlices } from '../base/fair-time-slices.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/settings.ts'
import type { Pipeline } from './open-gateway.ts'
import type { Inspector } from '../pipeline/inspector/inspector.ts'
import type { RequestLog } from '../pipeline/request-log/finished-request.ts'
import type { KuboCommand } from '../kubo/kubo-command.ts'
import { add } from '../kubo/commands/files/add.ts'
import { pathOperations } from '../ipfs-gateway/operations/index.ts'
import { isContentHost } from '../ipfs-gateway/content-location.ts'
import type { DryRunDeps } from '../admin/dry-run.ts'
import type { AsKeyParts } from '../admin/http/admin-handler.ts'
import { createIpfsApi } from '../kubo/ipfs-api.ts'
import { createIpfsGateway, type IpfsGatewaySettings } from '../ipfs-gateway/ipfs-gateway.ts'
import { createRpcApi, defaultRpcSettings, type RpcApiDeps } from '../rpc/api/rpc-api.ts'
import type { RpcPipeline } from '../rpc/rpc-pipeline.ts'
import type { Upgrades } from '../http/upgrade.ts'
import type { ServerParts } from '../http/server.ts'
import { createRoutingRecords, routingRecordsPath } from '../kubo/routing-records.ts'
import { createTusHandler } from '../kubo/tus/tus-handler.ts'
import type { ResumableUploads } from '../kubo/tus/resumable-uploads.ts'
import type { UploadSpace } from '../kubo/tus/upload-space.ts'
import { createWebSocketApi, defaultWebSocketLimits } from '../rpc/api/web-socket-api.ts'
import { gatewayRulesOf } from './private-server.ts'
import { cairnVersion } from './version.ts'

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem}' +
  'pre{background:#8881;padding:1rem;white-space:pre-wrap;overflow-wrap:anywhere;border-radius:6px}'
const styleHash = createHash('sha256').update(style).digest('base64')
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** `host`: the validated Host header, shown in the commands; `networks`: served names, the default first. */
function indexPage(host: string, networks: readonly string[]): Answer {
  const base = `http://${escapeHtml(host)}`
  const rows = networks
    .map((name) => `<li><code>POST /${escapeHtml(name)}/v3/&lt;API_KEY&gt;</code></li>`)
    .join('\n')
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cairn</title>
<style>${style}</style>
</head>
<body>
<h1>Cairn</h1>
<p>Ethereum JSON-RPC and an IPFS API behind API keys. Every answer that can be proved is proved before it is given.</p>
<h2>Ethereum JSON-RPC</h2>
<ul>
<li><code>POST /v3/&lt;API_KEY&gt;</code> (network by Host name, else the default)</li>
<li><code>GET /ws/v3/&lt;API_KEY&gt;</code> (the same over WebSocket, with subscriptions)</li>
${rows}
</ul>
<pre>curl ${base}/v3/&lt;API_KEY&gt; -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'</pre>
<h2>IPFS</h2>
<ul>
<li><code>POST /api/v0/&lt;command&gt;</code> (Basic: key and secret)</li>
<li><code>GET /ipfs/&lt;CID&gt;?format=raw</code>, <code>?format=car</code></li>
<li><code>/psa/pins</code> (Pinning Service API, Bearer: key, colon, secret)</li>
</ul>
<pre>curl -u '&lt;API_KEY&gt;:&lt;API_KEY_SECRET&gt;' -F file=@stone.txt ${base}/api/v0/add</pre>
<h2>Health</h2>
<ul><li><code>GET /livez</code></li><li><code>GET /readyz</code></li></ul>
<h2>Documentation</h2>
<ul><li><a href="${docsPath}/">${docsPath}/</a></li><li><a href="/llms.txt">/llms.txt</a></li></ul>
</body>
</html>
`
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    body,
    headers: {
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    },
  }
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

export type Endpoints = {
  readonly rpc: RpcApi
  /** All of `/api/v0/`. */
  readonly files: RequestHandler
  /**
   * `/ipfs/` and `/ipns/` with any number of leading slashes, reads of `/routing/v1/ipns/`, and all requests for content host
   * names.
   */
  readonly paths: RequestHandler
  /** Writes to `/routing/v1/ipns/`; absent in tests of other parts. */
  readonly routing?: RequestHandler
  /** True for a request to a content host name; absent: there are none. */
  readonly isContentHost?: (exchange: NodeExchange) => boolean
  /** `/tus/files` and all below it; absent: turned off. */
  readonly tus?: RequestHandler
  /** `/psa` and all below it; absent in tests of other parts. */
  readonly psa?: RequestHandler
  /** The admin API; absent: turned off, or on another listener. */
  readonly admin?: AdminApi
  /** `/docs`; absent in tests of other parts. */
  readonly docs?: DocsSite
  /** The start has finished and the stores are open. */
  readonly ready: () => boolean
  /** Names of parts that fail while all others work; absent: none. */
  readonly readyDetails?: () => readonly string[]
  /** Names of the served networks, the default first; shown on the index page. */
  readonly networks: () => readonly string[]
}

/** Routes of a listener by path. */
export function createRoutes(endpoints: Endpoints): Routes {
  return { any: createRouter(endpoints), rpc: endpoints.rpc }
}

/** Routes of a listener for the admin API alone. */
export function createAdminOnlyRoutes(side: AdminApi, docs: DocsSite = () => null): Routes {
  return {
    any(exchange) {
      const answered = side(exchange)
      if (answered !== null) return answered
      const read = docs(exchange)
      if (read !== null) return read
      if (exchange.path === livePath) return sendDocument(exchange, liveAnswer())
      const { request, response } = exchange
      sendAnswer(request, response, textAnswer(404, '404 page not found'))
    },
    rpc: (exchange) =>
      exchange.send({
        status: 404,
        fixed: [],
        own: [],
        text: '',
        ascii: true,
        bodyUnread: true,
        closes: true,
      }),
  }
}

function createRouter(endpoints: Endpoints): RequestHandler {
  return (exchange) => {
    const { path } = exchange
    if (endpoints.isContentHost?.(exchange) === true) return endpoints.paths(exchange)
    const rpcPath = parseRpcPath(path)
    if (rpcPath !== null) return endpoints.rpc(exchange, rpcPath)
    if (path.startsWith('/api/v0/')) return endpoints.files(exchange)
    if (/^\/+ip[fn]s\//.test(path)) return endpoints.paths(exchange)
    const { tus, routing } = endpoints
    if (routing !== undefined && path.startsWith(routingRecordsPath)) {
      const isRead = exchange.method === 'GET' || exchange.method === 'HEAD'
      return isRead ? endpoints.paths(exchange) : routing(exchange)
    }
    if (tus !== undefined && (path === tusPath || path.startsWith(`${tusPath}/`))) {
      return tus(exchange)
    }
    const { psa } = endpoints
    if (psa !== undefined && path.startsWith(`${psaPath}/`)) return psa(exchange)
    // Only null means "not an admin path"; a synchronous reply is undefined.
    const answered = endpoints.admin === undefined ? null : endpoints.admin(exchange)
    if (answered !== null) return answered
    const read = endpoints.docs === undefined ? null : endpoints.docs(exchange)
    if (read !== null) return read
    exchange.response.setHeader('x-request-id', exchange.requestId)
    if (path === livePath) return sendDocument(exchange, liveAnswer())
    if (path === readyPath) {
      return sendDocument(
        exchange,
        readyAnswer({
          ready: endpoints.ready(),
          draining: exchange.draining,
          details: endpoints.readyDetails?.() ?? [],
        }),
      )
    }
    if (path === '/') {
      return sendDocument(
        exchange,
        indexPage(exchange.request.headers.host ?? '', endpoints.networks()),
      )
    }
    sendAnswer(exchange.request, exchange.response, textAnswer(404, '404 page not found'))
  }
}

/** `commandClassOf`: null for an unknown command. */
type AdminEndpoints = Pick<AsKeyParts, 'rpc' | 'files' | 'uploads'> &
  Pick<DryRunDeps, 'commandClassOf'>

type RpcEndpointDeps = {
  readonly gateway: RpcPipeline
  readonly inspector: Inspector
  /** Receives the finished requests of all APIs. */
  readonly requests: RequestLog
  readonly turns: FairTimeSlices
  /** Current settings. */
  readonly settings: { readonly now: Config }
  readonly clock: Clock
  readonly log: Log
}

export type EndpointsDeps = RpcEndpointDeps & {
  readonly gateway: Pipeline
  /** All IPFS commands by name. */
  readonly commands: ReadonlyMap<string, KuboCommand<unknown>>
  /** Settings at the start. */
  readonly config: Config
  /** Opens the admin API on top of the other two APIs; null: turned off. */
  readonly openAdmin: ((endpoints: AdminEndpoints) => AdminApi) | null
  /** `/metrics`; null: turned off. */
  readonly metrics: RequestHandler | null
  /** Resumable uploads. */
  readonly uploads: ResumableUploads
  readonly uploadSpace: UploadSpace
  readonly pinRequests: PinRequests
  /** Multiaddrs under which IPFS peers reach this server. */
  readonly peerAddresses: () => readonly string[]
  readonly ready: () => boolean
  /** As in `Endpoints`. */
  readonly readyDetails: () => readonly string[]
  /** Names of the networks served now. */
  readonly networks: () => readonly string[]
}

/** Resolves in the source tree and in a package. */
const docsFolder = fileURLToPath(new URL('../../dist/docs', import.meta.url))

/** Send buffer of a WebSocket in addition to one complete response. */
const webSocketSpareBytes = 8 * 1024 * 1024

export type OpenEndpoints = Pick<ServerParts, 'routes' | 'upgrades'> & {
  /** Routes of a separate admin listener; null: none. */
  readonly adminRoutes: Routes | null
}

/** Dependencies of the JSON-RPC API. */
export function rpcEndpointParts({
  gateway,
  inspector,
  requests,
  turns,
  settings,
  clock,
  log,
}: RpcEndpointDeps): RpcApiDeps {
  return {
    gateway,
    inspector,
    requests,
    timeSlices: turns,
    settings: {
      ...defaultRpcSettings,
      get bodyBytesMax() {
        return settings.now.rpc.bodyBytesMax
      },
      get batchItemsMax() {
        return settings.now.rpc.batchItemsMax
      },
      get replyBytesMax() {
        return settings.now.rpc.responseBytesMax
      },
      get deadlineMs() {
        return settings.now.rpc.requestMs
      },
    },
    clock,
    log,
  }
}

/** `config`: the settings at startup. */
export function openWebSockets(parts: RpcApiDeps, config: Pick<Config, 'webSocket'>): Upgrades {
  return createWebSocketApi({
    ...parts,
    limits: {
      ...defaultWebSocketLimits,
      connectionsPerKeyMax: config.webSocket.connectionsPerKeyMax,
      get bufferBytesMax() {
        return parts.settings.replyBytesMax + webSocketSpareBytes
      },
    },
  })
}

export function openEndpoints(parts: EndpointsDeps): OpenEndpoints {
  const { gateway, inspector, requests, config, settings, uploads, uploadSpace, clock, log } = parts
  const { ready, readyDetails, networks } = parts
  const rpcParts = rpcEndpointParts(parts)
  const filesParts = {
    gateway,
    inspector,
    requests,
    commands: parts.commands,
    version: cairnVersion(),
    settings: {
      get uploadBytesMax() {
        return settings.now.files.uploadBytesMax
      },
      idleMs: config.files.idleMs,
    },
    clock,
    log,
  }
  let applied: Config | null = null
  let gatewayNow: IpfsGatewaySettings
  function gatewaySettings(): IpfsGatewaySettings {
    if (applied !== settings.now) {
      applied = settings.now
      gatewayNow = { ...gatewayRulesOf(applied), idleMs: config.files.idleMs }
    }
    return gatewayNow
  }
  const rpc = createRpcApi(rpcParts)
  const tus = createTusHandler({
    ...filesParts,
    add: add as KuboCommand<unknown>,
    records: uploads,
    space: uploadSpace,
  })
  const side =
    parts.openAdmin?.({
      rpc,
      files: (entry) => createIpfsApi(filesParts, entry),
      uploads:
        ({ caller, path }) =>
        (exchange) =>
          tus(exchange, { caller, path: tusPath + path }),
      commandClassOf: (command) => parts.commands.get(command)?.class ?? null,
    }) ?? null
  const admin = parts.metrics === null ? side : withMetrics(side, parts.metrics)
  const apart = config.admin.host !== null
  // The dashboard and the APIs link to it.
  const docs = createDocsSite(readBuiltFiles(docsFolder))
  return {
    adminRoutes: admin !== null && apart ? createAdminOnlyRoutes(admin, docs) : null,
    routes: createRoutes({
      rpc,
      docs,
      ...(admin === null || apart ? {} : { admin }),
      files: createIpfsApi(filesParts),
      tus: (exchange) => tus(exchange),
      psa: createPsaHandler({
        ...filesParts,
        requests: parts.pinRequests,
        requestLog: requests,
        delegates: parts.peerAddresses,
      }),
      routing: createRoutingRecords({
        gateway,
        put: parts.commands.get('name/put') as KuboCommand<unknown>,
        version: cairnVersion(),
        idleMs: config.files.idleMs,
        requests,
        clock,
        log,
      }),
      isContentHost: (exchange) => isContentHost(gatewaySettings(), exchange),
      paths: createIpfsGateway({
        gateway,
        requests,
        operations: pathOperations,
        version: cairnVersion(),
        get settings() {
          return gatewaySettings()
        },
        clock,
        log,
      }),
      ready,
      readyDetails,
      networks,
    }),
    upgrades: openWebSockets(rpcParts, config),
  }
}

// Starts a worker process, which serves JSON-RPC of networks behind upstreams. It only reads the data folder; the keeper writes it
// and answers all other requests (worker-share.ts).
// Tested by test/server/workers.test.ts
import { join } from 'node:path'
import { createDirectoryOf } from '../../access/accounts/directory.ts'
import { obtainSealSecret } from '../../access/accounts/server-identity.ts'
import { createFailedAuthentications } from '../../access/limits/failed-attempts.ts'
import { createLimiter } from '../../access/limits/limiter.ts'
import type { NumberedFlush } from '../../access/usage/usage-spool.ts'
import { createUsage } from '../../access/usage/usage.ts'
import { backgroundFailed, guardClock, logUnhandled, systemClock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { createFairTimeSlices } from '../../base/fair-time-slices.ts'
import { startIdleCollections } from '../../base/idle-collections.ts'
import { createLog, type Log } from '../../base/log.ts'
import { createSenderCache } from '../../chain/sender-cache.ts'
import { nameKeccakKinds } from '../../codec/hash/verify-keccak.ts'
import { listedNetworks } from '../../config/saved-network.ts'
import type { Config } from '../../config/settings.ts'
import { createObtain } from '../../content/obtain.ts'
import { defaultObtainLimits } from '../../content/obtain-limits.ts'
import { createQuarantineCheck } from '../../content/quarantine-check.ts'
import { createSqliteStore } from '../../content/sqlite-store.ts'
import { verify } from '../../content/verified-finds.ts'
import { openDatabase } from '../../db/sqlite.ts'
import type { Writer } from '../../db/writer.ts'
import { parseRpcPath } from '../../http/routes.ts'
import { sendAnswer, textAnswer } from '../../http/text-answer.ts'
import { createTunnels } from '../../http/tunnel.ts'
import { createCounters } from '../../metrics/counters.ts'
import { createInspector } from '../../pipeline/inspector/inspector.ts'
import { createRpcApi } from '../../rpc/api/rpc-api.ts'
import { createRpcPipeline } from '../../rpc/create-rpc-pipeline.ts'
import { createRpcOperations } from '../../rpc/methods/index.ts'
import { createListeners } from '../listeners.ts'
import { createNetworksInForce, readNetworksInForce } from '../networks-in-force.ts'
import { listOf, tlsFilesOf } from '../open-access.ts'
import { createNetworkSources } from '../open-content.ts'
import { openWebSockets, rpcEndpointParts } from '../open-endpoints.ts'
import { keyRatesOf, rpcPipelineParts } from '../open-gateway.ts'
import { openNetworks } from '../open-networks.ts'
import { openRequestLog, type WriteOut } from '../open-request-log.ts'
import { openRows, stopWaitMs } from '../open-rows.ts'
import { openTraces, type TraceEnvironment } from '../open-traces.ts'
import { createSavedNetworks } from '../saved-networks.ts'
import { cairnVersion, clientVersion } from '../version.ts'
import { watchCertificate } from '../watch-certificate.ts'
import { createKeeperLink } from './keeper-link.ts'
import type { KeeperPaths } from './role.ts'
import { reportOf } from './join-statuses.ts'
import { createLinkedLimits } from './shared-limits.ts'
import { createLinkedMessages } from './shared-messages.ts'
import type { WorkerCalls } from './worker-calls.ts'
import { createWorkerShare } from './worker-share.ts'

export type RunningWorker = {
  readonly url: string
  readonly port: number
  /** Applies other live settings. Throws a sentence for the operator, and then changes nothing. */
  apply(next: Config): Promise<void>
  /** Reads the certificate again, and opens the access log again. */
  reload(): Promise<void>
  /** Drains and stops. */
  stop(): Promise<void>
}

/** Number of recovered senders in memory, about 20 MB for all workers together. */
const sendersMax = 100_000
const reportMs = 1_000
/** A restart of the keeper takes about a second, after its last request has ended. */
const keeperStartMs = 10_000

/** Resolves when it is listening. Rejects with a sentence for the operator. */
export async function startWorker(
  fullConfig: Config,
  parts: {
    readonly number: number
    /** Number of workers. */
    readonly of: number
    readonly paths: KeeperPaths
    /** Descriptor of a passed socket in the primary; null: none. */
    readonly http: number | null
    readonly print: (line: string) => void
    readonly writeOut: WriteOut
    readonly env: TraceEnvironment
  },
): Promise<RunningWorker> {
  const { number, of, paths } = parts
  const config = divide(fullConfig, of)
  const settings = { now: config }
  const counters = createCounters()
  const lines = createLog(
    () => settings.now.log.level,
    systemClock.now,
    (line) => parts.print(line.trimEnd()),
  )
  const log: Log = (level, event, facts) => {
    if (event === backgroundFailed) counters.countBackgroundFailure()
    lines(level, event, { worker: number, ...facts })
  }
  const clock = guardClock(systemClock, log)
  await using starting = new AsyncDisposableStack()
  starting.defer(startIdleCollections(clock))
  starting.defer(logUnhandled(log))

  const path = join(config.dataDir, 'cairn.db')
  const database = openDatabase(path, { readOnly: true })
  starting.defer(() => database.close())
  const bytesDb = openDatabase(path, { readOnly: true })
  starting.defer(() => bytesDb.close())
  const keeper = createKeeperLink<WorkerCalls>({ path: paths.links, clock, log })
  starting.defer(() => keeper.close())
  const writer: Writer = {
    write: (statements) => keeper.call('write', statements),
    close: async () => {},
  }
  const opening = await openRows({
    config,
    settings,
    database,
    writer,
    sealSecret: () => obtainSealSecret(config),
    isSpooled: false,
    clock,
    log,
  })
  starting.defer(() => opening.close())
  const { rows } = opening

  const store = createSqliteStore({
    db: database,
    bytesDb,
    writer,
    onFailure: (error) => log('error', backgroundFailed, { in: 'reads of a turn', error }),
  })
  const sources = createNetworkSources()
  const obtaining = createObtain({
    store,
    sourcesFor: sources.of,
    verify,
    nameOf: nameKeccakKinds,
    limits: { ...defaultObtainLimits, memoryBytesMax: config.memory.contentBytesMax },
    clock,
    log,
    count: counters.countContent,
  })
  starting.defer(() => obtaining.idle())
  const quarantine = createQuarantineCheck({
    store,
    database,
    obtain: obtaining.obtain,
    clock,
    log,
  })
  starting.defer(() => quarantine.stop())

  const limits = createLinkedLimits({ link: keeper, of, clock })
  const messages = createLinkedMessages(keeper)
  const failed = createFailedAuthentications({
    clock,
    perMinute: () => settings.now.http.failedKeysPerMinute,
    shares: limits.failed,
  })
  const directory = createDirectoryOf({
    source: opening.accounts,
    clock,
    log,
    mayQuery: failed.isUnder,
    serverHosts: () => ['localhost', ...listOf(settings.now.admin.hosts)],
    jwtLifeMsMax: () => settings.now.keys.jwtLifeMsMax,
  })
  starting.defer(() => directory.stop())
  await directory.refresh()
  const send = async (flush: NumberedFlush): Promise<void> => {
    if (!(await keeper.call('usage', flush))) throw new Fault('overloaded')
  }
  const usage = createUsage({
    db: opening.db,
    send: opening.db === null ? send : null,
    rows,
    clock,
    log,
  })
  usage.onFlush((flushed) => void keeper.call('flushed', flushed).catch(() => {}))
  starting.defer(async () => {
    usage.stop()
    await usage.flush()
  })
  const limiter = createLimiter({
    clock,
    unitsToday: usage.unitsToday,
    rates: () => keyRatesOf(settings.now),
    shares: limits.shares,
    counters: limits.counters,
  })

  const senders = createSenderCache(Math.ceil(sendersMax / of))
  const operations = createRpcOperations({
    clientVersion: clientVersion(),
    clock,
    findSender: senders.find,
    filterStore: messages.filters,
    arrivals: (network, from, max) => keeper.call('arrivals', { network: network.name, from, max }),
  })
  const saved = createSavedNetworks({
    rows,
    clock,
    sealSecret: () => obtainSealSecret(config),
  })
  const merged = await readNetworksInForce(config, saved, log)
  const opened = await openNetworks({
    config: merged,
    listed: (all) => listedNetworks(all).filter(({ embedded }) => !embedded),
    openChain: () => Promise.reject(new Error('the embedded chain is in the keeper')),
    obtaining,
    sources,
    operations,
    writer,
    localRows: opening.localRows,
    pubSub: messages.pubSub,
    clock,
    log,
  })
  starting.defer(() => opened.close())
  const inForce = createNetworksInForce({
    first: { settings: config, merged },
    opened,
    saved,
    rows,
    clock,
    log,
  })
  starting.defer(() => inForce.stop())

  const { env, writeOut } = parts
  const traces = await openTraces({ env, version: cairnVersion(), clock, log })
  starting.defer(() => traces?.stop())
  const requestLog = await openRequestLog({ config, settings, writeOut, traces, clock, log })
  starting.defer(() => requestLog.stop())
  // The keeper serves keys with inspection; this inspector only records the stages of traces.
  const inspector = createInspector({ settingsOf: () => null, clock })
  const endpointParts = rpcEndpointParts({
    gateway: createRpcPipeline(
      rpcPipelineParts({
        config,
        settings,
        opened,
        directory,
        failed,
        limiter,
        usage,
        counters,
        inspector,
        findSender: senders.find,
        clock,
        log,
      }),
    ),
    inspector,
    requests: requestLog.requests,
    turns: createFairTimeSlices(clock),
    settings,
    clock,
    log,
  })
  const rpc = createRpcApi(endpointParts)

  const tlsFiles = tlsFilesOf(config.http)
  const certificate = tlsFiles === null ? null : await watchCertificate(tlsFiles, { clock, log })
  starting.defer(() => certificate?.stop())
  const tunnels = createTunnels({
    path: paths.connections,
    worker: number,
    waitMs: config.http.drainMs + keeperStartMs,
    clock,
  })
  const listeners = createListeners({
    config,
    settings,
    certificate,
    sockets: { http: parts.http, admin: null },
    role: {
      kind: 'worker',
      share: {
        ...createWorkerShare({
          settings: inForce.now,
          opened: opened.networks,
          isInspected: directory.isInspected,
        }),
        pass: tunnels.open,
        closePassed: tunnels.closeAll,
      },
    },
    clock,
    log,
  })
  starting.defer(async () => {
    keeper.call('leave', number).catch(() => {})
    await listeners.drain()
    opening.limitWaits(stopWaitMs)
  })
  const { url } = await listeners.listen({
    adminRoutes: null,
    routes: {
      rpc,
      any(exchange) {
        const rpcPath = parseRpcPath(exchange.path)
        if (rpcPath !== null) return rpc(exchange, rpcPath)
        sendAnswer(exchange.request, exchange.response, textAnswer(404, '404 page not found'))
      },
    },
    upgrades: openWebSockets(endpointParts, config),
  })
  const stopReports = clock.every(reportMs, () => {
    const counts = counters.take()
    const connections = listeners.connections().get('faces') ?? 0
    const report = { worker: number, connections, counts, upstreams: reportOf(opened.statuses()) }
    keeper.call('report', report).catch(() => counters.add(counts))
  })
  starting.defer(stopReports)

  const running = starting.move()
  return {
    url,
    port: listeners.port() ?? 0,
    async apply(next) {
      const own = divide(next, of)
      await inForce.take(own)
      settings.now = own
    },
    async reload() {
      requestLog.reopen()
      await certificate?.now()
    },
    stop: () => running.disposeAsync(),
  }
}

/** Divides limits of memory and connections, which apply to the whole server, by the number of workers. */
function divide(config: Config, of: number): Config {
  const share = (limit: number): number => Math.ceil(limit / of)
  const { http, webSocket, memory } = config
  return {
    ...config,
    http: {
      ...http,
      listener: 'lean',
      connectionsMax: share(http.connectionsMax),
      connectionsPerAddressMax: share(http.connectionsPerAddressMax),
    },
    webSocket: { ...webSocket, connectionsPerKeyMax: share(webSocket.connectionsPerKeyMax) },
    database: { ...config.database, connectionsMax: share(config.database.connectionsMax) },
    memory: {
      contentBytesMax: share(memory.contentBytesMax),
      answersBytesMax: share(memory.answersBytesMax),
    },
  }
}

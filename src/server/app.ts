// Composes the server: opens every part in order and closes them in reverse. The only module that knows every concrete part.
// Tested by test/server/start.test.ts
// long: one part after another, in the order of opening.
import { createFairTimeSlices } from '../base/fair-time-slices.ts'
import { join, resolve } from 'node:path'
import { createAccounts } from '../access/accounts/accounts.ts'
import { createDirectoryOf } from '../access/accounts/directory.ts'
import { createFirstKey } from '../access/accounts/first-account.ts'
import { obtainSealSecret } from '../access/accounts/server-identity.ts'
import { createJwtPublicKeys } from '../access/accounts/jwt-public-keys.ts'
import { backgroundFailed, guardClock, logUnhandled, systemClock } from '../base/clock.ts'
import { startIdleCollections } from '../base/idle-collections.ts'
import { holdWhile } from '../base/leases.ts'
import { createLog, type Log } from '../base/log.ts'
import { listedNetworks } from '../config/saved-network.ts'
import type { Config } from '../config/settings.ts'
import { lockFolder } from '../db/lock.ts'
import { findAll } from '../db/sqlite-rows.ts'
import { openDatabase } from '../db/sqlite.ts'
import { startThreadWriter } from '../db/thread-writer.ts'
import { createSenderCache } from '../chain/sender-cache.ts'
import { writeStatusRows } from '../chain/upstream/pool/status-rows.ts'
import { createInspector } from '../pipeline/inspector/inspector.ts'
import { createRpcOperations } from '../rpc/methods/index.ts'
import type { FindPrincipal } from '../admin/http/admin-handler.ts'
import { createMetricsHandler } from '../admin/http/metrics-handler.ts'
import { openResumableUploads } from '../kubo/tus/resumable-uploads.ts'
import { createUploadSpace } from '../kubo/tus/upload-space.ts'
import { databaseBytes } from '../db/database-bytes.ts'
import { clearStaleStaging } from '../backup/stage-files.ts'
import { deviceSpace } from '../content/segments/segment-folder.ts'
import { createSystemFiles } from '../content/system-files.ts'
import { readStorageRows } from '../ipfs/pins/account-storage.ts'
import { listKeyIdsOf } from '../tables/api-keys.ts'
import { createFailedAuthentications } from '../access/limits/failed-attempts.ts'
import { createTransferMeters } from '../access/limits/transfer-meters.ts'
import { keyRatesOf, openGateway } from './open-gateway.ts'
import { createLimiter } from '../access/limits/limiter.ts'
import { createUsageRetention } from '../access/usage/usage-retention.ts'
import { createUsage } from '../access/usage/usage.ts'
import { createCounters } from '../metrics/counters.ts'
import { createOwnDenials } from '../ipfs-gateway/own-denials.ts'
import { denyPathsOf, openDenyLists } from './deny-lists.ts'
import { type OnImport, openChain } from './open-chain.ts'
import { startCollecting } from './start-collecting.ts'
import { createListeners } from './listeners.ts'
import { makeDataFolder } from './make-data-folder.ts'
import { refuseMoved } from './move-mark.ts'
import { openAdmin, openPinRows, openUsageView } from './open-admin.ts'
import { createServerSettings } from './server-settings.ts'
import {
  type FirstRun,
  createFirstRunLink,
  findPrincipal,
  listOf,
  openAlerts,
  openCards,
  openIdentity,
  sweepPeople,
  tlsFilesOf,
} from './open-access.ts'
import { gatewaysOf, openContent, openSharedUploadsOf, refuseLostDatabase } from './open-content.ts'
import { createKuboCommands } from '../kubo/commands/index.ts'
import { openEndpoints } from './open-endpoints.ts'
import { openEvents } from './open-events.ts'
import { openNames } from './open-names.ts'
import { openRows, stopWaitMs } from './open-rows.ts'
import { obtainPublicKey } from '../access/accounts/server-identity.ts'
import { openMetrics, openServerStatus } from './open-metrics.ts'
import { createNetworkAdmin } from './network-admin.ts'
import { createNetworksInForce, readNetworksInForce } from './networks-in-force.ts'
import { openNetworks } from './open-networks.ts'
import { kuboNetworkOf, needsCardOf, netLiveOf, openPeerNetwork } from './open-peer-network.ts'
import { openPinRequests, openRemotePins } from './open-pin-requests.ts'
import { createSavedNetworks } from './saved-networks.ts'
import { createReload, type ReloadParts } from './reload.ts'
import { watchCertificate } from './watch-certificate.ts'
import { openTraces, type TraceEnvironment } from './open-traces.ts'
import { openShared } from './open-shared.ts'
import { openRequestLog, type WriteOut } from './open-request-log.ts'
import { runBackups } from './run-backups.ts'
import { createIpnsRouting, type IpnsRouting } from '../ipfs/names/ipns-routing.ts'
import { createPublicBlocks } from '../ipfs/pins/public-blocks.ts'
import type { PassedSockets } from './systemd.ts'
import { isPrivateServer } from './private-server.ts'
import type { KeeperParts } from './workers/keeper-parts.ts'
import { cairnVersion, clientVersion } from './version.ts'
import { watchIntegrity } from './watch-integrity.ts'

export type RunningServer = {
  readonly url: string
  /** URL of the admin API and dashboard; null: turned off. */
  readonly adminUrl: string | null
  /** Shown once: the key that the first start created. */
  readonly firstKey: { readonly apiKey: string; readonly apiKeySecret: string } | null
  /** One-time link to create the first operator, valid for 30 minutes; null: an operator exists. */
  readonly firstRun: FirstRun | null
  /** The settings with the saved networks. */
  readonly config: Config
  /** Drains and stops: running calls get their reply, counters and blocks are written. */
  stop(): Promise<void>
  /** Reads settings and certificate again, and opens the access log again. Never throws: issues are logged. */
  reload(): Promise<void>
  /** Applies other live settings. Throws a sentence for the operator, and changes nothing. */
  apply(next: Config): Promise<void>
}

/** Recovered senders in memory, about 20 MB. */
const sendersMax = 100_000

/**
 * Starts Cairn with `config`; resolves when it is ready. Rejects with a sentence for the operator: folder in
 * use, port taken, another chain in the folder, unreadable genesis.
 */
export async function startServer(
  config: Config,
  {
    print,
    writeOut = async () => {},
    onImport = () => {},
    sockets = { http: null, admin: null },
    source = null,
    env = {},
    keeper = null,
  }: {
    /** Receives log lines. */
    readonly print: (line: string) => void
    /** Receives the lines of the access log, unless a setting names a file; absent: they are discarded. */
    readonly writeOut?: WriteOut
    readonly onImport?: OnImport
    /** Listening sockets of the service manager. Default: the server opens its own. */
    readonly sockets?: PassedSockets
    /** The settings file, watched while the server runs; null: none. */
    readonly source?: Pick<ReloadParts, 'file' | 'load'> | null
    /** Environment variables; `OTEL_…` turns traces on. */
    readonly env?: TraceEnvironment
    /** This process is the keeper of workers; null: it is the only process. */
    readonly keeper?: KeeperParts | null
  },
): Promise<RunningServer> {
  const settings = { now: config }
  const counters = createCounters()
  const lines = createLog(
    () => settings.now.log.level,
    systemClock.now,
    (line) => print(line.trimEnd()),
  )
  const log: Log = (level, event, facts) => {
    if (event === backgroundFailed) counters.countBackgroundFailure()
    lines(level, event, facts)
  }
  const clock = guardClock(systemClock, log)
  await using starting = new AsyncDisposableStack()
  starting.defer(startIdleCollections(clock))
  starting.defer(logUnhandled(log))

  makeDataFolder(config.dataDir)
  starting.defer(lockFolder(config.dataDir))
  refuseLostDatabase(config.dataDir)
  if (config.database.url === null) refuseMoved(config.dataDir)
  await clearStaleStaging(config.dataDir)
  let writable = true
  const path = join(config.dataDir, 'cairn.db')
  const writer = await startThreadWriter({
    path,
    ...(config.store.bytesMax === null ? {} : { bytesMax: config.store.bytesMax }),
    onDeath: (cause) => {
      writable = false
      log('error', 'writer_thread_died', { cause })
    },
  })
  starting.defer(() => writer.close())
  const database = openDatabase(path, { readOnly: true })
  starting.defer(() => database.close())
  const bytesDb = openDatabase(path, { readOnly: true })
  starting.defer(() => bytesDb.close())
  const shared = await openShared({ config, settings, clock, log })
  starting.defer(() => shared?.close())
  const opening = await openRows({
    config,
    settings,
    database,
    writer,
    sealSecret: () => obtainSealSecret(config),
    isSpooled: true,
    clock,
    log,
  })
  starting.defer(() => opening.close())
  const { rows, localRows } = opening
  // One transaction writes pins and blocks, so both are in the same database.
  const fileRows = config.objects.url === null ? localRows : rows
  const ownUploads =
    config.objects.url === null
      ? await openResumableUploads(join(config.dataDir, 'uploads'), clock)
      : null
  const content = await openContent({
    config,
    settings,
    database,
    bytesDb,
    rows: fileRows,
    writer,
    countContent: counters.countContent,
    uploadBytes: () => ownUploads?.storedBytes ?? 0,
    clock,
    log,
  })
  starting.defer(() => content.close())
  const { store, local, obtaining, sources, blockSources } = content
  const uploads = ownUploads ?? (await openSharedUploadsOf({ content, rows, clock, log }))
  starting.defer(() => uploads.stop())

  const parts = { rows, clock }
  const accounts = createAccounts({ ...parts, keysMax: () => settings.now.keys.perAccountMax })
  const billing = openCards({ ...parts, settings })
  await billing.check()
  const { leases, sweep } = opening
  if (sweep !== null) starting.defer(holdWhile(leases, 'done', sweep))
  const events = openEvents({ config, rows, leases, clock, log })
  starting.defer(() => events.stop())
  const identity = openIdentity({
    ...parts,
    log,
    settings,
    onSignInRefused: events.signInRefused,
    shares: shared?.shares,
  })
  starting.defer(holdWhile(leases, 'people', () => sweepPeople(identity, clock, log)))
  const limits =
    shared !== null
      ? { shares: shared.shares, failed: shared.shares, counters: shared.counters }
      : (keeper?.createLimits(clock) ?? null)
  const messages = shared ?? keeper?.createMessages(clock) ?? null
  const failed = createFailedAuthentications({
    clock,
    perMinute: () => settings.now.http.failedKeysPerMinute,
    shares: limits?.failed ?? null,
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
  const usage = createUsage({ db: opening.db, spool: opening.spool, rows, clock, log })
  starting.defer(async () => {
    usage.stop()
    await usage.flush()
  })
  const { db } = opening
  const keysOf = (accountId: string) =>
    db === null
      ? rows.find(listKeyIdsOf(accountId)).then((keys) => keys.map(({ id }) => id))
      : findAll(db, listKeyIdsOf(accountId)).map(({ id }) => id)
  const storageRows = readStorageRows(fileRows, fileRows === localRows ? database : null)
  const { storedBytes } = storageRows
  const publicBlocks = createPublicBlocks({
    rows: fileRows,
    db: fileRows === localRows ? database : null,
    needsCard: () => settings.now.card.adapter !== 'none',
  })
  starting.defer(
    holdWhile(leases, 'usage', () => {
      const retention = createUsageRetention({
        rows,
        clock,
        log,
        daysRetained: () => settings.now.usage.keepDays,
      })
      return () => retention.stop()
    }),
  )
  const alerts = openAlerts({
    accounts,
    usage,
    sealSecret: () => obtainSealSecret(config),
    settings,
    storedBytes,
    rows,
    clock,
    log,
  })
  starting.defer(() => alerts.stop())
  const turns = createFairTimeSlices(clock)
  const limiter = createLimiter({
    clock,
    unitsToday: usage.unitsToday,
    rates: () => keyRatesOf(settings.now),
    ...(limits === null ? {} : { shares: limits.shares, counters: limits.counters }),
  })

  const senders = createSenderCache(sendersMax)
  const operations = createRpcOperations({
    clientVersion: clientVersion(),
    clock,
    findSender: senders.find,
    filterStore: messages?.filters,
  })
  const publicKey = obtainPublicKey(config)
  let ipnsRouting: IpnsRouting | null = null
  const ipns = openNames({
    config,
    settings,
    rows,
    leases,
    sealSecret: () => obtainSealSecret(config),
    routing: () => ipnsRouting,
    clock,
    log,
  })
  starting.defer(() => ipns.stop())
  const saved = createSavedNetworks({
    ...parts,
    sealSecret: () => obtainSealSecret(config),
  })
  const merged = await readNetworksInForce(config, saved, log)
  const opened = await openNetworks({
    config: merged,
    listed: listedNetworks,
    openChain: (chain, findNetwork) =>
      openChain({
        config: chain,
        findNetwork,
        database,
        store: local,
        obtaining,
        path,
        writer,
        clock,
        log,
        onImport,
        onSigned: senders.note,
      }),
    obtaining,
    sources,
    operations,
    writer,
    localRows,
    pubSub: messages?.pubSub,
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
  const statusRows = writeStatusRows({ statuses: opened.statuses, writer, clock, log })
  starting.defer(() => statusRows.stop())

  const collecting = { config, writer, store, obtain: obtaining.obtain, clock, log }
  const { shared: bucket } = content
  if (bucket === null) {
    const collector = startCollecting({ ...collecting, rows: fileRows })
    starting.defer(() => collector.stop())
  } else {
    const collect = (token: bigint) => {
      const own = opening.fenced('collector', token)
      return startCollecting({ ...collecting, rows: own, collected: bucket.collectorStore(own) })
        .stop
    }
    starting.defer(holdWhile(leases, 'collector', collect))
  }

  const denied = await openDenyLists(denyPathsOf(config.gateway), {
    own: opening.denials,
    clock,
    log,
  })
  starting.defer(() => denied.stop())
  const peerNetwork = await openPeerNetwork({
    config,
    settings,
    path: env['PATH'],
    denied,
    rows: fileRows,
    opening,
    onDown: (reason) => void alerts.networkDown(reason),
    clock,
    log,
  })
  starting.defer(() => peerNetwork?.close())
  blockSources.useNetwork(peerNetwork?.network.source ?? null)
  if (peerNetwork !== null) ipnsRouting = createIpnsRouting(peerNetwork.network.command, clock)
  const commands = createKuboCommands({
    clock,
    version: cairnVersion(),
    publicKey,
    network: kuboNetworkOf(peerNetwork, settings, clock),
    remotePins: openRemotePins({
      ...parts,
      sealSecret: () => obtainSealSecret(config),
      settings,
    }),
    ipns,
  })
  const traces = await openTraces({ env, version: cairnVersion(), clock, log })
  starting.defer(() => traces?.stop())
  const requestLog = await openRequestLog({ config, settings, writeOut, traces, clock, log })
  starting.defer(() => requestLog.stop())
  const { requests } = requestLog
  const inspector = createInspector({
    settingsOf: directory.settingsOf,
    clock,
    shared: shared === null ? undefined : { store: shared.inspections, pubSub: shared.pubSub },
  })
  starting.defer(() => inspector.stop())
  const transferMeters = createTransferMeters({
    clock,
    transferred: usage.bytesThisMonth,
    keysOf,
    storedBytes,
    reservedBytes: uploads.declaredOf,
    uploadsPerKeyMax: () => settings.now.files.uploadsPerKeyMax,
    counters: shared?.counters ?? null,
  })
  const gateway = openGateway({
    config,
    settings,
    content,
    opened,
    directory,
    failed,
    limiter,
    ...(shared === null ? {} : { shares: shared.shares }),
    turns,
    transferMeters,
    usage,
    counters,
    inspector,
    denied,
    names: ipns.names,
    findSender: senders.find,
    storedBy: storageRows.storedBy,
    publicBlocks,
    rows: fileRows,
    searchesNetwork: peerNetwork !== null,
    clock,
    log,
  })
  const pinRequests = openPinRequests({
    rows: fileRows,
    leases: fileRows === localRows ? null : leases,
    filesOf: gateway.filesOf,
    clock,
    log,
  })
  starting.defer(() => pinRequests.stop())

  const integrity = watchIntegrity({ path, rows: localRows, clock, log })
  starting.defer(() => integrity.stop())
  const ready = () => writable && local.isWritable && integrity.isSound && opened.isReady()
  const tlsFiles = tlsFilesOf(config.http)
  const certificate = tlsFiles === null ? null : await watchCertificate(tlsFiles, { clock, log })
  starting.defer(() => certificate?.stop())
  const listeners = createListeners({
    config,
    settings,
    certificate,
    sockets,
    role: keeper === null ? null : { ...keeper, kind: 'keeper', path: keeper.paths.connections },
    clock,
    log,
  })
  const workers =
    keeper === null || limits === null || messages === null
      ? null
      : await keeper.openCalls({
          writer,
          usage,
          counters,
          listeners,
          networks: opened.networks,
          limits,
          messages,
          clock,
          log,
        })
  starting.defer(() => workers?.close())
  const observed = {
    networks: opened.networks,
    statuses: () => workers?.addStatuses(opened.statuses()) ?? opened.statuses(),
  }
  const view = openServerStatus({
    opened: observed,
    store: local,
    uploadBytes: () => uploads.storedBytes,
    database,
    rows: localRows,
    settings,
    networks: inForce.now,
    ready,
    port: listeners.port,
    started: clock.now(),
    recentErrors: requestLog.recentErrors,
    ipfsNetwork: () => peerNetwork?.network.status ?? null,
    announcements: async () => (await peerNetwork?.plan?.stat()) ?? null,
    checkProvider: (cid, signal) => peerNetwork?.checkProvider(cid, signal) ?? null,
    clock,
  })
  const backups = runBackups({
    server: Buffer.from(publicKey).toString('hex'),
    version: cairnVersion(),
    settings,
    clock,
    log,
  })
  starting.defer(() => backups.stop())
  const knowActor: FindPrincipal = (credential) => findPrincipal(identity, credential)
  const metrics = openMetrics({
    counters,
    opened: observed,
    operations: operations.keys(),
    commands: commands.keys(),
    store: local,
    bytesMax: config.store.bytesMax,
    uploadBytes: () => uploads.storedBytes,
    database,
    rows,
    fileRows,
    writer,
    writable: () => writable,
    integrity,
    droppedLines: requestLog.droppedLines,
    events: events.counts,
    backups,
    usage,
    connections: () =>
      workers === null ? listeners.connections() : workers.addConnections(listeners.connections()),
    nodes: () => shared?.state() ?? null,
    ipfsNetwork: () => peerNetwork?.network.status ?? null,
    clock,
  })
  starting.defer(() => metrics.stop())
  const endpoints = openEndpoints({
    gateway,
    commands,
    inspector,
    requests,
    turns,
    config,
    settings,
    openAdmin: config.admin.enabled
      ? (adminEndpoints) =>
          openAdmin({
            context: {
              accounts,
              cards: billing.cards,
              publicKeys: createJwtPublicKeys(parts),
              pins: openPinRows(fileRows, clock),
              pinRequests: pinRequests.requests,
              identity,
              usage: openUsageView({ rows, clock, usage }),
              alerts: alerts.view,
              server: view,
              networks: createNetworkAdmin({
                settings: () => settings.now,
                saved,
                live: {
                  refresh: inForce.refresh,
                  find: (name) => view.networks().find((one) => one.name === name) ?? null,
                },
              }),
              denials: {
                ...createOwnDenials({ rows, clock }),
                async decide(cid, segments) {
                  await denied.refresh()
                  return denied.decide(cid, segments)
                },
              },
              ipnsKeys: ipns.keysView,
              backups,
              serverSettings: createServerSettings(settings),
              inspecting: {
                inspector,
                gateway,
                networks: opened.networks,
                callerOf: directory.callerOf,
              },
              clock,
            },
            findPrincipal: knowActor,
            rpcOperations: [...operations.values()],
            directory,
            opened,
            limiter,
            transferMeters,
            endpoints: adminEndpoints,
            requests,
            settings,
            clock,
            log,
          })
      : null,
    metrics: config.metrics.enabled
      ? createMetricsHandler({
          ...metrics,
          token: () => settings.now.metrics.token,
          isLocalOpen: () => settings.now.metrics.local,
          findPrincipal: knowActor,
          log,
        })
      : null,
    uploads,
    pinRequests: pinRequests.requests,
    peerAddresses: () => peerNetwork?.network.status.ready?.addrs ?? [],
    uploadSpace: createUploadSpace({
      bytesMax: config.store.bytesMax,
      usedBytes: () => local.bytes + databaseBytes(database) + uploads.storedBytes,
      deviceSpace: () => deviceSpace(createSystemFiles(), config.dataDir),
    }),
    ready,
    readyDetails: () => (peerNetwork?.network.status.state === 'down' ? ['network_down'] : []),
    networks: () => opened.networks().map(({ name }) => name),
    clock,
    log,
  })
  starting.defer(async () => {
    await listeners.drain()
    opening.limitWaits(stopWaitMs)
  })
  const { url, adminUrl } = await listeners.listen(endpoints)

  async function apply(next: Config): Promise<void> {
    await inForce.take(next)
    await blockSources.replace(gatewaysOf(next))
    peerNetwork?.network.apply(netLiveOf(next), needsCardOf(next))
    settings.now = next
  }
  const reload =
    source === null
      ? null
      : createReload({
          ...source,
          current: () => settings.now,
          apply: (changes) => apply(changes.config),
          clock,
          log,
        })
  if (reload !== null) starting.defer(() => reload.stop())

  // Last, because a key or link of a failed start must not be shown.
  const firstKey = await createFirstKey(accounts, { devMethods: isPrivateServer(config) })
  const firstRun = await createFirstRunLink(identity, accounts, adminUrl)

  log('info', 'started', {
    version: cairnVersion(),
    node: process.version,
    pid: process.pid,
    url,
    ...(adminUrl === null ? {} : { dashboard: `${adminUrl}/dashboard` }),
    listeners: [
      { serves: adminUrl === url ? ['rpc', 'ipfs', 'admin'] : ['rpc', 'ipfs'], url },
      ...(adminUrl === null || adminUrl === url ? [] : [{ serves: ['admin'], url: adminUrl }]),
    ],
    dataDir: resolve(config.dataDir),
    networks: opened.networks().map(({ name }) => name),
  })

  // The start succeeded: from here the caller stops the server, not the end of this function.
  const running = starting.move()
  return {
    url,
    adminUrl,
    firstKey,
    firstRun,
    config: inForce.now(),
    apply,
    reload: async () => {
      requestLog.reopen()
      await Promise.all([reload?.now(), certificate?.now()])
    },
    async stop() {
      log('info', 'stopping')
      await running.disposeAsync()
      log('info', 'stopped')
    },
  }
}

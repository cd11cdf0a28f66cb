// Only the IPFS API, on a real socket, with real file storage in memory: accounts are created on demand, every caller has a card,
// and there are no rate limits.
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Caller } from '../../../src/access/accounts/caller.ts'
import {
  defaultAccountSettings,
  defaultKeySettings,
} from '../../../src/access/accounts/key-settings.ts'
import { type Clock, systemClock } from '../../../src/base/clock.ts'
import { Fault } from '../../../src/base/fault.ts'
import { silentLog } from '../../../src/base/log.ts'
import { importProfiles } from '../../../src/codec/ipld/import-profile.ts'
import { createHostedHash } from './hash-worker-thread.ts'
import { createParallelVerify } from '../../../src/codec/hash/parallel-verify.ts'
import { verifyDagBlock, verifyLeaf } from '../../../src/codec/ipld/verify-dag-block.ts'
import { createSequentialRead } from '../../../src/content/sequential-read.ts'
import { createObtain } from '../../../src/content/obtain.ts'
import type { Verify } from '../../../src/content/ref.ts'
import { createSegmentStore } from '../../../src/content/segments/segment-store.ts'
import { createInlineWriter } from '../../../src/db/inline-writer.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { createSqliteRows } from '../../../src/db/sqlite-rows.ts'
import { openDatabase } from '../../../src/db/sqlite.ts'
import { authenticateFiles } from '../../../src/pipeline/authenticate-request.ts'
import type { Pipeline } from '../../../src/server/open-gateway.ts'
import type { KuboCommand } from '../../../src/kubo/kubo-command.ts'
import { createKuboCommands } from '../../../src/kubo/commands/index.ts'
import { pathOperations } from '../../../src/ipfs-gateway/operations/index.ts'
import {
  createGatewayPipeline,
  type PathRules,
} from '../../../src/ipfs-gateway/create-gateway-pipeline.ts'
import { createInspector } from '../../../src/pipeline/inspector/inspector.ts'
import {
  createIpfsApi,
  defaultFilesSettings,
  type FilesSettings,
} from '../../../src/kubo/ipfs-api.ts'
import { isContentHost } from '../../../src/ipfs-gateway/content-location.ts'
import {
  createIpfsGateway,
  type IpfsGatewaySettings,
} from '../../../src/ipfs-gateway/ipfs-gateway.ts'
import { createRoutes } from '../../../src/server/open-endpoints.ts'
import { createClientAddress } from '../../../src/http/request-head.ts'
import { createServer, defaultServerSettings } from '../../../src/http/server.ts'
import { createAccountContent } from '../../../src/ipfs/account-content.ts'
import { createPublicBlocks } from '../../../src/ipfs/pins/public-blocks.ts'
import { createFiles, defaultFilesLimits } from '../../../src/ipfs/create-files.ts'
import type { Files } from '../../../src/ipfs/files.ts'
import type { Provide } from '../../../src/base/provide.ts'
import { createTestMeters } from './transfer-meters.ts'
import { createMemoryFileOps } from './memory-file-ops.ts'
import { openPaths } from './path-rules.ts'
import { noRemotePins } from './no-remote-pins.ts'
import { createTestNames, type TestDns } from './test-names.ts'

export type FilesServer = {
  readonly url: string
  readonly port: number
  /** The files behind it. */
  readonly files: Files
  readonly ipns: ReturnType<typeof createTestNames>
  newAccount(change?: Partial<Caller>): { readonly key: string; readonly secret: string }
  /** Sets which pins the account of this key makes public. */
  readonly setProvide: (key: string, provide: Provide) => void
  /** Arguments of `settle`, in order. */
  readonly settled: { outcome: string; in: number; out: number }[]
  /** Stops the server. Resolves when no request is running. */
  readonly stop: () => Promise<void>
}

export async function startFilesServer(
  t: TestContext,
  options: {
    readonly settings?: Partial<FilesSettings>
    readonly operations?: readonly KuboCommand<unknown>[]
    readonly clock?: Clock
    readonly pathRules?: Partial<PathRules>
    readonly pathSettings?: Partial<IpfsGatewaySettings>
    readonly dns?: TestDns
    /** Requests come from a trusted proxy. */
    readonly trustedProxy?: boolean
  } = {},
): Promise<FilesServer> {
  const clock = options.clock ?? systemClock
  const database = openDatabase(':memory:')
  migrate(database)
  t.after(() => database.close())
  const writer = createInlineWriter(database)
  const store = createSegmentStore({
    rowsFollow: true,
    hashWorker: createHostedHash(),
    db: database,
    writer,
    ops: createMemoryFileOps(),
    path: '/store',
    clock,
    log: silentLog,
  })
  const verify: Verify = (ref, bytes) => verifyDagBlock(ref.hash, bytes)
  const { obtain } = createObtain({
    store,
    sourcesFor: () => [],
    verify,
    clock,
    log: silentLog,
    count: () => {},
  })
  const rows = createSqliteRows(database, writer)
  const readRun = createSequentialRead({
    store,
    verify,
    verifyLeaf,
    verifyInParallel: createParallelVerify(createHostedHash()),
    log: silentLog,
    count: () => {},
  })
  const ipns = createTestNames(rows, clock, options.dns)
  const filesSettings = {
    store,
    deleteBlocks: store.delete,
    obtain,
    readRun,
    rows,
    clock,
    hasSources: () => false,
    resolveName: ipns.resolveName,
    limits: defaultFilesLimits,
  }
  const files = createFiles(filesSettings)
  const publicBlocks = createPublicBlocks({ rows, db: database, needsCard: () => false })
  const publicContent = createAccountContent({
    store,
    obtain,
    obtainOutside: obtain,
    readRun,
    storedBy: (_account, multihashes) => publicBlocks.arePublic(multihashes),
  })

  const callers = new Map<string, { caller: Caller; secret: string }>()
  const settled: FilesServer['settled'] = []
  const enter: Pipeline['authenticateFiles'] = (credential, command) =>
    authenticateFiles(
      {
        authenticate(key, secret) {
          const known = callers.get(key)
          if (known === undefined || known.secret !== secret) throw new Fault('bad_secret')
          return known.caller
        },
        refused: () => {},
      },
      credential,
      command,
      { cardGate: {}, method: command },
    )
  const paths = createGatewayPipeline({
    rules: { ...openPaths, ...options.pathRules },
    files,
    filesOf: null,
    publicFiles: createFiles({ ...filesSettings, ...publicContent.of('') }),
    names: ipns.names,
    transferMeters: createTestMeters(),
    enter,
    count: ({ outcome, bytesIn, bytesOut }) =>
      void settled.push({ outcome, in: bytesIn, out: bytesOut }),
    clock,
    log: silentLog,
  })
  const gateway: Pick<Pipeline, 'authenticateFiles' | 'countRefusal' | 'runFiles'> = {
    authenticateFiles: enter,
    countRefusal: () => {},
    async runFiles({ caller, operation, request, connected, signal }) {
      const input = operation.parse(request, importProfiles['unixfs-v0-2015'])
      const reply = await operation.run(input, { caller, files, connected, signal })
      const settle = (fault: Fault | null, bytes: { in: number; out: number }): void => {
        settled.push({ outcome: fault?.code ?? 'ok', ...bytes })
      }
      const download = { admitDownload: () => {}, download: () => {} }
      return { reply, download, settle }
    },
  }
  const made = createKuboCommands({
    clock,
    version: '0.1.0',
    publicKey: new Uint8Array(32),
    remotePins: noRemotePins,
    ipns,
    network: null,
  })
  const commands = new Map(made)
  for (const operation of options.operations ?? []) commands.set(operation.name, operation)
  const api = createIpfsApi({
    gateway,
    commands,
    version: '0.1.0',
    settings: { ...defaultFilesSettings, ...options.settings },
    inspector: createInspector({ settingsOf: () => null, clock }),
    clock,
    log: silentLog,
  })
  const pathSettings = {
    enabled: true,
    deserialized: false,
    host: null,
    subdomains: false,
    sites: [],
    local: false,
    abuseContact: null,
    idleMs: 60_000,
    ...options.pathSettings,
  }
  const server = createServer({
    settings: defaultServerSettings,
    routes: createRoutes({
      rpc: () => {},
      files: api,
      isContentHost: (exchange) => isContentHost(pathSettings, exchange),
      paths: createIpfsGateway({
        gateway: paths,
        operations: pathOperations,
        version: '0.1.0',
        settings: pathSettings,
        clock,
        log: silentLog,
      }),
      ready: () => true,
      networks: () => [],
    }),
    clientAddress: createClientAddress(() => options.trustedProxy === true),
    clock: systemClock,
    log: silentLog,
  })
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => server.drain({ graceMs: 0, deadlineMs: 0 }))
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    settled,
    stop: () => server.drain({ graceMs: 0, deadlineMs: 3_600_000 }),
    files,
    setProvide(key, provide) {
      database.run('UPDATE account SET settings = ? WHERE id = ?', [
        JSON.stringify({ provide }),
        key,
      ])
    },
    ipns,
    newAccount(change = {}) {
      const key = randomBytes(8).toString('hex')
      const secret = randomBytes(8).toString('hex')
      database.run('INSERT INTO account (id, name, created, card) VALUES (?, ?, 0, 1)', [key, key])
      const caller: Caller = {
        accountId: key,
        accountName: key,
        keyId: key,
        hasCard: true,
        settings: defaultKeySettings,
        quotas: defaultAccountSettings,
        withSecret: true,
        allowlists: null,
        ...change,
      }
      callers.set(key, { caller, secret })
      return { key, secret }
    },
  }
}

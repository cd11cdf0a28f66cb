// Opens the request pipelines over the open parts: authentication, prices, usage, served files and paths. Settings are read at each
// request.
// Tested by test/server/start.test.ts
import { plans } from '../access/accounts/plans.ts'
import type { Config } from '../config/settings.ts'
import type { KeyRates, Limiter } from '../access/limits/limiter.ts'
import {
  type ImportProfile,
  type ImportProfileName,
  importProfiles,
} from '../codec/ipld/import-profile.ts'
import { type KuboPipelineDeps, createKuboPipeline } from '../kubo/create-kubo-pipeline.ts'
import type { KuboPipeline } from '../kubo/kubo-command.ts'
import type { GatewayPipeline } from '../ipfs-gateway/gateway-pipeline.ts'
import { type PathRules, createGatewayPipeline } from '../ipfs-gateway/create-gateway-pipeline.ts'
import { type RpcPipelineDeps, createRpcPipeline } from '../rpc/create-rpc-pipeline.ts'
import type { RpcPipeline } from '../rpc/rpc-pipeline.ts'
import type { FairTimeSlices } from '../base/fair-time-slices.ts'
import type { Caller } from '../access/accounts/caller.ts'
import type { Directory } from '../access/accounts/directory.ts'
import type { Clock } from '../base/clock.ts'
import { setNewest } from '../base/lru-cache.ts'
import type { Log } from '../base/log.ts'
import type { Rows } from '../db/rows.ts'
import type { DenyLists } from './deny-lists.ts'
import type { FindSender } from '../chain/sender-cache.ts'
import { createEvents } from '../rpc/subscriptions/network-events.ts'
import type { Inspector } from '../pipeline/inspector/inspector.ts'
import { createAnswerCache } from '../rpc/answer-cache.ts'
import { resolveBlock } from '../rpc/request-context.ts'
import { createFiles, createFileWaiters, defaultFilesLimits } from '../ipfs/create-files.ts'
import type { FetchPolicy, Files } from '../ipfs/files.ts'
import type { Names } from '../ipfs/names/names.ts'
import type { PublicBlocks } from '../ipfs/pins/public-blocks.ts'
import { createAccountContent } from '../ipfs/account-content.ts'
import type { StorageReads } from '../ipfs/pins/account-storage.ts'
import { createCallLog } from '../access/usage/call-log.ts'
import {
  type FailedAuthentications,
  guardAuthentication,
} from '../access/limits/failed-attempts.ts'
import type { TransferMeters } from '../access/limits/transfer-meters.ts'
import type { RateShares } from '../access/limits/rate-shares.ts'
import { createPathLimits } from '../access/limits/path-limits.ts'
import type { Usage } from '../access/usage/usage.ts'
import type { Counters } from '../metrics/counters.ts'
import { cardGateOf } from './open-access.ts'
import { isPrivateServer, type ListenerSettings } from './private-server.ts'
import type { OpenContent } from './open-content.ts'
import type { OpenNetworks } from './open-networks.ts'

/** Applies `http.keyRates`. */
export function keyRatesOf({
  http,
  admin,
}: ListenerSettings & { readonly http: Pick<Config['http'], 'keyRates'> }): KeyRates {
  if (http.keyRates !== 'auto') return plans[http.keyRates]
  return isPrivateServer({ http, admin }) ? plans.none : plans.team
}

/** Import profile of the key, otherwise of the server, with the server's rule for sharding directories. */
function chooseProfile(files: Config['files'], name: ImportProfileName | null): ImportProfile {
  const profile = importProfiles[name ?? files.importProfile]
  const estimate = files.shardEstimate ?? profile.sharding.estimate
  return { ...profile, sharding: { ...profile.sharding, bytes: files.shardBytes, estimate } }
}

export type PipelineDeps = RpcPipelineDeps &
  KuboPipelineDeps & {
    /** Access rules for `/ipfs/<cid>`. */
    readonly paths: PathRules
    /** Files visible to requests without a key. */
    readonly publicFiles: Files
    /** Absent: the gateway resolves no names. */
    readonly names?: Names
  }

export type Pipeline = RpcPipeline & KuboPipeline & GatewayPipeline

/** `filesOf`: the files that an account can read, by its ID. */
type OpenGateway = Pipeline & { readonly filesOf: (accountId: string) => Files }

export function createPipeline(parts: PipelineDeps): Pipeline {
  const kubo = createKuboPipeline(parts)
  return {
    ...createRpcPipeline(parts),
    ...kubo,
    ...createGatewayPipeline({
      rules: parts.paths,
      files: parts.files,
      filesOf: parts.filesOf ?? null,
      publicFiles: parts.publicFiles,
      ...(parts.names === undefined ? {} : { names: parts.names }),
      transferMeters: parts.transferMeters,
      enter: kubo.authenticateFiles,
      count: parts.count,
      clock: parts.clock,
      log: parts.log,
    }),
  }
}

/** The open parts that JSON-RPC requires. */
export type RpcParts = {
  /** Settings at the start. */
  readonly config: Config
  /** Current settings. */
  readonly settings: { readonly now: Config }
  readonly opened: OpenNetworks
  readonly directory: Directory
  readonly failed: FailedAuthentications
  readonly limiter: Limiter
  readonly usage: Pick<Usage, 'count' | 'countBytes'>
  readonly counters: Counters
  readonly inspector: Inspector
  readonly findSender: FindSender
  readonly clock: Clock
  readonly log: Log
}

/** Dependencies of the JSON-RPC pipeline. */
export function rpcPipelineParts(parts: RpcParts): RpcPipelineDeps {
  const { config, settings, opened, directory, limiter, usage, counters } = parts
  const { inspector, findSender, clock, log } = parts
  const logCall = createCallLog({ calls: () => settings.now.log.calls, clock, log })
  return {
    inspector,
    networks: opened.networks,
    authenticate: guardAuthentication<Caller | Promise<Caller>>(
      (key, secret, address, jwt) =>
        jwt === undefined
          ? directory.authenticate(key, secret, address)
          : directory.authenticateJwt(key, jwt, address),
      parts.failed,
    ),
    admitUnits: limiter.admitUnits,
    refundUnits: limiter.refundUnits,
    chargeUnits: limiter.chargeUnits,
    count(call) {
      usage.count(call)
      logCall(call)
    },
    countBytes: usage.countBytes,
    countAnswer: counters.countAnswer,
    clock,
    operationsOf: opened.operationsOf,
    resolveBlock,
    eventsOf: createEvents({ clock, log, findSender }),
    answerCache: createAnswerCache({ bytesMax: config.memory.answersBytesMax }),
    log,
  }
}

/** Accounts with a cached view of the content. */
const filesByAccountMax = 1000

export function openGateway(
  parts: RpcParts & {
    readonly content: OpenContent
    /** Rate shares of several nodes; absent: no other nodes. */
    readonly shares?: RateShares
    /** Time slices of the request thread. */
    readonly turns: FairTimeSlices
    readonly transferMeters: TransferMeters
    readonly denied: DenyLists
    readonly names: Names
    readonly storedBy: StorageReads['storedBy']
    readonly publicBlocks: PublicBlocks
    /** Rows of pins. */
    readonly rows: Rows
    /** Reads with a key search the IPFS network. */
    readonly searchesNetwork: boolean
  },
): OpenGateway {
  const { config, settings, content, directory, limiter, turns } = parts
  const { transferMeters, denied, names, rows, clock } = parts
  const { store, obtaining, obtainOutside, readRun, blockSources } = content
  const hasCardGate = () => settings.now.card.adapter !== 'none'
  const { searchesNetwork } = parts
  const hasSources = () => blockSources.now().length > 0
  const hasSourcesWithKey = () => searchesNetwork || hasSources()
  const readers = createPathLimits({
    clock,
    perSecond: () => settings.now.gateway.requestsPerSecondMax,
    blocksPerSecond: () => settings.now.gateway.blocksPerSecondMax,
    streamsMax: () => settings.now.gateway.streamsMax,
    streamsPerReaderMax: () => settings.now.gateway.streamsPerReaderMax,
    ...(parts.shares === undefined ? {} : { shares: parts.shares }),
  })
  const limits = {
    ...defaultFilesLimits,
    importBlocksMax: config.files.blocksMax,
    folderBytesMax: config.files.folderBytesMax,
    pinBlocksMax: config.files.blocksMax,
    idleMs: config.files.idleMs,
    unpinnedMs: config.files.unpinnedMs,
  }
  const filesSettings = {
    store,
    deleteBlocks: store.delete,
    obtain: obtaining.obtain,
    readRun,
    rows,
    clock,
    hasSources,
    turns,
    async resolveName(path: string, { offline }: FetchPolicy, signal: AbortSignal) {
      const terms = { recursive: true, fresh: false, offline, routers: true }
      return (await names.resolve(path, terms, signal)).path
    },
    limits,
    waiters: createFileWaiters(store, limits),
  }
  const shared = { store, obtain: obtaining.obtain, obtainOutside, readRun }
  const own = createAccountContent({ ...shared, storedBy: parts.storedBy })
  const publicContent = createAccountContent({
    ...shared,
    storedBy: (_account, multihashes) => parts.publicBlocks.arePublic(multihashes),
  })
  const { waiters, ...settingsOfAll } = filesSettings
  const isOwn = config.files.isolation === 'own'
  const filesByAccount = new Map<string, Files>()
  function filesOfAccount(accountId: string): Files {
    const known = filesByAccount.get(accountId)
    if (known !== undefined) return known
    const files = createFiles({
      ...settingsOfAll,
      ...(isOwn ? own.of(accountId) : { waiters }),
      ...(searchesNetwork ? { account: accountId, hasSources: hasSourcesWithKey } : {}),
    })
    setNewest(filesByAccount, accountId, files, filesByAccountMax)
    return files
  }
  const files = createFiles(filesSettings)
  const filesOf = isOwn || searchesNetwork ? filesOfAccount : null
  const pipeline = createPipeline({
    ...rpcPipelineParts(parts),
    files,
    publicFiles: createFiles({ ...settingsOfAll, ...publicContent.of('') }),
    filesOf,
    get cardGate() {
      return cardGateOf(settings.now)
    },
    admitFiles: limiter.admitFiles,
    transferMeters,
    names,
    importProfileOf: ({ settings: { importProfile } }) =>
      chooseProfile(settings.now.files, importProfile),
    paths: {
      isPublic: () => settings.now.gateway.public,
      hasPublicContent: () => directory.hasPublicContent(hasCardGate()),
      pinnedOnly: () => settings.now.gateway.pinnedOnly,
      fetches: hasSourcesWithKey,
      denialOf: denied.denialOf,
      denialOfName: denied.denialOfName,
      refreshDenials: denied.refreshNow,
      admit: readers.admit,
    },
  })
  return { ...pipeline, filesOf: filesOf ?? (() => files) }
}

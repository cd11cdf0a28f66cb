// Opens the request pipelines over the open parts: authentication, prices, usage, served files and paths.
// Settings are read at each request.
// Tested by test/start.test.ts
import type { FairTimeSlices } from '../base/fair-time-slices.ts'
import type { Caller } from '../access/accounts/caller.ts'
import type { Directory } from '../access/accounts/directory.ts'
import type { Clock } from '../base/clock.ts'
import { setNewest } from '../base/lru-cache.ts'
import type { Log } from '../base/log.ts'
import { chooseProfile } from './choose-profile.ts'
import type { Config } from '../config/settings.ts'
import type { Rows } from '../db/rows.ts'
import type { Database } from '../db/sqlite.ts'
import type { DenyFile } from './deny-file.ts'
import type { FindSender } from '../chain/sender-cache.ts'
import { createEvents } from '../rpc/subscriptions/network-events.ts'
import type { Pipeline } from './create-pipeline.ts'
import { createPipeline } from './create-pipeline.ts'
import type { Inspector } from '../pipeline/inspector/inspector.ts'
import { createAnswerCache } from '../rpc/answer-cache.ts'
import { resolveBlock } from '../rpc/request-context.ts'
import { createFiles, defaultFilesLimits } from '../ipfs/create-files.ts'
import type { Files } from '../ipfs/files.ts'
import { createAccountContent } from '../ipfs/account-content.ts'
import { createCallLog } from '../access/usage/call-log.ts'
import {
  type FailedAuthentications,
  guardAuthentication,
} from '../access/limits/failed-authentications.ts'
import type { TransferMeters } from '../access/limits/transfer-meters.ts'
import type { Limiter } from '../access/limits/limiter.ts'
import { createPathLimits } from '../access/limits/path-limits.ts'
import type { Usage } from '../access/usage/usage.ts'
import type { Counters } from '../metrics/counters.ts'
import { cardGateOf } from './open-cards.ts'
import type { OpenContent } from './open-content.ts'
import type { OpenNetworks } from './open-networks.ts'

/** Maximum number of accounts with a cached view of the content. */
const filesByAccountMax = 1000

export function openGateway(parts: {
  /** Settings at the start. */
  readonly config: Config
  /** Current settings. */
  readonly settings: { readonly now: Config }
  readonly content: OpenContent
  readonly opened: OpenNetworks
  readonly directory: Directory
  readonly failed: FailedAuthentications
  readonly limiter: Limiter
  /** Of the request thread. */
  readonly turns: FairTimeSlices
  readonly transferMeters: TransferMeters
  readonly usage: Usage
  readonly counters: Counters
  readonly inspector: Inspector
  readonly denied: DenyFile
  readonly findSender: FindSender
  readonly database: Database
  readonly rows: Rows
  readonly clock: Clock
  readonly log: Log
}): Pipeline {
  const { config, settings, content, opened, directory, limiter, turns, usage, counters } = parts
  const { inspector, transferMeters, denied, findSender, database, rows, clock, log } = parts
  const { store, obtaining, obtainOutside, readRun, blockSources } = content
  const hasCardGate = () => settings.now.card.adapter !== 'none'
  const hasSources = () => blockSources.now().length > 0
  const readers = createPathLimits({
    clock,
    perSecond: () => settings.now.gateway.requestsPerSecondMax,
    streamsMax: () => settings.now.gateway.streamsMax,
    streamsPerReaderMax: () => settings.now.gateway.streamsPerReaderMax,
  })
  const logCall = createCallLog({ calls: () => settings.now.log.calls, clock, log })
  const filesSettings = {
    store,
    forget: store.delete,
    obtain: obtaining.obtain,
    readRun,
    rows,
    clock,
    hasSources,
    turns,
    limits: {
      ...defaultFilesLimits,
      importBlocksMax: config.files.blocksMax,
      folderBytesMax: config.files.folderBytesMax,
      pinBlocksMax: config.files.blocksMax,
      idleMs: config.files.idleMs,
      unpinnedMs: config.files.unpinnedMs,
    },
  }
  const own = createAccountContent({
    store,
    obtain: obtaining.obtain,
    obtainOutside,
    readRun,
    database,
  })
  const filesByAccount = new Map<string, Files>()
  function ownFiles(accountId: string): Files {
    const known = filesByAccount.get(accountId)
    if (known !== undefined) return known
    const files = createFiles({ ...filesSettings, ...own.of(accountId) })
    setNewest(filesByAccount, accountId, files, filesByAccountMax)
    return files
  }
  return createPipeline({
    inspector,
    networks: opened.networks,
    files: createFiles(filesSettings),
    filesOf: config.files.isolation === 'own' ? ownFiles : null,
    authenticate: guardAuthentication<Caller | Promise<Caller>>(
      (key, secret, address, jwt) =>
        jwt === undefined
          ? directory.authenticate(key, secret, address)
          : directory.authenticateJwt(key, jwt, address),
      parts.failed,
    ),
    get cardGate() {
      return cardGateOf(settings.now)
    },
    admitUnits: limiter.admitUnits,
    refundUnits: limiter.refundUnits,
    chargeUnits: limiter.chargeUnits,
    admitFiles: limiter.admitFiles,
    transferMeters,
    importProfileOf: ({ settings: { importProfile } }) =>
      chooseProfile(settings.now.files, importProfile),
    paths: {
      isPublic: () => settings.now.gateway.public,
      openAccounts: () => directory.openAccounts(hasCardGate()),
      pinnedOnly: () => settings.now.gateway.pinnedOnly,
      fetches: hasSources,
      denies: denied.denies,
      admit: readers.admit,
    },
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
  })
}

// The gateway over what stands already: who enters, what is charged and counted, which files and paths are served.
// Settings are read at each request.
// Tested by test/start.test.ts
import type { Caller } from './accounts/caller.ts'
import type { Directory } from './accounts/directory.ts'
import type { Clock } from './base/clock.ts'
import type { Log } from './base/log.ts'
import { chooseProfile } from './choose-profile.ts'
import type { Config } from './config/settings.ts'
import type { Database } from './db/sqlite.ts'
import type { Writer } from './db/writer.ts'
import type { DenyFile } from './deny-file.ts'
import type { FindSender } from './ethereum/sender-cache.ts'
import { createEvents } from './gateway/events/network-events.ts'
import type { Gateway } from './gateway/gateway.ts'
import { createGateway } from './gateway/handle.ts'
import type { Inspector } from './gateway/inspect/inspector.ts'
import { createKeptAnswers } from './gateway/kept-answers.ts'
import { resolveBlock } from './gateway/resolve-block.ts'
import { createFiles, defaultFilesLimits } from './ipfs/create-files.ts'
import { type FailedEntries, guardEntries } from './limits/failed-entries.ts'
import type { FileMeters } from './limits/file-meters.ts'
import type { Limiter } from './limits/limiter.ts'
import { createPathLimits } from './limits/path-limits.ts'
import type { Usage } from './limits/usage.ts'
import type { Counters } from './metrics/counters.ts'
import type { OpenContent } from './open-content.ts'
import type { OpenNetworks } from './open-networks.ts'

export function openGateway(parts: {
  /** As of the start. */
  readonly config: Config
  /** As of now. */
  readonly settings: { readonly now: Config }
  readonly content: OpenContent
  readonly opened: OpenNetworks
  readonly directory: Directory
  readonly failed: FailedEntries
  readonly limiter: Limiter
  readonly fileMeters: FileMeters
  readonly usage: Usage
  readonly counters: Counters
  readonly inspector: Inspector
  readonly denied: DenyFile
  readonly findSender: FindSender
  readonly database: Database
  readonly writer: Writer
  readonly clock: Clock
  readonly log: Log
}): Gateway {
  const { config, settings, content, opened, directory, limiter, usage, counters } = parts
  const { inspector, fileMeters, denied, findSender, database, writer, clock, log } = parts
  const { store, obtaining, readRun, blockSources } = content
  const hasCardGate = () => settings.now.card.adapter !== 'none'
  const hasSources = () => blockSources.now().length > 0
  const readers = createPathLimits({
    clock,
    perSecond: () => settings.now.gateway.requestsPerSecondMax,
    streamsMax: () => settings.now.gateway.streamsMax,
    streamsPerReaderMax: () => settings.now.gateway.streamsPerReaderMax,
  })
  return createGateway({
    inspector,
    networks: opened.networks,
    files: createFiles({
      store,
      forget: store.forget,
      obtain: obtaining.obtain,
      readRun,
      database,
      writer,
      clock,
      hasSources,
      limits: {
        ...defaultFilesLimits,
        importBlocksMax: config.files.blocksMax,
        pinBlocksMax: config.files.blocksMax,
        idleMs: config.files.idleMs,
        unpinnedMs: config.files.unpinnedMs,
      },
    }),
    authenticate: guardEntries<Caller | Promise<Caller>>(
      (key, secret, address, jwt) =>
        jwt === undefined
          ? directory.authenticate(key, secret, address)
          : directory.authenticateJwt(key, jwt, address),
      parts.failed,
    ),
    get cardGate() {
      return hasCardGate()
    },
    admitUnits: limiter.admitUnits,
    refundUnits: limiter.refundUnits,
    chargeUnits: limiter.chargeUnits,
    admitFiles: limiter.admitFiles,
    fileMeters,
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
    count: usage.count,
    countBytes: usage.countBytes,
    countAnswer: counters.countAnswer,
    clock,
    operationsOf: opened.operationsOf,
    resolveBlock,
    eventsOf: createEvents({ clock, log, findSender }),
    keptAnswers: createKeptAnswers({ bytesMax: config.memory.answersBytesMax }),
    log,
  })
}

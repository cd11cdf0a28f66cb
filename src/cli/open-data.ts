// Opens the data folder for commands, with or without a running server: the same database and the same rules, and each change is
// durable before the command ends.
// Tested by test/cli/cli.test.ts
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createAccounts } from '../access/accounts/accounts.ts'
import { type JwtPublicKeys, createJwtPublicKeys } from '../access/accounts/jwt-public-keys.ts'
import type { Accounts } from '../access/accounts/accounts.ts'
import type { Cards } from '../access/cards/cards.ts'
import { obtainSealSecret } from '../access/accounts/server-identity.ts'
import type { Identity } from '../access/people/identity.ts'
import { silentLog } from '../base/log.ts'
import { systemClock } from '../base/clock.ts'
import { describeErrno } from '../base/describe-errno.ts'
import type { Config } from '../config/settings.ts'
import { createInlineWriter } from '../db/inline-writer.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/sqlite.ts'
import type { Database } from '../db/sqlite.ts'
import type { Rows } from '../db/rows.ts'
import { openCards, openIdentity } from '../server/open-access.ts'
import { makeDataFolder } from '../server/make-data-folder.ts'
import { refuseMoved } from '../server/move-mark.ts'
import { refuseLostDatabase } from '../server/open-content.ts'
import { type OpenRows, openRows } from '../server/open-rows.ts'
import type { OwnDenyList } from '../ipfs-gateway/own-denials.ts'
import { createSavedNetworks, type SavedNetworks } from '../server/saved-networks.ts'
import type { Context, SharedOptions } from './context.ts'
import { settingsOf } from './shared-options.ts'

export type Data = AsyncDisposable & {
  readonly accounts: Accounts
  readonly cards: Cards
  readonly publicKeys: JwtPublicKeys
  readonly identity: Identity
  /** Without the saved networks. */
  readonly config: Config
  readonly savedNetworks: SavedNetworks
  /** `cairn.db` and its rows: chain content, files and upstream records. */
  readonly db: Database
  readonly localRows: Rows
  /** Pins and file blocks. */
  readonly fileRows: Rows
  /** Rows of accounts, keys, people and usage: also in `cairn.db`, unless a setting names another database. */
  readonly rows: Rows
  readonly denials: OwnDenyList
}

/**
 * Opens `cairn.db` in the data folder. `make`: creates both if they are missing; without it a missing folder is an error, because a
 * misspelt path would look like an empty folder. Throws ConfigError, or an Error with a message for the user.
 */
export async function openData(
  context: Context,
  options: SharedOptions,
  { make = false }: { readonly make?: boolean } = {},
): Promise<Data> {
  const { config } = await settingsOf(context, options)
  const { dataDir, store } = config
  if (make) {
    refuseLostDatabase(dataDir)
    makeDataFolder(dataDir)
  } else refuseNoData(dataDir)
  if (config.database.url === null) refuseMoved(dataDir)
  const limit = store.bytesMax === null ? {} : { bytesMax: store.bytesMax }
  const db = openDatabase(join(dataDir, 'cairn.db'), limit)
  try {
    migrate(db)
  } catch (error) {
    db.close()
    throw error
  }
  const writer = createInlineWriter(db)
  let opened: OpenRows
  try {
    opened = await openRows({
      config,
      settings: { now: config },
      database: db,
      writer,
      sealSecret: () => obtainSealSecret(config),
      isSpooled: false,
      clock: systemClock,
      log: silentLog,
    })
  } catch (error) {
    db.close()
    throw error
  }
  const { rows, localRows, denials } = opened
  const parts = { rows, clock: systemClock }
  return {
    accounts: createAccounts(parts),
    cards: openCards({ ...parts, settings: { now: config } }).cards,
    publicKeys: createJwtPublicKeys(parts),
    identity: openIdentity({ ...parts, log: silentLog, settings: { now: config } }),
    config,
    savedNetworks: createSavedNetworks({
      ...parts,
      sealSecret: () => obtainSealSecret(config),
    }),
    db,
    localRows,
    fileRows: config.objects.url === null ? localRows : rows,
    rows,
    denials,
    async [Symbol.asyncDispose]() {
      denials.stop()
      await opened.close()
      await writer.close()
      db.close()
    },
  }
}

/** Throws an Error with a message for the user if there is no `cairn.db`. */
export function refuseNoData(dataDir: string): void {
  const path = join(dataDir, 'cairn.db')
  try {
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) return
  } catch (error) {
    throw new Error(`cannot read ${path}: ${describeErrno(error)}`, { cause: error })
  }
  refuseLostDatabase(dataDir)
  throw new Error(
    `no data in ${dataDir}: start the server once, or choose another folder with --data-dir`,
  )
}

/** ISO 8601 in UTC, for people and programs. */
export function showTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

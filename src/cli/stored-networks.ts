// The networks that a data folder stores, for read-only commands, with or without a running server.
// Tested by test/cli/cli-networks.test.ts
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  identityPath,
  type IdentityLocation,
  obtainSealSecret,
} from '../access/accounts/server-identity.ts'
import { systemClock } from '../base/clock.ts'
import { withSavedNetworks } from '../config/saved-network.ts'
import type { Config } from '../config/settings.ts'
import { createInlineWriter } from '../db/inline-writer.ts'
import { schemaVersion } from '../db/migrate.ts'
import { migrations } from '../db/migrations.ts'
import { createSqliteRows } from '../db/sqlite-rows.ts'
import { type Database, openDatabase } from '../db/sqlite.ts'
import { createSavedNetworks, readable, type SavedNetwork } from '../server/saved-networks.ts'

type StoredNetworks = {
  /** The settings with the stored networks. */
  readonly config: Config
  readonly saved: readonly SavedNetwork[]
}

/** Returns no networks for a folder that cannot be read: other checks report it. */
export async function findStoredNetworks(config: Config): Promise<StoredNetworks> {
  const { url } = config.database
  const saved = url === null ? await readStored(config) : await readRemote(config, url)
  return { config: withSavedNetworks(config, readable(saved)), saved }
}

async function readRemote(
  location: IdentityLocation,
  url: string,
): Promise<readonly SavedNetwork[]> {
  try {
    const { inspectPostgres } = await import('../db/postgres/inspect.ts')
    const found = await inspectPostgres({ url, mayLoseCommits: true, clock: systemClock })
    try {
      return found.rows === null ? [] : await listFrom(found.rows, location)
    } finally {
      await found.close()
    }
  } catch {
    return []
  }
}

function listFrom(
  rows: Parameters<typeof createSavedNetworks>[0]['rows'],
  location: IdentityLocation,
): Promise<readonly SavedNetwork[]> {
  const hasKey = existsSync(identityPath(location))
  return createSavedNetworks({
    rows,
    clock: systemClock,
    // Without the key file the secrets cannot be decrypted, and obtaining the key would create the file.
    sealSecret: () => (hasKey ? obtainSealSecret(location) : new Uint8Array(32)),
  }).list()
}

async function readStored(location: IdentityLocation): Promise<readonly SavedNetwork[]> {
  const path = join(location.dataDir, 'cairn.db')
  if (!existsSync(path)) return []
  let db: Database | null = null
  try {
    db = openDatabase(path, { readOnly: true })
    if (schemaVersion(db) !== migrations.length) return []
    return await listFrom(createSqliteRows(db, createInlineWriter(db)), location)
  } catch {
    return []
  } finally {
    db?.close()
  }
}

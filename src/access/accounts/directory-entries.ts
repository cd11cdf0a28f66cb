// Entries of the directory, built from rows: the data that a key and its secret are checked against, and the resulting callers.
// Tested by src/access/accounts/directory.test.ts
import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { toBareHex } from '../../base/hex.ts'
import type { Log } from '../../base/log.ts'
import type { CredentialRow } from '../../tables/api-keys.ts'
import type { AccountRows } from './account-source.ts'
import { compileAllowlists } from './allowlists.ts'
import { hashCredential } from './api-key.ts'
import type { Caller } from './caller.ts'
import type { JwtHolder } from './jwt-callers.ts'
import type { ParsedPublicKey } from './jwt-public-keys.ts'
import type { JwtKeys } from './jwt.ts'
import { parseAccountSettings, parseKeySettings } from './parse-key-settings.ts'

export type DirectoryEntry = JwtHolder & {
  readonly secretHash: Uint8Array
  /** Hash of the secret before the last rotation, and its expiry. */
  readonly earlierSecretHash: Uint8Array | null
  readonly earlierSecretExpires: number | null
  readonly expires: number | null
  readonly revoked: boolean
  readonly withSecret: Caller
}

const noKeys: JwtKeys = new Map()

export type DirectoryEntries = {
  /** Entries by hash of the key. */
  readonly read: Map<string, DirectoryEntry>
  /** Hashes of keys whose rows are damaged; they are logged. */
  readonly unreadable: Set<string>
}

export function toEntries({ credentials, publicKeys }: AccountRows, log: Log): DirectoryEntries {
  const byKey = new Map<string, Map<string, ParsedPublicKey>>()
  for (const { key_id: keyId, id, algorithm, spki } of publicKeys) {
    const keys = byKey.get(keyId) ?? new Map<string, ParsedPublicKey>()
    byKey.set(keyId, keys.set(id, { algorithm, spki }))
  }
  const read = new Map<string, DirectoryEntry>()
  const unreadable = new Set<string>()
  for (const row of credentials) {
    const hash = toBareHex(row.key_hash)
    try {
      read.set(hash, toEntry(row, byKey.get(row.id) ?? noKeys))
    } catch (error) {
      // One damaged row must not block other keys.
      unreadable.add(hash)
      log('error', 'api_key_unreadable', { keyId: row.id, error })
    }
  }
  return { read, unreadable }
}

const noSecretHash = new Uint8Array(32)

/** `entry` null: always makes two comparisons, so that the time does not reveal which hash exists. */
export function isSecret(
  entry: DirectoryEntry | null,
  secret: string | null,
  clock: Clock,
): boolean {
  if (secret === null) return false
  const hash = hashCredential(secret)
  const now = timingSafeEqual(hash, entry?.secretHash ?? noSecretHash)
  const earlier = timingSafeEqual(hash, entry?.earlierSecretHash ?? noSecretHash)
  return now || (earlier && !isExpired(entry?.earlierSecretExpires ?? null, clock))
}

export function isExpired(expires: number | null, clock: Clock): boolean {
  return expires !== null && clock.now() >= expires
}

function toEntry(row: CredentialRow, jwtKeys: JwtKeys): DirectoryEntry {
  const settings = parseKeySettings(row.settings)
  const caller: Caller = {
    accountId: row.account_id,
    accountName: row.account_name,
    keyId: row.id,
    hasCard: row.card === 1,
    settings,
    quotas: parseAccountSettings(row.account_settings),
    withSecret: false,
    allowlists: compileAllowlists(settings),
  }
  return {
    secretHash: row.secret_hash,
    earlierSecretHash: row.earlier_secret_hash,
    earlierSecretExpires: row.earlier_secret_expires,
    expires: row.expires,
    revoked: row.revoked !== null,
    withSecret: {
      ...caller,
      withSecret: true,
      allowlists: settings.overrideWithSecret ? null : caller.allowlists,
    },
    withoutSecret: caller,
    jwtKeys,
  }
}

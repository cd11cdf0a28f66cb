// Authenticates requests from memory. Reloads when `revision.accounts`, which triggers increment at each change, has
// changed. Keys that another process creates, revokes or marks therefore take effect within a second, and new keys
// and cards immediately.
import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { createLruCache } from '../../base/lru-cache.ts'
import { toBareHex } from '../../base/hex.ts'
import type { Log } from '../../base/log.ts'
import { findAll, findOne } from '../../db/sqlite-rows.ts'
import { revisionOf } from '../../tables/revisions.ts'
import type { Database } from '../../db/sqlite.ts'
import { type CredentialRow, listCredentials } from '../../tables/api-keys.ts'
import { listPublicKeys } from '../../tables/public-keys.ts'
import { compileAllowlists } from './allowlists.ts'
import { checkApiKey, hashCredential, hashToHex } from './api-key.ts'
import type { Caller } from './caller.ts'
import { createJwtCallers, type JwtHolder } from './jwt-callers.ts'
import type { JwtKeys } from './jwt.ts'
import type { KeySettings } from './key-settings.ts'
import { parseAccountSettings, parseKeySettings } from './parse-key-settings.ts'
import type { ParsedPublicKey } from './jwt-public-keys.ts'

export type Directory = {
  /**
   * Throws `bad_key` (unknown, malformed, expired, revoked), `bad_secret` (one was sent, and is wrong), or `damaged` (the
   * stored settings cannot be read).
   */
  authenticate(key: string, secret: string | null, address?: string): Caller
  /** Authenticates with a JWT instead of a secret; synchronous for a cached token. Throws `bad_key`, `bad_token`. */
  authenticateJwt(key: string, jwt: string, address?: string): Caller | Promise<Caller>
  /** Accounts with a key that makes their pinned content public; with `cardGate`, those of them with a card. */
  openAccounts(cardGate: boolean): readonly string[]
  /** A key with its secret and without its lists, for its own account; null: there is none that works. */
  callerOf(accountId: string, keyId: string): Caller | null
  /** Whether the requests of this key are recorded, as of the last look; false for a key that does not exist. */
  isInspected(key: string): boolean
  /** Of a key that works, as of the last look; null: there is none. */
  settingsOf(keyId: string): KeySettings | null
  /**
   * As `authenticate`, for a key by account ID and key ID. Returns null if the account has no such key.
   * Throws `bad_key`, whose reason is revoked or expired, or `bad_token`.
   */
  enterAs(accountId: string, keyId: string, shown: Shown): Caller | Promise<Caller> | null
  /** Reloads the accounts if they have changed. */
  refresh(): void
  stop(): void
}

type Entry = JwtHolder & {
  readonly secretHash: Uint8Array
  /** The secret before the last rotation, and when it ends. */
  readonly earlierSecretHash: Uint8Array | null
  readonly earlierSecretExpires: number | null
  readonly expires: number | null
  readonly revoked: boolean
  readonly withSecret: Caller
}

/** Data of a key. `secret`: the right one. */
type Shown = { readonly secret: boolean; readonly jwt?: string | undefined }

const accountsRevision = revisionOf('accounts')
const refreshPeriodMs = 1000
const damagedKey = 'the stored settings of this API key are damaged: only the operator can help'
const unknownKeptMs = 1000
const unknownMax = 10_000
const hashesMax = 4_096

/**
 * `db`: a read connection, own or shared; all reads are short. `mayLook`: returns false if an unknown key or secret of
 * this address must not cause a database read; without it, reads are unlimited. `ownHosts`: names of this server that
 * a JWT may contain as audience.
 */
export function createDirectory(parts: {
  readonly db: Database
  readonly mayLook?: (address: string) => boolean
  readonly ownHosts?: () => readonly string[]
  /** Longest life of a JWT, milliseconds; absent: any. */
  readonly jwtLifeMsMax?: () => number
  readonly clock: Clock
  readonly log: Log
}): Directory {
  const {
    db,
    clock,
    log,
    mayLook = () => true,
    ownHosts = () => [],
    jwtLifeMsMax = () => Infinity,
  } = parts
  const jwtCallers = createJwtCallers({ clock, ownHosts, lifeMsMax: jwtLifeMsMax })
  let entries = new Map<string, Entry>()
  let revision = -1
  let open: readonly Entry[] = []
  let byId = new Map<string, Entry>()
  /** By hash, of keys whose rows cannot be read. */
  let damaged: ReadonlySet<string> = new Set()
  // sha256 by key, of keys that are there: working it out for each call took a thirtieth of a cached answer's time.
  const hashes = createLruCache<string>({ sizeMax: hashesMax, sizeOf: () => 1 })
  // sha256 of keys that are not there -> when to look again.
  const unknown = new Map<string, number>()

  function refresh(): void {
    const now = findOne(db, accountsRevision)?.number ?? 0
    if (now === revision) return
    const read = new Map<string, Entry>()
    const unreadable = new Set<string>()
    const publicKeys = readPublicKeys(db)
    for (const row of findAll(db, listCredentials())) {
      try {
        read.set(toBareHex(row.key_hash), toEntry(row, publicKeys.get(row.id) ?? noKeys))
      } catch (error) {
        // One unreadable row closes its own door only.
        unreadable.add(toBareHex(row.key_hash))
        log('error', 'api_key_unreadable', { keyId: row.id, error })
      }
    }
    entries = read
    damaged = unreadable
    byId = new Map([...read.values()].map((entry) => [entry.withSecret.keyId, entry]))
    open = [...read.values()].filter(
      ({ revoked, withSecret: { settings } }) =>
        !revoked && settings.files && settings.gatewayPublic,
    )
    revision = now
    unknown.clear()
  }

  function hashOf(key: string): string {
    const known = hashes.find(key)
    if (known !== null) return known
    const hash = hashToHex(key)
    // A copy: a part of a text would keep the whole head that it came with.
    if (entries.has(hash)) hashes.add(Buffer.from(key).toString(), hash)
    return hash
  }

  function findEntry(hash: string, address: string): Entry | null {
    const entry = entries.get(hash)
    if (entry !== undefined) return entry
    if (damaged.has(hash)) throw new Fault('damaged', { detail: damagedKey })
    const now = clock.monotonic()
    if ((unknown.get(hash) ?? 0) > now || !mayLook(address)) return null
    refresh()
    const found = entries.get(hash) ?? null
    if (found === null) {
      if (unknown.size >= unknownMax) unknown.clear()
      unknown.set(hash, now + unknownKeptMs)
    }
    return found
  }

  function find(accountId: string, keyId: string): Entry | null {
    const entry = byId.get(keyId)
    return entry?.withSecret.accountId === accountId ? entry : null
  }

  function enter(key: string, address: string): Entry {
    const hash = hashOf(key)
    if (!entries.has(hash) && !checkApiKey(key)) throw new Fault('bad_key')
    const entry = findEntry(hash, address)
    if (entry === null || entry.revoked || isOver(entry.expires, clock)) throw new Fault('bad_key')
    return entry
  }

  refresh()
  const stop = clock.every(refreshPeriodMs, () => {
    try {
      refresh()
    } catch (error) {
      // Known keys go on working from memory; the next second tries again.
      log('error', 'accounts_not_refreshed', { error })
    }
  })

  return {
    refresh,
    stop,
    openAccounts(cardGate) {
      if (open.length === 0) return []
      const now = open.filter(
        ({ expires, withSecret }) => !isOver(expires, clock) && (withSecret.hasCard || !cardGate),
      )
      return [...new Set(now.map(({ withSecret }) => withSecret.accountId))]
    },
    isInspected: (key) => entries.get(hashOf(key))?.withSecret.settings.inspect === true,
    settingsOf(keyId) {
      const entry = byId.get(keyId)
      if (entry === undefined || entry.revoked || isOver(entry.expires, clock)) return null
      return entry.withSecret.settings
    },
    callerOf(accountId, keyId) {
      refresh()
      const entry = find(accountId, keyId)
      if (entry === null || entry.revoked || isOver(entry.expires, clock)) return null
      // A signed-in member of the account needs no JWT.
      return { ...entry.withSecret, jwt: { bringsLists: false }, allowlists: null }
    },
    enterAs(accountId, keyId, { secret, jwt }) {
      refresh()
      const entry = find(accountId, keyId)
      if (entry === null) return null
      if (entry.revoked) throw new Fault('bad_key', { data: { reason: 'revoked' } })
      if (isOver(entry.expires, clock)) throw new Fault('bad_key', { data: { reason: 'expired' } })
      if (jwt !== undefined) return jwtCallers.callerOf(entry, jwt)
      return secret ? entry.withSecret : entry.withoutSecret
    },
    authenticate(key, secret, address = '') {
      const hash = hashOf(key)
      // Cached tokens were verified when they were cached.
      if (!entries.has(hash) && !checkApiKey(key)) throw new Fault('bad_key')
      let entry = findEntry(hash, address)
      if (secret !== null && entry?.withSecret.hasCard === false) {
        // A card that was set a moment ago must open the door now.
        refresh()
        entry = findEntry(hash, address)
      }
      let right = isSecret(entry, secret, clock)
      if (entry !== null && secret !== null && !right && mayLook(address)) {
        // So must a secret that was made a moment ago.
        refresh()
        entry = findEntry(hash, address)
        right = isSecret(entry, secret, clock)
      }
      if (entry === null || entry.revoked || isOver(entry.expires, clock)) {
        throw new Fault('bad_key')
      }
      if (secret === null) return entry.withoutSecret
      if (!right) throw new Fault('bad_secret')
      return entry.withSecret
    },
    authenticateJwt(key, jwt, address = '') {
      const entry = enter(key, address)
      const caller = jwtCallers.callerOf(entry, jwt)
      if (!(caller instanceof Promise)) return caller
      return caller.catch((thrown: unknown) => {
        if (!mayLook(address)) throw thrown
        // A public key that was added a moment ago must work now.
        refresh()
        const fresh = enter(key, address)
        if (fresh === entry) throw thrown
        return jwtCallers.callerOf(fresh, jwt)
      })
    },
  }
}

const noKeys: JwtKeys = new Map()

function readPublicKeys(db: Database): ReadonlyMap<string, JwtKeys> {
  const byKey = new Map<string, Map<string, ParsedPublicKey>>()
  for (const { key_id: keyId, id, algorithm, spki } of findAll(db, listPublicKeys())) {
    const keys = byKey.get(keyId) ?? new Map<string, ParsedPublicKey>()
    byKey.set(keyId, keys.set(id, { algorithm, spki }))
  }
  return byKey
}

const noSecretHash = new Uint8Array(32)

// Always two comparisons, so that the time does not reveal which hash exists.
function isSecret(entry: Entry | null, secret: string | null, clock: Clock): boolean {
  if (secret === null) return false
  const hash = hashCredential(secret)
  const now = timingSafeEqual(hash, entry?.secretHash ?? noSecretHash)
  const earlier = timingSafeEqual(hash, entry?.earlierSecretHash ?? noSecretHash)
  return now || (earlier && !isOver(entry?.earlierSecretExpires ?? null, clock))
}

function isOver(expires: number | null, clock: Clock): boolean {
  return expires !== null && clock.now() >= expires
}

function toEntry(row: CredentialRow, jwtKeys: JwtKeys): Entry {
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

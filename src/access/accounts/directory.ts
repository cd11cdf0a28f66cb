// Authenticates requests from memory. Reloads when `revision.accounts` has changed, which triggers increment at each change. Keys
// that another process creates, revokes or marks take effect within a second, and new keys and cards immediately. With a remote
// database, only an unknown key waits for a database read.
// Tested by src/access/accounts/directory.test.ts, src/access/accounts/remote-directory.test.ts
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { createLruCache } from '../../base/lru-cache.ts'
import type { Log } from '../../base/log.ts'
import type { Database } from '../../db/sqlite.ts'
import { type AccountRows, type AccountSource, createLocalAccounts } from './account-source.ts'
import { checkApiKey, hashToHex } from './api-key.ts'
import type { Caller } from './caller.ts'
import { type DirectoryEntry, isExpired, isSecret, toEntries } from './directory-entries.ts'
import { createJwtCallers } from './jwt-callers.ts'
import type { KeySettings } from './key-settings.ts'

export type Directory = {
  /**
   * Throws `bad_key` (unknown, malformed, expired, revoked), `bad_secret` (wrong), or `damaged` (the stored settings cannot be
   * read). Returns a promise that rejects with the same faults if a remote database must be read first, and with `overloaded` if it
   * cannot be read.
   */
  authenticate(key: string, secret: string | null, address?: string): Caller | Promise<Caller>
  /** Authenticates with a JWT instead of a secret; synchronous for a cached token. Throws `bad_key`, `bad_token`. */
  authenticateJwt(key: string, jwt: string, address?: string): Caller | Promise<Caller>
  /** Whether any account makes pins public; with `cardGate`, only accounts with a card count. */
  hasPublicContent(cardGate: boolean): boolean
  /** The caller of a key as authenticated with its secret, without allowlists, for its own account; null: no valid key. */
  callerOf(accountId: string, keyId: string): Caller | null | Promise<Caller | null>
  /** Whether the inspector records the requests of this key, as of the last reload; false for an unknown key. */
  isInspected(key: string): boolean
  /** Settings of a valid key, as of the last reload; null: there is none. */
  settingsOf(keyId: string): KeySettings | null
  /**
   * As `authenticate`, for a key by account ID and key ID. Returns null if the account has no such key. Throws `bad_key` for a
   * revoked or expired key, or `bad_token`.
   */
  enterAs(accountId: string, keyId: string, shown: Shown): Caller | null | Promise<Caller | null>
  /** Reloads the accounts if they have changed. */
  refresh(): Promise<void> | undefined
  stop(): void
}

/** With a local database, only JWTs are verified asynchronously. */
export type LocalDirectory = Omit<Directory, 'authenticate' | 'callerOf' | 'refresh'> & {
  authenticate(key: string, secret: string | null, address?: string): Caller
  callerOf(accountId: string, keyId: string): Caller | null
  refresh(): void
}

/** The credentials of a request. `secret`: it carries the correct one. */
type Shown = { readonly secret: boolean; readonly jwt?: string | undefined }

const refreshPeriodMs = 1000
const damagedKey = 'the stored settings of this API key are damaged: only the operator can help'
const unknownCachedMs = 1000
const unknownMax = 10_000
const hashesMax = 4_096
/** Maximum number of concurrent lookups of unknown keys in a remote database. */
const lookupsMax = 64

type DirectoryParts = {
  readonly mayQuery?: (address: string) => boolean
  readonly serverHosts?: () => readonly string[]
  /** Maximum lifetime of a JWT in milliseconds; absent: no limit. */
  readonly jwtLifeMsMax?: () => number
  readonly clock: Clock
  readonly log: Log
}

/** As `createDirectoryOf`. `db`: a read connection, exclusive or shared; all reads are short. */
export function createDirectory(parts: DirectoryParts & { readonly db: Database }): LocalDirectory {
  // Reads are synchronous, so only a JWT creates a promise.
  return createDirectoryOf({ ...parts, source: createLocalAccounts(parts.db) }) as LocalDirectory
}

/**
 * `mayQuery`: returns false if an unknown key or secret of this address must not cause a database read; if absent, reads are not
 * limited. `serverHosts`: names of this server that a JWT may contain as audience. With a remote source, `refresh` must have resolved
 * before requests arrive.
 */
export function createDirectoryOf(
  parts: DirectoryParts & { readonly source: AccountSource },
): Directory {
  const {
    source,
    clock,
    log,
    mayQuery = () => true,
    serverHosts = () => [],
    jwtLifeMsMax = () => Infinity,
  } = parts
  const jwtCallers = createJwtCallers({ clock, serverHosts, lifeMsMax: jwtLifeMsMax })
  let entries = new Map<string, DirectoryEntry>()
  let isOpen = false
  let isOpenWithCard = false
  let byId = new Map<string, DirectoryEntry>()
  /** Hashes of keys whose rows are damaged. */
  let damaged: ReadonlySet<string> = new Set()
  // sha256 of known keys: hashing at each call took 3 % of the time of a cached answer.
  const hashes = createLruCache<string>({ sizeMax: hashesMax, sizeOf: () => 1 })
  // sha256 of unknown keys -> time of the next lookup.
  const unknown = new Map<string, number>()

  const lookups = new Map<string, Promise<void>>()

  function refresh(): Promise<void> | undefined {
    return source.refresh(replaceEntries)
  }

  function replaceEntries(rows: AccountRows): void {
    const { read, unreadable } = toEntries(rows, log)
    entries = read
    damaged = unreadable
    byId = new Map([...read.values()].map((entry) => [entry.withSecret.keyId, entry]))
    setOpen()
    unknown.clear()
  }

  function setOpen(): void {
    const open = [...entries.values()].filter(
      ({ withSecret: { quotas } }) => quotas.provide !== 'none',
    )
    isOpen = open.length > 0
    isOpenWithCard = open.some(({ withSecret }) => withSecret.hasCard)
  }

  /** Reads the current rows of one key. Undefined: done synchronously; otherwise resolves when done. */
  function lookUp(hash: string): Promise<void> | undefined {
    const { findKey } = source
    if (findKey !== null) return lookUpRemotely(hash, findKey)
    const refreshed = refresh()
    cacheUnknown(hash)
    return refreshed
  }

  function lookUpRemotely(
    hash: string,
    findKey: NonNullable<AccountSource['findKey']>,
  ): Promise<void> {
    const pending = lookups.get(hash)
    if (pending !== undefined) return pending
    if (lookups.size >= lookupsMax) return Promise.reject(new Fault('overloaded'))
    const lookup = findKey(Buffer.from(hash, 'hex'))
      .then((rows) => {
        if (rows !== null) addEntry(hash, rows)
        cacheUnknown(hash)
      })
      .finally(() => lookups.delete(hash))
    lookups.set(hash, lookup)
    return lookup
  }

  function addEntry(hash: string, rows: AccountRows): void {
    const { read, unreadable } = toEntries(rows, log)
    if (unreadable.size > 0) damaged = new Set([...damaged, ...unreadable])
    const entry = read.get(hash)
    if (entry === undefined) return
    entries.set(hash, entry)
    byId.set(entry.withSecret.keyId, entry)
    setOpen()
  }

  function cacheUnknown(hash: string): void {
    if (entries.has(hash)) return
    if (unknown.size >= unknownMax) unknown.clear()
    unknown.set(hash, clock.monotonic() + unknownCachedMs)
  }

  function hashOf(key: string): string {
    const known = hashes.find(key)
    if (known !== null) return known
    const hash = hashToHex(key)
    // Copy the key: a substring would keep the whole request head in memory.
    if (entries.has(hash)) hashes.add(Buffer.from(key).toString(), hash)
    return hash
  }

  /** Whether the database may contain a key that is not in memory. Throws `damaged`. */
  function mayBeNew(hash: string, address: string): boolean {
    if (damaged.has(hash)) throw new Fault('damaged', { detail: damagedKey })
    return (unknown.get(hash) ?? 0) <= clock.monotonic() && mayQuery(address)
  }

  function find(accountId: string, keyId: string): DirectoryEntry | null {
    const entry = byId.get(keyId)
    return entry?.withSecret.accountId === accountId ? entry : null
  }

  /** Throws `bad_key` for text that cannot be a key, and `overloaded` if the data in memory is too old. */
  function checkKey(key: string, hash: string): void {
    if (!entries.has(hash) && !checkApiKey(key)) throw new Fault('bad_key')
    if (!source.isCurrent()) {
      throw new Fault('overloaded', { detail: 'the accounts cannot be read at the moment' })
    }
  }

  /** Throws `bad_key` or `damaged` if the key is not valid. */
  function usable(entry: DirectoryEntry | undefined, hash: string): DirectoryEntry {
    if (entry === undefined) {
      if (damaged.has(hash)) throw new Fault('damaged', { detail: damagedKey })
      throw new Fault('bad_key')
    }
    if (entry.revoked || isExpired(entry.expires, clock)) throw new Fault('bad_key')
    return entry
  }

  function enter(key: string, address: string): DirectoryEntry | Promise<DirectoryEntry> {
    const hash = hashOf(key)
    checkKey(key, hash)
    if (entries.has(hash) || !mayBeNew(hash, address)) return usable(entries.get(hash), hash)
    return afterwards(lookUp(hash), () => usable(entries.get(hash), hash))
  }

  function mayHaveChanged(entry: DirectoryEntry, right: boolean, address: string): boolean {
    // A new card must take effect now; reading a local database is fast.
    if (!entry.withSecret.hasCard && source.findKey === null) return true
    // A new secret must take effect now.
    return !right && mayQuery(address)
  }

  function conclude(entry: DirectoryEntry, secret: string | null, right: boolean): Caller {
    if (secret === null) return entry.withoutSecret
    if (!right) throw new Fault('bad_secret')
    return entry.withSecret
  }

  /** Authenticates with the entries in memory. */
  function authenticateNow(hash: string, secret: string | null): Caller {
    const entry = entries.get(hash) ?? null
    // Compare before the key is checked, so that the time does not reveal which keys exist.
    const right = isSecret(entry, secret, clock)
    return conclude(usable(entries.get(hash), hash), secret, right)
  }

  function refreshQuietly(): void {
    const failed = (error: unknown): void => {
      // Continue with the known keys; the next second tries again.
      log('error', 'accounts_not_refreshed', { error })
    }
    try {
      refresh()?.catch(failed)
    } catch (error) {
      failed(error)
    }
  }

  if (source.findKey === null) void refresh()
  const stopPeriod = clock.every(refreshPeriodMs, refreshQuietly)
  const stopChanges = source.onChange(refreshQuietly)

  return {
    refresh,
    stop() {
      stopPeriod()
      stopChanges()
    },
    hasPublicContent: (cardGate) => (cardGate ? isOpenWithCard : isOpen),
    isInspected: (key) => entries.get(hashOf(key))?.withSecret.settings.inspect === true,
    settingsOf(keyId) {
      const entry = byId.get(keyId)
      if (entry === undefined || entry.revoked || isExpired(entry.expires, clock)) return null
      return entry.withSecret.settings
    },
    callerOf: (accountId, keyId) =>
      afterwards(refresh(), () => {
        const entry = find(accountId, keyId)
        if (entry === null || entry.revoked || isExpired(entry.expires, clock)) return null
        // A signed-in member of the account needs no JWT.
        return { ...entry.withSecret, jwt: { bringsLists: false }, allowlists: null }
      }),
    enterAs: (accountId, keyId, { secret, jwt }) =>
      afterwards<Caller | null | Promise<Caller>>(refresh(), () => {
        const entry = find(accountId, keyId)
        if (entry === null) return null
        if (entry.revoked) throw new Fault('bad_key', { data: { reason: 'revoked' } })
        if (isExpired(entry.expires, clock))
          throw new Fault('bad_key', { data: { reason: 'expired' } })
        if (jwt !== undefined) return jwtCallers.callerOf(entry, jwt)
        return secret ? entry.withSecret : entry.withoutSecret
      }),
    authenticate(key, secret, address = '') {
      const hash = hashOf(key)
      // Cached tokens were verified when they were cached.
      checkKey(key, hash)
      const entry = entries.get(hash)
      if (entry === undefined) {
        if (!mayBeNew(hash, address)) return authenticateNow(hash, secret)
        return afterwards(lookUp(hash), () => authenticateNow(hash, secret))
      }
      const right = isSecret(entry, secret, clock)
      if (secret !== null && mayHaveChanged(entry, right, address)) {
        return afterwards(lookUp(hash), () => authenticateNow(hash, secret))
      }
      return conclude(usable(entry, hash), secret, right)
    },
    authenticateJwt(key, jwt, address = '') {
      const entered = enter(key, address)
      if (entered instanceof Promise)
        return entered.then((entry) => jwtCallers.callerOf(entry, jwt))
      const caller = jwtCallers.callerOf(entered, jwt)
      if (!(caller instanceof Promise)) return caller
      return caller.catch(async (thrown: unknown) => {
        if (!mayQuery(address)) throw thrown
        // A new public key must take effect now.
        const hash = hashOf(key)
        await lookUp(hash)
        const fresh = usable(entries.get(hash), hash)
        if (fresh === entered) throw thrown
        return await jwtCallers.callerOf(fresh, jwt)
      })
    },
  }
}

/** Calls `then` synchronously if `first` is undefined. */
function afterwards<T>(first: Promise<void> | undefined, then: () => T): T | Promise<Awaited<T>> {
  return first === undefined ? then() : (first.then(then) as Promise<Awaited<T>>)
}

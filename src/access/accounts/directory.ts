// Authenticates requests from memory. Reloads when `revision.accounts`, which triggers increment at each change, has
// changed. Keys that another process creates, revokes or marks therefore take effect within a second, and new keys
// and cards immediately. With a remote database an unknown key waits for its row; known ones wait for nothing.
// Tested by src/access/accounts/directory.test.ts, src/access/accounts/remote-directory.test.ts
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { createLruCache } from '../../base/lru-cache.ts'
import type { Log } from '../../base/log.ts'
import type { Database } from '../../db/sqlite.ts'
import { type AccountRows, type AccountSource, createLocalAccounts } from './account-source.ts'
import { checkApiKey, hashToHex } from './api-key.ts'
import type { Caller } from './caller.ts'
import { type DirectoryEntry, isOver, isSecret, toEntries } from './directory-entries.ts'
import { createJwtCallers } from './jwt-callers.ts'
import type { KeySettings } from './key-settings.ts'

export type Directory = {
  /**
   * Throws `bad_key` (unknown, malformed, expired, revoked), `bad_secret` (one was sent, and is wrong), or `damaged` (the
   * stored settings cannot be read). A promise that rejects with the same, if a remote database must be read first; also
   * with `overloaded`, if it cannot be read.
   */
  authenticate(key: string, secret: string | null, address?: string): Caller | Promise<Caller>
  /** Authenticates with a JWT instead of a secret; synchronous for a cached token. Throws `bad_key`, `bad_token`. */
  authenticateJwt(key: string, jwt: string, address?: string): Caller | Promise<Caller>
  /** Whether an account makes pins public; with `cardGate`, one with a card. */
  hasPublicContent(cardGate: boolean): boolean
  /** A key with its secret and without its lists, for its own account; null: there is none that works. */
  callerOf(accountId: string, keyId: string): Caller | null | Promise<Caller | null>
  /** Whether the requests of this key are recorded, as of the last look; false for a key that does not exist. */
  isInspected(key: string): boolean
  /** Of a key that works, as of the last look; null: there is none. */
  settingsOf(keyId: string): KeySettings | null
  /**
   * As `authenticate`, for a key by account ID and key ID. Returns null if the account has no such key.
   * Throws `bad_key`, whose reason is revoked or expired, or `bad_token`.
   */
  enterAs(accountId: string, keyId: string, shown: Shown): Caller | null | Promise<Caller | null>
  /** Reloads the accounts if they have changed. */
  refresh(): Promise<void> | undefined
  stop(): void
}

/** Of a local database: only JWTs wait. */
export type LocalDirectory = Omit<Directory, 'authenticate' | 'callerOf' | 'refresh'> & {
  authenticate(key: string, secret: string | null, address?: string): Caller
  callerOf(accountId: string, keyId: string): Caller | null
  refresh(): void
}

/** Data of a key. `secret`: the right one. */
type Shown = { readonly secret: boolean; readonly jwt?: string | undefined }

const refreshPeriodMs = 1000
const damagedKey = 'the stored settings of this API key are damaged: only the operator can help'
const unknownKeptMs = 1000
const unknownMax = 10_000
const hashesMax = 4_096
/** Unknown keys that are looked up in a remote database at a time. */
const looksMax = 64

type DirectoryParts = {
  readonly mayLook?: (address: string) => boolean
  readonly ownHosts?: () => readonly string[]
  /** Longest life of a JWT, milliseconds; absent: any. */
  readonly jwtLifeMsMax?: () => number
  readonly clock: Clock
  readonly log: Log
}

/** As `createDirectoryOf`. `db`: a read connection, own or shared; all reads are short. */
export function createDirectory(parts: DirectoryParts & { readonly db: Database }): LocalDirectory {
  // It reads in the caller's turn, so nothing but a JWT makes a promise.
  return createDirectoryOf({ ...parts, source: createLocalAccounts(parts.db) }) as LocalDirectory
}

/**
 * `mayLook`: returns false if an unknown key or secret of this address must not cause a database read; without it, reads are
 * unlimited. `ownHosts`: names of this server that a JWT may contain as audience. With a remote source, `refresh` must
 * have resolved before requests arrive.
 */
export function createDirectoryOf(
  parts: DirectoryParts & { readonly source: AccountSource },
): Directory {
  const {
    source,
    clock,
    log,
    mayLook = () => true,
    ownHosts = () => [],
    jwtLifeMsMax = () => Infinity,
  } = parts
  const jwtCallers = createJwtCallers({ clock, ownHosts, lifeMsMax: jwtLifeMsMax })
  let entries = new Map<string, DirectoryEntry>()
  let isOpen = false
  let isOpenWithCard = false
  let byId = new Map<string, DirectoryEntry>()
  /** By hash, of keys whose rows cannot be read. */
  let damaged: ReadonlySet<string> = new Set()
  // sha256 by key, of keys that are there: working it out for each call took a thirtieth of a cached answer's time.
  const hashes = createLruCache<string>({ sizeMax: hashesMax, sizeOf: () => 1 })
  // sha256 of keys that are not there -> when to look again.
  const unknown = new Map<string, number>()

  const looks = new Map<string, Promise<void>>()

  function refresh(): Promise<void> | undefined {
    return source.refresh(take)
  }

  function take(rows: AccountRows): void {
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

  /** The current rows of one key. Undefined: read; otherwise when they are. */
  function look(hash: string): Promise<void> | undefined {
    const { findKey } = source
    if (findKey !== null) return lookRemotely(hash, findKey)
    const refreshed = refresh()
    noteUnknown(hash)
    return refreshed
  }

  function lookRemotely(
    hash: string,
    findKey: NonNullable<AccountSource['findKey']>,
  ): Promise<void> {
    const known = looks.get(hash)
    if (known !== undefined) return known
    if (looks.size >= looksMax) return Promise.reject(new Fault('overloaded'))
    const looking = findKey(Buffer.from(hash, 'hex'))
      .then((rows) => {
        if (rows !== null) addEntry(hash, rows)
        noteUnknown(hash)
      })
      .finally(() => looks.delete(hash))
    looks.set(hash, looking)
    return looking
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

  function noteUnknown(hash: string): void {
    if (entries.has(hash)) return
    if (unknown.size >= unknownMax) unknown.clear()
    unknown.set(hash, clock.monotonic() + unknownKeptMs)
  }

  function hashOf(key: string): string {
    const known = hashes.find(key)
    if (known !== null) return known
    const hash = hashToHex(key)
    // A copy: a part of a text would keep the whole head that it came with.
    if (entries.has(hash)) hashes.add(Buffer.from(key).toString(), hash)
    return hash
  }

  /** Whether the key may be known to the database although it is not here. Throws `damaged`. */
  function mayBeNew(hash: string, address: string): boolean {
    if (damaged.has(hash)) throw new Fault('damaged', { detail: damagedKey })
    return (unknown.get(hash) ?? 0) <= clock.monotonic() && mayLook(address)
  }

  function find(accountId: string, keyId: string): DirectoryEntry | null {
    const entry = byId.get(keyId)
    return entry?.withSecret.accountId === accountId ? entry : null
  }

  /** Throws `bad_key` for a text that cannot be a key, and `overloaded` if nothing that was read may decide. */
  function checkKey(key: string, hash: string): void {
    if (!entries.has(hash) && !checkApiKey(key)) throw new Fault('bad_key')
    if (!source.isCurrent()) {
      throw new Fault('overloaded', { detail: 'the accounts cannot be read at the moment' })
    }
  }

  /** Throws `bad_key` or `damaged` if the key does not work. */
  function usable(entry: DirectoryEntry | undefined, hash: string): DirectoryEntry {
    if (entry === undefined) {
      if (damaged.has(hash)) throw new Fault('damaged', { detail: damagedKey })
      throw new Fault('bad_key')
    }
    if (entry.revoked || isOver(entry.expires, clock)) throw new Fault('bad_key')
    return entry
  }

  function enter(key: string, address: string): DirectoryEntry | Promise<DirectoryEntry> {
    const hash = hashOf(key)
    checkKey(key, hash)
    if (entries.has(hash) || !mayBeNew(hash, address)) return usable(entries.get(hash), hash)
    return afterwards(look(hash), () => usable(entries.get(hash), hash))
  }

  function mayHaveChanged(entry: DirectoryEntry, right: boolean, address: string): boolean {
    // A card that was set a moment ago must open the door now: a local database is read in no time.
    if (!entry.withSecret.hasCard && source.findKey === null) return true
    // So must a secret that was made a moment ago.
    return !right && mayLook(address)
  }

  function conclude(entry: DirectoryEntry, secret: string | null, right: boolean): Caller {
    if (secret === null) return entry.withoutSecret
    if (!right) throw new Fault('bad_secret')
    return entry.withSecret
  }

  /** By the rows as they are now. */
  function authenticateNow(hash: string, secret: string | null): Caller {
    const entry = entries.get(hash) ?? null
    // Before the key is judged, so that the time does not reveal which exists.
    const right = isSecret(entry, secret, clock)
    return conclude(usable(entries.get(hash), hash), secret, right)
  }

  function refreshQuietly(): void {
    const failed = (error: unknown): void => {
      // Known keys go on working from memory; the next second tries again.
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
      if (entry === undefined || entry.revoked || isOver(entry.expires, clock)) return null
      return entry.withSecret.settings
    },
    callerOf: (accountId, keyId) =>
      afterwards(refresh(), () => {
        const entry = find(accountId, keyId)
        if (entry === null || entry.revoked || isOver(entry.expires, clock)) return null
        // A signed-in member of the account needs no JWT.
        return { ...entry.withSecret, jwt: { bringsLists: false }, allowlists: null }
      }),
    enterAs: (accountId, keyId, { secret, jwt }) =>
      afterwards<Caller | null | Promise<Caller>>(refresh(), () => {
        const entry = find(accountId, keyId)
        if (entry === null) return null
        if (entry.revoked) throw new Fault('bad_key', { data: { reason: 'revoked' } })
        if (isOver(entry.expires, clock))
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
        return afterwards(look(hash), () => authenticateNow(hash, secret))
      }
      const right = isSecret(entry, secret, clock)
      if (secret !== null && mayHaveChanged(entry, right, address)) {
        return afterwards(look(hash), () => authenticateNow(hash, secret))
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
        if (!mayLook(address)) throw thrown
        // A public key that was added a moment ago must work now.
        const hash = hashOf(key)
        await look(hash)
        const fresh = usable(entries.get(hash), hash)
        if (fresh === entered) throw thrown
        return await jwtCallers.callerOf(fresh, jwt)
      })
    },
  }
}

/** `then` in this turn, if there is nothing to wait for. */
function afterwards<T>(first: Promise<void> | undefined, then: () => T): T | Promise<Awaited<T>> {
  return first === undefined ? then() : (first.then(then) as Promise<Awaited<T>>)
}

// Accounts and keys for the command line and the admin API. Every change is one durable write. Keys and secrets are
// stored as hashes, so their text is returned only once, by the call that creates them.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Query, Rows } from '../../db/rows.ts'
import { NothingChanged, type Statement } from '../../db/writer.ts'
import {
  type AccountRow,
  findAccountById,
  findAccountByName,
  findAccountSettings,
  findOldestAccount,
  insertAccount,
  listAccounts,
  markCard,
  renameAccount,
  updateAccountSettings,
} from '../../tables/accounts.ts'
import {
  type ApiKeyRow,
  keyExists,
  findKeyByHash,
  findKeyById,
  findKeyOf,
  findKeySettings,
  type KeyFilter,
  insertKey,
  listKeys,
  listKeysOf,
  replaceSecret,
  revokeKey,
  updateKey,
} from '../../tables/api-keys.ts'
import { createKeyLimit, type KeyLimit } from './key-limit.ts'
import {
  AccountsRefusal,
  type RefusalReason,
  checkAccountName,
  checkKeyName,
  checkNewKey,
  quote,
  whyNoRotation,
} from './account-rules.ts'
import { createApiKey, createApiSecret, hashCredential, visiblePart } from './api-key.ts'
import {
  type AccountSettings,
  defaultAccountSettings,
  defaultKeySettings,
  type KeySettings,
} from './key-settings.ts'
import {
  changeAccountSettings,
  changeKeySettings,
  parseAccountSettings,
  parseKeySettings,
} from './parse-key-settings.ts'
import { replaceKey } from './rotation.ts'
import { type KeyPage, readKeyNames, readKeyPage } from './key-pages.ts'
import { toAccount, toApiKey, toListedAccount, toListedKey } from './stored-rows.ts'

/** Times are milliseconds since 1970 UTC. */
export type Account = {
  readonly id: string
  readonly name: string
  readonly created: number
  readonly hasCard: boolean
  readonly settings: AccountSettings
  /** Only in lists: the stored row is damaged, and `settings` are those of a new account. */
  readonly settingsDamaged?: true | undefined
}

export type ApiKey = {
  readonly id: string
  readonly accountId: string
  readonly accountName: string
  readonly name: string
  /** Up to 8 characters of the key, for identification. */
  readonly prefix: string
  readonly created: number
  readonly expires: number | null
  readonly revoked: number | null
  /** UTC day `2026-01-31`, or null: never used. */
  readonly lastUsedDay: string | null
  readonly settings: KeySettings
  /** Only in lists: the stored row is damaged, and `settings` are those of a new key. The key is refused. */
  readonly settingsDamaged?: true | undefined
  /** ID of the key that this one replaces, or null. */
  readonly rotatedFrom: string | null
  /** Expiry of the secret before the last rotation; null = never rotated. */
  readonly earlierSecretExpires: number | null
}

/** `key` and `secret` exist only in this reply: show them now. */
type CreatedKey = { readonly apiKey: ApiKey; readonly key: string; readonly secret: string }

type NewApiKey = {
  readonly name?: string
  readonly expires?: number | null
  readonly settings?: Partial<KeySettings>
  /** A key of another service, imported unchanged. `secret` null: Cairn creates one. */
  readonly imported?: { readonly key: string; readonly secret: string | null }
}

/** Reads include the writes of other processes. Throws AccountsRefusal with a message for the caller. */
export type Accounts = {
  createAccount(name: string, options?: { readonly hasCard?: boolean }): Promise<Account>
  listAccounts(): Promise<readonly Account[]>
  /** Null: there is no account. */
  oldestAccount(): Promise<Pick<Account, 'id' | 'name'> | null>
  hasKeys(): Promise<boolean>
  /** Finds an account by name. */
  findAccount(name: string): Promise<Account | null>
  getAccount(name: string): Promise<Account>
  getAccountById(id: string): Promise<Account>
  /** Renames the account; keys and pins remain unchanged. */
  renameAccount(id: string, name: string): Promise<void>
  /** The operator's mark: it enables the IPFS API. Removing it disables the API if the payment provider has no card. */
  setCard(accountName: string, hasCard: boolean): Promise<void>
  /** Changes an account by name. Settings that `changes` omits keep their value. */
  changeAccountSettings(
    accountName: string,
    changes: Partial<AccountSettings>,
  ): Promise<AccountSettings>
  createKey(accountName: string, options?: NewApiKey): Promise<CreatedKey>
  /** As `createKey`, in the account with this ID. */
  createKeyOf(accountId: string, options?: NewApiKey): Promise<CreatedKey>
  /**
   * Creates a key with the name and settings of the key `id`, which expires after `overlapMs` milliseconds (or at its own expiry,
   * if that is earlier); 0 revokes it now. Refused for a key that is revoked, expired, or has a valid successor.
   */
  rotateKey(id: string, overlapMs: number): Promise<CreatedKey>
  /**
   * Creates a new secret for the key `id`. The previous secret remains valid for `overlapMs` milliseconds. A key has at most two
   * secrets: a secret left from an earlier rotation expires immediately.
   */
  rotateSecret(
    id: string,
    overlapMs: number,
  ): Promise<{ readonly apiKey: ApiKey; readonly secret: string }>
  /** Keys of one account by name, or of all accounts. */
  listKeys(accountName?: string): Promise<readonly ApiKey[]>
  /** Finds a key by ID; null: there is none. */
  findKey(id: string): Promise<ApiKey | null>
  /** Null: the account has no such key. Both are IDs. */
  findKeyOf(accountId: string, id: string): Promise<ApiKey | null>
  /** Keys of an account by its ID. */
  listKeysOf(accountId: string): Promise<readonly ApiKey[]>
  /** Null: `from` is not a position in the list. */
  keyPage(
    filter: KeyFilter,
    page: { readonly from: string | null; readonly limit: number | null },
  ): Promise<KeyPage | null>
  /** Names of an account's keys by ID; the prefix of a key without a name. */
  keyNames(accountId: string): Promise<ReadonlyMap<string, string>>
  /** Limit of keys that owners create (setting `keys.perAccountMax`). */
  readonly keyLimit: KeyLimit
  /** Returns a key by its ID. */
  getKey(id: string): Promise<ApiKey>
  /** Permanent; a revoked key remains in lists. */
  revokeKey(id: string): Promise<void>
  /** Settings that `changes` omits keep their value. */
  changeSettings(id: string, changes: Partial<KeySettings>): Promise<KeySettings>
  /** As `changeSettings`, with name and expiry in the same write. `expires`: milliseconds since 1970; null = never. */
  changeKey(id: string, changes: KeyChanges): Promise<ApiKey>
}

type KeyChanges = {
  readonly name?: string
  readonly expires?: number | null
  readonly settings?: Partial<KeySettings>
}

export function createAccounts(parts: {
  readonly rows: Rows
  readonly clock: Clock
  /** Setting `keys.perAccountMax`; absent: no limit. */
  readonly keysMax?: () => number
}): Accounts {
  const { rows, clock, keysMax = () => Infinity } = parts

  async function change(
    statements: Statement | readonly Statement[],
    reason: RefusalReason,
    why: string,
  ): Promise<void> {
    try {
      await rows.write([statements].flat())
    } catch (cause) {
      if (cause instanceof NothingChanged) throw new AccountsRefusal(reason, why, { cause })
      throw cause
    }
  }

  /** `changed`: the new settings, merged into the stored ones; an earlier version stored fewer members. */
  async function changeStored<Settings>(
    stored: Query<{ readonly settings: string }>,
    changed: (stored: string) => Settings,
    update: (before: string, settings: string) => Statement,
  ): Promise<Settings> {
    const before = (await rows.first(stored))?.settings ?? '{}'
    const settings = changed(before)
    const why = 'the settings were changed by another request: try again'
    await change(update(before, JSON.stringify(settings)), 'bad_setting', why)
    return settings
  }

  async function changeStoredKey(
    id: string,
    settings: Partial<KeySettings>,
    otherChanges: Pick<KeyChanges, 'name' | 'expires'> = {},
  ): Promise<KeySettings> {
    return await changeStored(
      findKeySettings(id),
      (stored) => changeKeySettings(parseKeySettings(stored), settings),
      (before, after) => updateKey(id, before, { settings: after, ...otherChanges }),
    )
  }

  async function firstAccount(query: Query<AccountRow>): Promise<Account | null> {
    const row = await rows.first(query)
    return row === null ? null : toAccount(row)
  }

  async function firstKey(query: Query<ApiKeyRow>): Promise<ApiKey | null> {
    const row = await rows.first(query)
    return row === null ? null : toApiKey(row)
  }

  const findAccount = (name: string): Promise<Account | null> =>
    firstAccount(findAccountByName(name))

  const findKey = (id: string): Promise<ApiKey | null> => firstKey(findKeyById(id))

  async function getAccount(name: string): Promise<Account> {
    const account = await findAccount(name)
    if (account === null) throw noAccount(name)
    return account
  }

  async function getAccountById(id: string): Promise<Account> {
    const account = await firstAccount(findAccountById(id))
    if (account !== null) return account
    throw new AccountsRefusal('no_account', `no account has the id ${quote(id)}`)
  }

  async function getKey(id: string): Promise<ApiKey> {
    const found = await findKey(id)
    if (found !== null) return found
    const itself = await rows.first(findKeyByHash(hashCredential(id)))
    throw new AccountsRefusal(
      'no_key',
      // Do not print a key on a terminal that others may read.
      itself === null
        ? `no key has the id ${quote(id)}`
        : `that is the key itself, its id is ${itself.id}`,
    )
  }

  async function createKeyIn(account: Account, options: NewApiKey): Promise<CreatedKey> {
    const key = options.imported?.key ?? createApiKey()
    const secret = options.imported?.secret ?? createApiSecret()
    checkKeyName(options.name ?? '')
    checkNewKey(key, secret)
    const settings = changeKeySettings(defaultKeySettings, options.settings ?? {})
    const id = randomUUID()
    const insert = insertKey({
      id,
      account_id: account.id,
      name: options.name ?? '',
      prefix: visiblePart(key),
      key_hash: hashCredential(key),
      secret_hash: hashCredential(secret),
      created: clock.now(),
      expires: options.expires ?? null,
      settings: JSON.stringify(settings),
      rotated_from: null,
    })
    await change(insert, 'key_taken', 'this key exists already')
    return { apiKey: await getKey(id), key, secret }
  }

  return {
    findAccount,
    getAccount,
    getAccountById,
    findKey,
    getKey,

    async renameAccount(id, name) {
      checkAccountName(name)
      const takenMessage = `an account named ${quote(name)} exists already`
      await change(renameAccount(id, name), 'name_taken', takenMessage)
    },

    async createAccount(name, { hasCard = false } = {}) {
      checkAccountName(name)
      const settings = defaultAccountSettings
      const account: Account = { id: randomUUID(), name, created: clock.now(), hasCard, settings }
      const takenMessage = `an account named ${quote(name)} exists already`
      await change(insertAccount({ ...account, cardMarked: hasCard }), 'name_taken', takenMessage)
      return account
    },

    listAccounts: async () => (await rows.find(listAccounts())).map(toListedAccount),

    oldestAccount: () => rows.first(findOldestAccount()),

    hasKeys: async () => (await rows.first(keyExists())) !== null,

    async setCard(name, hasCard) {
      const { reason, message } = noAccount(name)
      await change(markCard(name, hasCard), reason, message)
    },

    async changeAccountSettings(name, changes) {
      const { id } = await getAccount(name)
      return await changeStored(
        findAccountSettings(id),
        (stored) => changeAccountSettings(parseAccountSettings(stored), changes),
        (before, after) => updateAccountSettings(id, before, after),
      )
    },

    createKey: async (name, options = {}) => await createKeyIn(await getAccount(name), options),

    createKeyOf: async (id, options = {}) => await createKeyIn(await getAccountById(id), options),

    async listKeys(name) {
      const query = name === undefined ? listKeys() : listKeysOf((await getAccount(name)).id)
      return (await rows.find(query)).map(toListedKey)
    },

    listKeysOf: async (accountId) => (await rows.find(listKeysOf(accountId))).map(toListedKey),

    keyPage: (filter, page) => readKeyPage(rows, filter, page),

    keyNames: (accountId) => readKeyNames(rows, accountId),

    findKeyOf: (accountId, id) => firstKey(findKeyOf(accountId, id)),

    keyLimit: createKeyLimit({ rows, clock, most: keysMax }),

    async revokeKey(id) {
      await getKey(id)
      const already = `the key with the id ${quote(id)} is revoked already`
      await change(revokeKey(id, clock.now()), 'no_key', already)
    },

    async rotateKey(id, overlapMs) {
      const before = await getKey(id)
      const key = createApiKey()
      const secret = createApiSecret()
      const fresh = { id: randomUUID(), key, secret }
      const statements = replaceKey({ before, fresh, now: clock.now(), overlapMs })
      await change(statements, 'no_key', whyNoRotation(before, clock.now()))
      return { apiKey: await getKey(fresh.id), key, secret }
    },

    async rotateSecret(id, overlapMs) {
      const before = await getKey(id)
      const secret = createApiSecret()
      const now = clock.now()
      const secretHash = hashCredential(secret)
      const statement = replaceSecret({ id, secretHash, now, earlierExpires: now + overlapMs })
      await change(statement, 'no_key', whyNoRotation(before, clock.now()))
      return { apiKey: await getKey(id), secret }
    },

    async changeSettings(id, changes) {
      await getKey(id)
      return await changeStoredKey(id, changes)
    },

    async changeKey(id, { settings = {}, ...otherChanges }) {
      await getKey(id)
      checkKeyName(otherChanges.name ?? '')
      await changeStoredKey(id, settings, otherChanges)
      return await getKey(id)
    },
  }
}

function noAccount(name: string): AccountsRefusal {
  return new AccountsRefusal('no_account', `no account is named ${quote(name)}`)
}

// Accounts and keys for the command line and the admin API. Every change is one durable write. Keys and secrets are
// stored as hashes, so their text is returned only once, by the call that creates them.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { findAll, findOne, toStatement, type Queries } from '../../db/queries.ts'
import type { Database } from '../../db/sqlite.ts'
import { NothingChanged, type Statement, type Writer } from '../../db/writer.ts'
import { createKeyLimit, type KeyLimit } from './key-limit.ts'
import { AccountsRefusal, type RefusalReason } from './accounts-refusal.ts'
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
import {
  checkAccountName,
  checkKeyName,
  checkNewKey,
  quote,
  whyNoRotation,
} from './account-rules.ts'
import { replaceKey, replaceSecret } from './rotation.ts'
import { toAccount, toApiKey, toListedAccount, toListedKey } from './stored-rows.ts'

/** Times are milliseconds since 1970 UTC. */
export type Account = {
  readonly id: string
  readonly name: string
  readonly created: number
  readonly hasCard: boolean
  readonly settings: AccountSettings
  /** Lists alone: its row is damaged, and `settings` are those of a new account. */
  readonly settingsDamaged?: true | undefined
}

export type ApiKey = {
  readonly id: string
  readonly accountId: string
  readonly accountName: string
  readonly name: string
  /** Up to 8 characters of the key, to recognise it by. */
  readonly prefix: string
  readonly created: number
  readonly expires: number | null
  readonly revoked: number | null
  /** UTC day `2026-01-31`, or null: never used. */
  readonly lastUsedDay: string | null
  readonly settings: KeySettings
  /** Lists alone: its row is damaged, and `settings` are those of a new key. It is refused. */
  readonly settingsDamaged?: true | undefined
  /** Id of the key that this one replaces, or null. */
  readonly rotatedFrom: string | null
  /** Until when the secret before the last rotation opens the key too; null = it was never rotated. */
  readonly earlierSecretExpires: number | null
}

/** `key` and `secret` are nowhere else: show them now. */
type Made = { readonly apiKey: ApiKey; readonly key: string; readonly secret: string }

type NewApiKey = {
  readonly name?: string
  readonly expires?: number | null
  readonly settings?: Partial<KeySettings>
  /** A key of another service, taken as it is. */
  readonly imported?: { readonly key: string; readonly secret: string }
}

/** Reads include the writes of other processes. Throws AccountsRefusal with a message for the caller. */
export type Accounts = {
  createAccount(name: string, options?: { readonly hasCard?: boolean }): Promise<Account>
  listAccounts(): readonly Account[]
  /** Null: there is none. */
  oldestAccount(): Pick<Account, 'id' | 'name'> | null
  hasKeys(): boolean
  /** By name. */
  findAccount(name: string): Account | null
  getAccount(name: string): Account
  getAccountById(id: string): Account
  /** Another name for the account; keys and pins stay as they are. */
  renameAccount(id: string, name: string): Promise<void>
  /** The operator's mark: it enables the IPFS API. Removing it disables the API if the payment provider has no card. */
  setCard(accountName: string, hasCard: boolean): Promise<void>
  /** Changes an account by name. Members that `changes` lacks keep their value. */
  changeAccountSettings(
    accountName: string,
    changes: Partial<AccountSettings>,
  ): Promise<AccountSettings>
  createKey(accountName: string, options?: NewApiKey): Promise<Made>
  /**
   * A new key with the name and the settings of the key `id`, which ends after `overlapMs` milliseconds (or
   * at its own end, if that comes first); 0 revokes it now. Refused for a key that is revoked, over, or has
   * a successor that works.
   */
  rotateKey(id: string, overlapMs: number): Promise<Made>
  /**
   * Creates a new secret for the key `id`. The previous secret stays valid for `overlapMs` milliseconds. A key has two
   * secrets at most: a secret left from an earlier rotation expires immediately.
   */
  rotateSecret(
    id: string,
    overlapMs: number,
  ): Promise<{ readonly apiKey: ApiKey; readonly secret: string }>
  /** Of one account by name, or of all. */
  listKeys(accountName?: string): readonly ApiKey[]
  /** By id; null: there is none. */
  findKey(id: string): ApiKey | null
  /** Null: the account has no such key. Both by id. */
  findKeyOf(accountId: string, id: string): ApiKey | null
  /** Of an account by its id. */
  listKeysOf(accountId: string): readonly ApiKey[]
  /** Ids of all keys of an account, by its id; also of those that are revoked. */
  keyIdsOf(accountId: string): readonly string[]
  /** For keys that owners make (setting `keys.perAccountMax`). */
  readonly keyLimit: KeyLimit
  /** By id. */
  getKey(id: string): ApiKey
  /** Final; a revoked key stays in lists. */
  revokeKey(id: string): Promise<void>
  /** Members that `changes` lacks keep their value. */
  changeSettings(id: string, changes: Partial<KeySettings>): Promise<KeySettings>
  /** The same, with name and end of the key in one write. `expires`: milliseconds since 1970; null = never. */
  changeKey(id: string, changes: KeyChanges): Promise<ApiKey>
}

type KeyChanges = {
  readonly name?: string
  readonly expires?: number | null
  readonly settings?: Partial<KeySettings>
}

export function createAccounts(parts: {
  readonly db: Database
  readonly writer: Writer
  readonly queries: Queries
  readonly clock: Clock
  /** Setting `keys.perAccountMax`; absent: no limit. */
  readonly keysMax?: () => number
}): Accounts {
  const { db, writer, queries, clock, keysMax = () => Infinity } = parts

  const accountRows = queries
    .selectFrom('account')
    .select(['id', 'name', 'created', 'card', 'settings'])
  const keyRows = queries
    .selectFrom('api_key as k')
    .innerJoin('account as a', 'a.id', 'k.account_id')
    .select(['k.id', 'k.account_id', 'a.name as account_name', 'k.name', 'k.prefix', 'k.created'])
    .select(['k.expires', 'k.revoked', 'k.last_used_day', 'k.settings', 'k.rotated_from'])
    .select('k.earlier_secret_expires')
  const inOrder = keyRows.orderBy('a.name').orderBy('k.created').orderBy('k.id')

  async function change(
    statements: Statement | readonly Statement[],
    reason: RefusalReason,
    why: string,
  ): Promise<void> {
    try {
      await writer.write([statements].flat())
    } catch (cause) {
      if (cause instanceof NothingChanged) throw new AccountsRefusal(reason, why, { cause })
      throw cause
    }
  }

  /** `changed`: the new settings, merged into the stored ones; an earlier version stored fewer members. */
  async function changeStored<Settings>(
    table: 'account' | 'api_key',
    id: string,
    changed: (stored: string) => Settings,
    beside: { readonly name?: string; readonly expires?: number | null } = {},
  ): Promise<Settings> {
    const rows = queries.selectFrom(table).select('settings').where('id', '=', id)
    const before = findOne(db, rows)?.settings ?? '{}'
    const settings = changed(before)
    const update = queries
      .updateTable(table)
      .set({ settings: JSON.stringify(settings), ...beside })
      .where('id', '=', id)
      // Of two concurrent changes, the second is refused and the first is kept.
      .where('settings', '=', before)
    const why = 'the settings were changed by another request: try again'
    await change(toStatement(update, 'change'), 'bad_setting', why)
    return settings
  }

  function findAccount(name: string): Account | null {
    const row = findOne(db, accountRows.where('name', '=', name))
    return row === null ? null : toAccount(row)
  }

  function getAccount(name: string): Account {
    const account = findAccount(name)
    if (account === null) throw noAccount(name)
    return account
  }

  function findKey(id: string): ApiKey | null {
    const row = findOne(db, keyRows.where('k.id', '=', id))
    return row === null ? null : toApiKey(row)
  }

  function getKey(id: string): ApiKey {
    const found = findKey(id)
    if (found !== null) return found
    const itself = findOne(db, keyRows.where('k.key_hash', '=', hashCredential(id)))
    throw new AccountsRefusal(
      'no_key',
      // A key is not repeated to a terminal that others may read.
      itself === null
        ? `no key has the id ${quote(id)}`
        : `that is the key itself, its id is ${itself.id}`,
    )
  }

  return {
    findAccount,
    getAccount,
    findKey,
    getKey,

    getAccountById(id) {
      const row = findOne(db, accountRows.where('id', '=', id))
      if (row !== null) return toAccount(row)
      throw new AccountsRefusal('no_account', `no account has the id ${quote(id)}`)
    },

    async renameAccount(id, name) {
      checkAccountName(name)
      const update = queries
        .updateTable('account')
        .set({ name })
        .where('id', '=', id)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('account as a').select('a.id').where('a.name', '=', name))),
        )
      const taken = `an account named ${quote(name)} exists already`
      await change(toStatement(update, 'change'), 'name_taken', taken)
    },

    async createAccount(name, { hasCard = false } = {}) {
      checkAccountName(name)
      const settings = defaultAccountSettings
      const account: Account = { id: randomUUID(), name, created: clock.now(), hasCard, settings }
      const { id, created } = account
      const insert = queries
        .insertInto('account')
        .values({ id, name, created, card: hasCard ? 1 : 0, card_marked: hasCard ? 1 : 0 })
        .onConflict((conflict) => conflict.column('name').doNothing())
      const taken = `an account named ${quote(name)} exists already`
      await change(toStatement(insert, 'change'), 'name_taken', taken)
      return account
    },

    listAccounts: () => findAll(db, accountRows.orderBy('name')).map(toListedAccount),

    oldestAccount: () => db.get('SELECT id, name FROM account ORDER BY created, id LIMIT 1'),

    hasKeys: () => db.getValue('SELECT 1 FROM api_key LIMIT 1') !== null,

    async setCard(name, hasCard) {
      const update = queries
        .updateTable('account')
        .set(({ exists, selectFrom }) => ({
          card_marked: hasCard ? 1 : 0,
          card: hasCard
            ? 1
            : exists(
                selectFrom('card')
                  .select('card.account_id')
                  .whereRef('card.account_id', '=', 'account.id')
                  .where('card.payment_method', 'is not', null),
              ).$castTo<number>(),
        }))
        .where('name', '=', name)
      const { reason, message } = noAccount(name)
      await change(toStatement(update, 'change'), reason, message)
    },

    async changeAccountSettings(name, changes) {
      const { id } = getAccount(name)
      return await changeStored('account', id, (stored) =>
        changeAccountSettings(parseAccountSettings(stored), changes),
      )
    },

    async createKey(name, options = {}) {
      const account = getAccount(name)
      const { key, secret } = options.imported ?? {
        key: createApiKey(),
        secret: createApiSecret(),
      }
      checkKeyName(options.name ?? '')
      checkNewKey(key, secret)
      const settings = changeKeySettings(defaultKeySettings, options.settings ?? {})
      const id = randomUUID()
      const insert = queries
        .insertInto('api_key')
        .values({
          id,
          account_id: account.id,
          name: options.name ?? '',
          prefix: visiblePart(key),
          key_hash: hashCredential(key),
          secret_hash: hashCredential(secret),
          created: clock.now(),
          expires: options.expires ?? null,
          revoked: null,
          last_used_day: null,
          settings: JSON.stringify(settings),
          rotated_from: null,
          earlier_secret_hash: null,
          earlier_secret_expires: null,
        })
        .onConflict((conflict) => conflict.column('key_hash').doNothing())
      await change(toStatement(insert, 'change'), 'key_taken', 'this key exists already')
      return { apiKey: getKey(id), key, secret }
    },

    listKeys(name) {
      const rows =
        name === undefined ? inOrder : inOrder.where('k.account_id', '=', getAccount(name).id)
      return findAll(db, rows).map(toListedKey)
    },

    listKeysOf: (accountId) =>
      findAll(db, inOrder.where('k.account_id', '=', accountId)).map(toListedKey),

    findKeyOf(accountId, id) {
      const row = findOne(db, keyRows.where('k.id', '=', id).where('k.account_id', '=', accountId))
      return row === null ? null : toApiKey(row)
    },

    keyIdsOf(accountId) {
      const rows = queries.selectFrom('api_key').select('id').where('account_id', '=', accountId)
      return findAll(db, rows).map(({ id }) => id)
    },

    keyLimit: createKeyLimit({ db, clock, most: keysMax }),

    async revokeKey(id) {
      getKey(id)
      const update = queries
        .updateTable('api_key')
        .set({ revoked: clock.now() })
        .where('id', '=', id)
        .where('revoked', 'is', null)
      const already = `the key with the id ${quote(id)} is revoked already`
      await change(toStatement(update, 'change'), 'no_key', already)
    },

    async rotateKey(id, overlapMs) {
      const before = getKey(id)
      const key = createApiKey()
      const secret = createApiSecret()
      const fresh = { id: randomUUID(), key, secret }
      const statements = replaceKey({ queries, before, fresh, now: clock.now(), overlapMs })
      await change(statements, 'no_key', whyNoRotation(before, clock.now()))
      return { apiKey: getKey(fresh.id), key, secret }
    },

    async rotateSecret(id, overlapMs) {
      const before = getKey(id)
      const secret = createApiSecret()
      const statement = replaceSecret({ queries, id, secret, now: clock.now(), overlapMs })
      await change(statement, 'no_key', whyNoRotation(before, clock.now()))
      return { apiKey: getKey(id), secret }
    },

    async changeSettings(id, changes) {
      getKey(id)
      return await changeStored('api_key', id, (stored) =>
        changeKeySettings(parseKeySettings(stored), changes),
      )
    },

    async changeKey(id, { settings = {}, ...beside }) {
      getKey(id)
      checkKeyName(beside.name ?? '')
      const changed = (stored: string) => changeKeySettings(parseKeySettings(stored), settings)
      await changeStored('api_key', id, changed, beside)
      return getKey(id)
    },
  }
}

function noAccount(name: string): AccountsRefusal {
  return new AccountsRefusal('no_account', `no account is named ${quote(name)}`)
}

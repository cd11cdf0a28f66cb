// Table `account`, with the flag `card`, which enables the IPFS API.
// Tested by src/access/accounts/accounts.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

export type AccountRow = {
  readonly id: string
  readonly name: string
  /** Milliseconds since 1970 UTC. */
  readonly created: number
  /** 1: the IPFS API is enabled, because the operator marked the account or its row of `card` has a payment method. */
  readonly card: number
  /** JSON of AccountSettings. */
  readonly settings: string
}

const selectAccounts = 'SELECT id, name, created, card, settings FROM account'

const hasPaymentMethod = `EXISTS (SELECT 1 FROM card AS c
  WHERE c.account_id = account.id AND c.payment_method IS NOT NULL)`

export function findAccountByName(name: string): Query<AccountRow> {
  return query(`${selectAccounts} WHERE name = ?`, [name])
}

export function findAccountById(id: string): Query<AccountRow> {
  return query(`${selectAccounts} WHERE id = ?`, [id])
}

/** Ordered by name. */
export function listAccounts(): Query<AccountRow> {
  return query(`${selectAccounts} ORDER BY name`)
}

export function findOldestAccount(): Query<Pick<AccountRow, 'id' | 'name'>> {
  return query('SELECT id, name FROM account ORDER BY created, id LIMIT 1')
}

export function findAccountSettings(id: string): Query<Pick<AccountRow, 'settings'>> {
  return query('SELECT settings FROM account WHERE id = ?', [id])
}

/** `card_marked`: 0 or 1, whether the operator marked the account as having a card. */
export function findCardMark(id: string): Query<{ readonly card_marked: number }> {
  return query('SELECT card_marked FROM account WHERE id = ?', [id])
}

/** Fails with `NothingChanged` if the name is taken. */
export function insertAccount(account: {
  readonly id: string
  readonly name: string
  readonly created: number
  readonly cardMarked: boolean
}): Statement {
  const { id, name, created, cardMarked } = account
  const mark = cardMarked ? 1 : 0
  return {
    sql: `INSERT INTO account (id, name, created, card, card_marked) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (name) DO NOTHING`,
    parameters: [id, name, created, mark, mark],
    require: 'change',
  }
}

/** Fails with `NothingChanged` if the name is taken. */
export function renameAccount(id: string, name: string): Statement {
  return {
    sql: `UPDATE account SET name = ? WHERE id = ?
      AND NOT EXISTS (SELECT 1 FROM account AS a WHERE a.name = ?)`,
    parameters: [name, id, name],
    require: 'change',
  }
}

/** Without the operator's mark, the payment provider's card decides. */
export function markCard(name: string, marked: boolean): Statement {
  const mark = marked ? 1 : 0
  return {
    sql: `UPDATE account SET card_marked = ?, card = CASE WHEN ${hasPaymentMethod} THEN 1 ELSE ? END WHERE name = ?`,
    parameters: [mark, mark, name],
    require: 'change',
  }
}

/**
 * Sets `card` from the mark and the payment method. The pipeline checks only this flag of the account. It is written only if it
 * changes, because each change of an account makes every process reload the accounts.
 */
export function updateCardFlag(id: string): Statement {
  return {
    sql: `UPDATE account SET card = gate.open
      FROM (SELECT CASE WHEN ${hasPaymentMethod} THEN 1 ELSE card_marked END AS open
        FROM account WHERE id = ?) AS gate
      WHERE id = ? AND card <> gate.open`,
    parameters: [id, id],
  }
}

/** Fails with `NothingChanged` if the settings differ from `before`, so of two concurrent changes only the first is stored. */
export function updateAccountSettings(id: string, before: string, settings: string): Statement {
  return {
    sql: 'UPDATE account SET settings = ? WHERE id = ? AND settings = ?',
    parameters: [settings, id, before],
    require: 'change',
  }
}

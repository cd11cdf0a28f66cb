// Tables `card`, `card_attempt` and `card_notice`: the payment provider's state of each account, started card forms, and received
// notices.
// Tested by src/access/cards/cards.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'
import { updateCardFlag } from './accounts.ts'

/** `as_of`: milliseconds since 1970 UTC; `newest` in the provider's unit, seconds. */
export type CardRow = {
  readonly customer: string | null
  /** Number of earlier customers of this account: the ID of a deleted customer is never reused. */
  readonly generation: number
  readonly payment_method: string | null
  readonly brand: string | null
  readonly last4: string | null
  readonly expiry_month: number | null
  readonly expiry_year: number | null
  /** Creation time of the newest card seen so far. */
  readonly newest: number
  /** Time of the provider's reply that this row stores. */
  readonly as_of: number
}

export function findCard(accountId: string): Query<CardRow> {
  return query(
    `SELECT customer, generation, payment_method, brand, last4, expiry_month, expiry_year, newest, as_of
      FROM card WHERE account_id = ?`,
    [accountId],
  )
}

/** The account that currently has this customer. */
export function findAccountOfCustomer(customer: string): Query<{ readonly account_id: string }> {
  return query('SELECT account_id FROM card WHERE customer = ?', [customer])
}

export function upsertCustomer(accountId: string, customer: string): readonly Statement[] {
  return [
    {
      sql: `INSERT INTO card (account_id, customer) VALUES (?, ?)
        ON CONFLICT (account_id) DO UPDATE SET customer = excluded.customer`,
      parameters: [accountId, customer],
    },
  ]
}

/** Stores the provider's reply at `as_of`, and its effect on the account. No effect if the stored row is newer. */
export function updateCard(
  accountId: string,
  row: Omit<CardRow, 'customer' | 'generation'>,
): readonly Statement[] {
  const { payment_method, brand, last4, expiry_month, expiry_year, newest, as_of } = row
  return [
    {
      sql: `UPDATE card SET payment_method = ?, brand = ?, last4 = ?, expiry_month = ?, expiry_year = ?,
        newest = ?, as_of = ? WHERE account_id = ? AND as_of <= ?`,
      parameters: [
        payment_method,
        brand,
        last4,
        expiry_month,
        expiry_year,
        newest,
        as_of,
        accountId,
        as_of,
      ],
    },
    updateCardFlag(accountId),
  ]
}

/** For a customer that the provider deleted together with its cards. */
export function clearCustomer(accountId: string, asOf: number): readonly Statement[] {
  return [
    {
      sql: `UPDATE card SET customer = NULL, generation = generation + 1, payment_method = NULL,
        brand = NULL, last4 = NULL, expiry_month = NULL, expiry_year = NULL, newest = 0, as_of = ?
        WHERE account_id = ?`,
      parameters: [asOf, accountId],
    },
    updateCardFlag(accountId),
  ]
}

/** `created`: milliseconds since 1970 UTC. */
export function findAttempt(
  accountId: string,
  attempt: string,
): Query<{ readonly created: number }> {
  return query('SELECT created FROM card_attempt WHERE account_id = ? AND attempt = ?', [
    accountId,
    attempt,
  ])
}

/** Fails with `NothingChanged` if the account started `most` forms since `after`. Deletes the account's earlier ones. */
export function insertAttempt(of: {
  readonly accountId: string
  readonly attempt: string
  readonly now: number
  readonly after: number
  readonly most: number
}): readonly Statement[] {
  const { accountId, attempt, now, after, most } = of
  return [
    {
      sql: 'DELETE FROM card_attempt WHERE account_id = ? AND created <= ?',
      parameters: [accountId, after],
    },
    {
      sql: `INSERT INTO card_attempt (account_id, attempt, created) SELECT ?, ?, ?
        WHERE (SELECT count(*) FROM card_attempt WHERE account_id = ? AND created > ?) < ?`,
      parameters: [accountId, attempt, now, accountId, after, most],
      require: 'change',
    },
  ]
}

export function findNotice(id: string): Query<{ readonly id: string }> {
  return query('SELECT id FROM card_notice WHERE id = ?', [id])
}

/** Also deletes up to 100 notices received before `before`. */
export function insertNotice(id: string, now: number, before: number): readonly Statement[] {
  return [
    {
      sql: `DELETE FROM card_notice WHERE id IN (
        SELECT id FROM card_notice WHERE received < ? ORDER BY received LIMIT 100)`,
      parameters: [before],
    },
    {
      sql: 'INSERT INTO card_notice (id, received) VALUES (?, ?) ON CONFLICT DO NOTHING',
      parameters: [id, now],
    },
  ]
}

// Database rows of cards: the payment provider's state per account, started forms, and received notices.
// Tested by src/access/cards/cards.test.ts
import { findOne, type Queries, toStatement } from '../../db/queries.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Statement } from '../../db/writer.ts'
import type { StoredCard } from './payment-provider.ts'

/** Times are milliseconds since 1970; `newest` in the provider's unit, seconds. */
export type CardRow = {
  readonly customer: string | null
  /** Number of earlier customers of this account: a deleted one is never reused. */
  readonly generation: number
  readonly payment_method: string | null
  readonly brand: string | null
  readonly last4: string | null
  readonly expiry_month: number | null
  readonly expiry_year: number | null
  /** When the newest card that was ever seen was made. */
  readonly newest: number
  /** Time of the provider's reply that this row stores. */
  readonly as_of: number
}

export type CardRows = {
  find(accountId: string): CardRow | null
  /** Id of the account that has this customer now. */
  findAccount(customer: string): string | null
  /** The operator's mark, independent of the provider. */
  isMarked(accountId: string): boolean
  keepCustomer(accountId: string, customer: string): readonly Statement[]
  /** The provider's reply at `asOf`; `newest`: see CardRow. Ignored if the stored row is newer. */
  keepCard(
    accountId: string,
    said: { readonly card: StoredCard | null; readonly newest: number; readonly asOf: number },
  ): readonly Statement[]
  /** The customer is gone, its cards with it. */
  forgetCustomer(accountId: string, asOf: number): readonly Statement[]
  hasAttempt(accountId: string, attempt: string): boolean
  /** Fails with NothingChanged when the account began `most` times since `after`. */
  keepAttempt(of: {
    readonly accountId: string
    readonly attempt: string
    readonly now: number
    readonly after: number
    readonly most: number
  }): readonly Statement[]
  hasNotice(id: string): boolean
  /** Forgets a hundred that came before `before`. */
  keepNotice(id: string, now: number, before: number): readonly Statement[]
}

// The pipeline checks the account's own flag. It is written only if it changes, because each change of an account
// makes every process reload the accounts.
const gateSql = `UPDATE account SET card = gate.open FROM (
    SELECT max(a.card_marked, EXISTS (
      SELECT 1 FROM card c WHERE c.account_id = a.id AND c.payment_method IS NOT NULL)) AS open
    FROM account a WHERE a.id = ?1) AS gate
  WHERE id = ?1 AND card <> gate.open`
const attemptSql = `INSERT INTO card_attempt (account_id, attempt, created) SELECT ?1, ?2, ?3
  WHERE (SELECT count(*) FROM card_attempt WHERE account_id = ?1 AND created > ?4) < ?5`
const oldAttemptsSql = 'DELETE FROM card_attempt WHERE account_id = ? AND created <= ?'
const noticeSql = 'INSERT INTO card_notice (id, received) VALUES (?, ?) ON CONFLICT DO NOTHING'
const oldNoticesSql = `DELETE FROM card_notice WHERE id IN (
    SELECT id FROM card_notice WHERE received < ? ORDER BY received LIMIT 100)`

export function createCardRows(db: Database, queries: Queries): CardRows {
  const gate = (accountId: string): Statement => ({ sql: gateSql, parameters: [accountId] })
  const cards = queries.selectFrom('card')
  return {
    find: (accountId) => findOne(db, cards.selectAll().where('account_id', '=', accountId)),

    findAccount: (customer) =>
      findOne(db, cards.select('account_id').where('customer', '=', customer))?.account_id ?? null,

    isMarked: (accountId) =>
      findOne(db, queries.selectFrom('account').select('card_marked').where('id', '=', accountId))
        ?.card_marked === 1,

    keepCustomer: (accountId, customer) => [
      toStatement(
        queries
          .insertInto('card')
          .values({ account_id: accountId, customer })
          .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ customer })),
      ),
    ],

    keepCard: (accountId, { card, newest, asOf }) => [
      toStatement(
        queries
          .updateTable('card')
          .set({
            payment_method: card?.id ?? null,
            brand: card?.brand ?? null,
            last4: card?.last4 ?? null,
            expiry_month: card?.expiryMonth ?? null,
            expiry_year: card?.expiryYear ?? null,
            newest,
            as_of: asOf,
          })
          .where('account_id', '=', accountId)
          .where('as_of', '<=', asOf),
      ),
      gate(accountId),
    ],

    forgetCustomer: (accountId, asOf) => [
      toStatement(
        queries
          .updateTable('card')
          .set(({ eb }) => ({
            customer: null,
            generation: eb('generation', '+', 1),
            payment_method: null,
            brand: null,
            last4: null,
            expiry_month: null,
            expiry_year: null,
            newest: 0,
            as_of: asOf,
          }))
          .where('account_id', '=', accountId),
      ),
      gate(accountId),
    ],

    hasAttempt: (accountId, attempt) =>
      findOne(
        db,
        queries
          .selectFrom('card_attempt')
          .select('created')
          .where('account_id', '=', accountId)
          .where('attempt', '=', attempt),
      ) !== null,

    keepAttempt: ({ accountId, attempt, now, after, most }) => [
      { sql: oldAttemptsSql, parameters: [accountId, after] },
      { sql: attemptSql, parameters: [accountId, attempt, now, after, most], require: 'change' },
    ],

    hasNotice: (id) =>
      findOne(db, queries.selectFrom('card_notice').select('id').where('id', '=', id)) !== null,

    keepNotice: (id, now, before) => [
      { sql: oldNoticesSql, parameters: [before] },
      { sql: noticeSql, parameters: [id, now] },
    ],
  }
}

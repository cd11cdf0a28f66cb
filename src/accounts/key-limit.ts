// How many keys an account may hold (setting `keys.perAccountMax`).
// Tested by test/admin-keys.test.ts
import type { Database } from '../db/sqlite.ts'
import { AccountsRefusal } from './accounts-refusal.ts'

/** Revoked and expired keys stay in the database, so they are bounded too. */
const allPerWorking = 10

/** Throws `too_many` where `most` keys of the account work at `now`, or where it holds ten times as many in all. */
export function checkKeyLimit(db: Database, accountId: string, most: number, now: number): void {
  const counts = db.get<{ held: number; working: number }>(
    `SELECT count(*) AS held, count(*) FILTER
      (WHERE revoked IS NULL AND (expires IS NULL OR expires > ?)) AS working
      FROM api_key WHERE account_id = ?`,
    [now, accountId],
  ) ?? { held: 0, working: 0 }
  if (counts.working >= most) {
    const why = `an account has at most ${most} keys that work (setting keys.perAccountMax): revoke one, or ask an operator`
    throw new AccountsRefusal('too_many', why)
  }
  if (counts.held >= most * allPerWorking) {
    const why = `an account has at most ${most * allPerWorking} keys, revoked ones included (ten times the setting keys.perAccountMax): ask an operator`
    throw new AccountsRefusal('too_many', why)
  }
}

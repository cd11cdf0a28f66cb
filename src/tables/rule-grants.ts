// Table `rule_grant`: roles that a rule of the settings grants to a person, and revokes when the rule no longer applies.
// Tested by test/admin/openid-rules.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

export type RuleGrantRow = {
  /** Empty: the operator role. */
  readonly account_id: string
  readonly role: 'operator' | 'owner' | 'member'
  /** The person's role in the account before the grant; null: none. */
  readonly before: 'owner' | 'member' | null
}

export function listRuleGrants(personId: string): Query<RuleGrantRow> {
  return query('SELECT account_id, role, before FROM rule_grant WHERE person_id = ?', [personId])
}

/** A later grant for the same account retains `before` of the first one. */
export function putRuleGrant(
  personId: string,
  { account_id: accountId, role, before }: RuleGrantRow,
): Statement {
  return {
    sql: `INSERT INTO rule_grant (person_id, account_id, role, before) VALUES (?, ?, ?, ?)
      ON CONFLICT (person_id, account_id) DO UPDATE SET role = excluded.role`,
    parameters: [personId, accountId, role, before],
  }
}

export function deleteRuleGrant(personId: string, accountId: string): Statement {
  const sql = 'DELETE FROM rule_grant WHERE person_id = ? AND account_id = ?'
  return { sql, parameters: [personId, accountId] }
}

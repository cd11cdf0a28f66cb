// Table `rule_grant`: roles that a person has by a rule of the settings, and loses when the rule no longer applies.
// Tested by test/admin/openid-rules.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

export type RuleGrantRow = {
  /** Empty: the role of operator. */
  readonly account_id: string
  readonly role: 'operator' | 'owner' | 'member'
  /** The role that the person had there before; null: none. */
  readonly before: 'owner' | 'member' | null
}

export function listRuleGrants(personId: string): Query<RuleGrantRow> {
  return query('SELECT account_id, role, before FROM rule_grant WHERE person_id = ?', [personId])
}

/** A later grant for the same account keeps `before` of the first one. */
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

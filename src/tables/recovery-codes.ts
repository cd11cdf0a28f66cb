// Table `recovery_code`: hashes of one-time codes that replace an authenticator's code.
// Tested by src/access/people/second-factor.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

export function countRecoveryCodes(personId: string): Query<{ readonly count: number }> {
  return query('SELECT count(*) AS count FROM recovery_code WHERE person_id = ?', [personId])
}

export function deleteRecoveryCodes(personId: string): Statement {
  return { sql: 'DELETE FROM recovery_code WHERE person_id = ?', parameters: [personId] }
}

/** `hashes`: sha256 of each code. */
export function insertRecoveryCodes(personId: string, hashes: readonly Uint8Array[]): Statement {
  return {
    sql: 'INSERT INTO recovery_code (person_id, code_hash) VALUES (?, ?)',
    parameters: [personId],
    rows: hashes.map((hash) => [hash]),
  }
}

/** Fails with `NothingChanged` if the person has no such code. */
export function useRecoveryCode(personId: string, hash: Uint8Array): Statement {
  return {
    sql: 'DELETE FROM recovery_code WHERE person_id = ? AND code_hash = ?',
    parameters: [personId, hash],
    require: 'change',
  }
}

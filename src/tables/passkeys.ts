// Table `passkey`: public keys that sign people in.
// Tested by src/access/people/passkeys.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

/** Times are milliseconds since 1970 UTC. */
export type PasskeyRow = {
  readonly id: string
  readonly name: string
  /** Host name that it was created for. */
  readonly rp_id: string
  readonly created: number
  readonly last_used: number | null
}

export type PasskeyCredentialRow = {
  readonly id: string
  readonly person_id: string
  /** COSE key, RFC 9052 section 7. */
  readonly public_key: Uint8Array
  readonly sign_count: number
}

/** Passkeys of one person, the oldest first. */
export function listPasskeys(personId: string): Query<PasskeyRow> {
  return query(
    `SELECT id, name, rp_id, created, last_used FROM passkey
     WHERE person_id = ? ORDER BY created, id`,
    [personId],
  )
}

/** Passkeys of one person for one host name. `transports`: separated by spaces. */
export function listPasskeyCredentials(
  personId: string,
  rpId: string,
): Query<{ readonly credential_id: Uint8Array; readonly transports: string }> {
  const sql = 'SELECT credential_id, transports FROM passkey WHERE person_id = ? AND rp_id = ?'
  return query(sql, [personId, rpId])
}

export function findPasskeyCredential(
  credentialId: Uint8Array,
  rpId: string,
): Query<PasskeyCredentialRow> {
  return query(
    `SELECT id, person_id, public_key, sign_count FROM passkey
     WHERE credential_id = ? AND rp_id = ?`,
    [credentialId, rpId],
  )
}

/** Returns one row if a passkey has this credential ID, for any host name. */
export function passkeyExists(credentialId: Uint8Array): Query<{ readonly found: 1 }> {
  return query('SELECT 1 AS found FROM passkey WHERE credential_id = ?', [credentialId])
}

/**
 * Fails with `NothingChanged` if the credential exists, the person has `perPersonMax` passkeys, or the person's session has ended.
 */
export function insertPasskey(
  passkey: Omit<PasskeyRow, 'last_used'> &
    Omit<PasskeyCredentialRow, 'id'> & {
      readonly credential_id: Uint8Array
      /** Separated by spaces. */
      readonly transports: string
    },
  condition: { readonly perPersonMax: number; readonly session: string },
): Statement {
  return {
    sql: `INSERT INTO passkey (id, person_id, credential_id, rp_id, public_key, sign_count, transports, name,
        created)
      SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE
        NOT EXISTS (SELECT 1 FROM passkey WHERE credential_id = ?3)
        AND (SELECT count(*) FROM passkey WHERE person_id = ?2) < ?11
        AND EXISTS (SELECT 1 FROM session WHERE id = ?10 AND person_id = ?2)`,
    parameters: [
      passkey.id,
      passkey.person_id,
      passkey.credential_id,
      passkey.rp_id,
      passkey.public_key,
      passkey.sign_count,
      passkey.transports,
      passkey.name,
      passkey.created,
      condition.session,
      condition.perPersonMax,
    ],
    require: 'change',
  }
}

/** Fails with `NothingChanged` if it was removed, or a concurrent request used it with the same count or a higher one. */
export function usePasskey(id: string, signCount: number, now: number): Statement {
  return {
    sql: `UPDATE passkey SET sign_count = ?1, last_used = ?2
      WHERE id = ?3 AND (sign_count < ?1 OR (sign_count = 0 AND ?1 = 0))`,
    parameters: [signCount, now, id],
    require: 'change',
  }
}

/** Fails with `NothingChanged` if this person has no such passkey. */
export function deletePasskey(id: string, personId: string): Statement {
  return {
    sql: 'DELETE FROM passkey WHERE id = ? AND person_id = ?',
    parameters: [id, personId],
    require: 'change',
  }
}

/** Deletes all passkeys of a person. */
export function deletePasskeys(personId: string): Statement {
  return { sql: 'DELETE FROM passkey WHERE person_id = ?', parameters: [personId] }
}

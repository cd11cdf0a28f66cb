// Table `public_key`: public keys that verify the JWTs of an API key. A successor of the API key has copies with the same IDs.
// Tested by src/access/accounts/jwt-public-keys.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

export type PublicKeyRow = {
  /** ID of the API key. */
  readonly key_id: string
  /** The `kid` of JWTs. */
  readonly id: string
  readonly name: string
  readonly algorithm: 'RS256' | 'ES256'
  /** DER of the SubjectPublicKeyInfo. */
  readonly spki: Uint8Array
  /** Milliseconds since 1970 UTC. */
  readonly created: number
}

/** The oldest first. */
export function listPublicKeysOf(keyId: string): Query<Omit<PublicKeyRow, 'key_id'>> {
  return query(
    `SELECT id, name, algorithm, spki, created FROM public_key WHERE key_id = ?
      ORDER BY created, id`,
    [keyId],
  )
}

/** The public keys of all API keys. */
export function listPublicKeys(): Query<Omit<PublicKeyRow, 'name' | 'created'>> {
  return query('SELECT key_id, id, algorithm, spki FROM public_key')
}

/** The public keys of the API key with this hash. */
export function listPublicKeysOfHash(
  keyHash: Uint8Array,
): Query<Omit<PublicKeyRow, 'name' | 'created'>> {
  return query(
    `SELECT p.key_id, p.id, p.algorithm, p.spki FROM public_key AS p
      JOIN api_key AS k ON k.id = p.key_id WHERE k.key_hash = ?`,
    [keyHash],
  )
}

/**
 * Fails with `NothingChanged` if the API key does not exist, has `keysMax` public keys, or already has this public key or its ID.
 */
export function insertPublicKey(row: PublicKeyRow, keysMax: number): Statement {
  const { key_id: keyId, id, name, algorithm, spki, created } = row
  return {
    sql: `INSERT INTO public_key (key_id, id, name, algorithm, spki, created)
      SELECT k.id, ?, ?, ?, ?, ? FROM api_key AS k WHERE k.id = ?
        AND (SELECT count(*) FROM public_key AS p WHERE p.key_id = ?) < ?
      ON CONFLICT DO NOTHING`,
    parameters: [id, name, algorithm, spki, created, keyId, keyId, keysMax],
    require: 'change',
  }
}

/** Copies the public keys of the API key `from` to the API key `to`. */
export function copyPublicKeys(from: string, to: string): Statement {
  return {
    sql: `INSERT INTO public_key (key_id, id, name, algorithm, spki, created)
      SELECT ?, p.id, p.name, p.algorithm, p.spki, p.created FROM public_key AS p WHERE p.key_id = ?`,
    parameters: [to, from],
  }
}

/** Fails with `NothingChanged` if it does not exist. */
export function deletePublicKey(keyId: string, id: string): Statement {
  return {
    sql: 'DELETE FROM public_key WHERE key_id = ? AND id = ?',
    parameters: [keyId, id],
    require: 'change',
  }
}

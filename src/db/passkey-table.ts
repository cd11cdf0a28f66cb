// The migrations of passkeys: keys that sign a person in without a password, for one host name.
// Tested by src/access/people/passkeys.test.ts

export const passkeyTable: readonly string[] = [
  // `rp_id`: the host name; `algorithm`: its number of COSE; `spki`: the public key, DER; `transports`: spaces between them.
  `CREATE TABLE passkey (id TEXT PRIMARY KEY, person_id TEXT NOT NULL REFERENCES person (id),
     credential_id BLOB NOT NULL UNIQUE, rp_id TEXT NOT NULL, algorithm INTEGER NOT NULL, spki BLOB NOT NULL,
     sign_count INTEGER NOT NULL, transports TEXT NOT NULL, name TEXT NOT NULL, created INTEGER NOT NULL,
     last_used INTEGER) WITHOUT ROWID`,
  `CREATE INDEX passkey_person ON passkey (person_id)`,
]

// Node's DER of an RSA key (RFC 8017, A.1.1): the length of the modulus in bytes 31 and 32, the modulus, `02`, the length of the
// exponent (at most 5), the exponent. SQLite reads hexadecimal numbers in JSON alone.
const modulusBytes = `json_extract('0x' || hex(substr(spki, 31, 2)), '$')`

/** Public keys as COSE (RFC 9052, 7) instead of SPKI, the input of @simplewebauthn/server. COSE names the algorithm. */
export const passkeyCoseKeys: readonly string[] = [
  `UPDATE passkey SET spki = CAST(x'a5010203262001215820' || substr(spki, 28, 32) || x'225820' || substr(spki, 60) AS BLOB)
     WHERE algorithm = -7`,
  `UPDATE passkey SET spki = CAST(x'a4010103272006215820' || substr(spki, 13) AS BLOB) WHERE algorithm = -8`,
  `UPDATE passkey SET spki = CAST(x'a40103033901002059' || substr(spki, 31, 2 + ${modulusBytes})
       || unhex('214' || substr(hex(substr(spki, 34 + ${modulusBytes}, 1)), 2)) || substr(spki, 35 + ${modulusBytes}) AS BLOB)
     WHERE algorithm = -257`,
  `ALTER TABLE passkey RENAME COLUMN spki TO public_key`,
  `ALTER TABLE passkey DROP COLUMN algorithm`,
]

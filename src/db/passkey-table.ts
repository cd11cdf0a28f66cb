// The migration that brings passkeys: what lets a person in without a password, by the name of the server it was made for.
// Tested by src/accounts/people/passkeys.test.ts

export const passkeyTable: readonly string[] = [
  // `rp_id`: the host name; `algorithm`: its number of COSE; `spki`: the public key, DER; `transports`: spaces between them.
  `CREATE TABLE passkey (id TEXT PRIMARY KEY, person_id TEXT NOT NULL REFERENCES person (id),
     credential_id BLOB NOT NULL UNIQUE, rp_id TEXT NOT NULL, algorithm INTEGER NOT NULL, spki BLOB NOT NULL,
     sign_count INTEGER NOT NULL, transports TEXT NOT NULL, name TEXT NOT NULL, created INTEGER NOT NULL,
     last_used INTEGER) WITHOUT ROWID`,
  `CREATE INDEX passkey_person ON passkey (person_id)`,
]

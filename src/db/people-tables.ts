// Migration that adds people: identities, roles in accounts, credentials, and the audit log. `revision.people` rises
// whenever the rights of a person change.
// Tested by src/db/people-tables.test.ts

/** What of a row, once changed, changes what its person may; last use and steps of an authenticator do not. */
const watched = {
  person: ['UPDATE OF email, name, operator, disabled, totp', 'DELETE'],
  membership: ['INSERT', 'UPDATE', 'DELETE'],
  session: ['UPDATE OF token_hash, expires', 'DELETE'],
  token: ['UPDATE OF role, expires, revoked', 'DELETE'],
} as const

export const peopleTables: readonly string[] = [
  // `totp`: the sealed secret of the authenticator; `totp_new`: one that is not confirmed; `totp_step`: of the last code.
  `CREATE TABLE person (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT NOT NULL, password TEXT NOT NULL,
     operator INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL, disabled INTEGER, totp BLOB, totp_new BLOB,
     totp_step INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID`,
  `CREATE TABLE membership (account_id TEXT NOT NULL REFERENCES account (id),
     person_id TEXT NOT NULL REFERENCES person (id), role TEXT NOT NULL, created INTEGER NOT NULL,
     PRIMARY KEY (account_id, person_id)) WITHOUT ROWID`,
  `CREATE INDEX membership_person ON membership (person_id)`,
  `CREATE TABLE recovery_code (person_id TEXT NOT NULL REFERENCES person (id), code_hash BLOB NOT NULL,
     PRIMARY KEY (person_id, code_hash)) WITHOUT ROWID`,
  `CREATE TABLE session (id TEXT PRIMARY KEY, person_id TEXT NOT NULL REFERENCES person (id),
     token_hash BLOB NOT NULL UNIQUE, created INTEGER NOT NULL, last_seen INTEGER NOT NULL, expires INTEGER NOT NULL,
     agent TEXT NOT NULL, address TEXT) WITHOUT ROWID`,
  `CREATE INDEX session_person ON session (person_id, last_seen)`,
  `CREATE TABLE invitation (id TEXT PRIMARY KEY, token_hash BLOB NOT NULL UNIQUE, role TEXT NOT NULL,
     account_id TEXT REFERENCES account (id), account_name TEXT, email TEXT, invited_by TEXT, created INTEGER NOT NULL,
     expires INTEGER NOT NULL, used INTEGER, first INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID`,
  `CREATE INDEX invitation_account ON invitation (account_id)`,
  `CREATE TABLE token (id TEXT PRIMARY KEY, person_id TEXT NOT NULL REFERENCES person (id),
     token_hash BLOB NOT NULL UNIQUE, name TEXT NOT NULL, prefix TEXT NOT NULL, role TEXT NOT NULL,
     created INTEGER NOT NULL, expires INTEGER, revoked INTEGER, last_used_day TEXT) WITHOUT ROWID`,
  `CREATE INDEX token_person ON token (person_id)`,
  `CREATE TABLE audit (id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, actor TEXT NOT NULL,
     actor_name TEXT NOT NULL, account_id TEXT, action TEXT NOT NULL, target TEXT, changes TEXT NOT NULL)`,
  `CREATE INDEX audit_account ON audit (account_id, id)`,
  `INSERT INTO revision (name, number) VALUES ('people', 0)`,
  ...Object.entries(watched).flatMap(([table, events]) =>
    events.map(
      (
        event,
      ) => `CREATE TRIGGER ${table}_${event.split(' ')[0]?.toLowerCase()}_people AFTER ${event} ON ${table}
        BEGIN UPDATE revision SET number = number + 1 WHERE name = 'people'; END`,
    ),
  ),
]

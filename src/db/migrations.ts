// Migrations roll forward only. Each is one list of statements; `user_version` counts the applied ones. Long lists come first, in
// alphabetical order: alerts, audit, cards, passkeys, people, usage. `migrations` defines the order.
// Tested by src/db/migrate.test.ts
import { lightClientTable } from './light-client-table.ts'
import { mfsTables } from './mfs-tables.ts'
import { pinRequestTables } from './pin-request-tables.ts'
import { announcedTimes, publicBlocks } from './public-triggers.ts'
import { ipnsTables } from './ipns-tables.ts'
import { storageBesidesBlocks, storageQuota, storageTriggers } from './storage-triggers.ts'

const alertTables: readonly string[] = [
  // Both are JSON lists of strings.
  `CREATE TABLE alert_targets (account_id TEXT PRIMARY KEY REFERENCES account (id), emails TEXT NOT NULL,
     webhooks TEXT NOT NULL) WITHOUT ROWID`,
  // `what`: the name of the limit and of its key. `period`: start of the period.
  `CREATE TABLE alert_told (account_id TEXT NOT NULL REFERENCES account (id), what TEXT NOT NULL,
     period INTEGER NOT NULL, level INTEGER NOT NULL, told INTEGER NOT NULL,
     PRIMARY KEY (account_id, what, period, level)) WITHOUT ROWID`,
]

/** Old values of a change, the name of its target, and an index for the changes of one person: see tables/audit.ts. */
const auditDetails: readonly string[] = [
  `ALTER TABLE audit ADD COLUMN previous TEXT`,
  `ALTER TABLE audit ADD COLUMN target_name TEXT`,
  `CREATE INDEX audit_actor ON audit (actor, id)`,
]

const cardTables: readonly string[] = [
  `ALTER TABLE account ADD COLUMN card_marked INTEGER NOT NULL DEFAULT 0`,
  `UPDATE account SET card_marked = card WHERE card <> 0`,
  `CREATE TABLE card (account_id TEXT PRIMARY KEY REFERENCES account (id), customer TEXT UNIQUE,
       generation INTEGER NOT NULL DEFAULT 0, payment_method TEXT, brand TEXT, last4 TEXT, expiry_month INTEGER,
       expiry_year INTEGER, newest INTEGER NOT NULL DEFAULT 0, as_of INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID`,
  `CREATE TABLE card_attempt (account_id TEXT NOT NULL REFERENCES account (id), attempt TEXT NOT NULL,
       created INTEGER NOT NULL, PRIMARY KEY (account_id, attempt)) WITHOUT ROWID`,
  `CREATE TABLE card_notice (id TEXT PRIMARY KEY, received INTEGER NOT NULL) WITHOUT ROWID`,
  `CREATE INDEX card_notice_received ON card_notice (received)`,
]

/** Content denied by an admin operation, and the revision that its triggers increment: see tables/denials.ts. */
const denialTable: readonly string[] = [
  `CREATE TABLE denial (rule TEXT PRIMARY KEY, status INTEGER NOT NULL, reason TEXT NOT NULL,
     created INTEGER NOT NULL) WITHOUT ROWID`,
  `INSERT INTO revision (name, number) VALUES ('denials', 0)`,
  ...['INSERT', 'UPDATE', 'DELETE'].map(
    (event) => `CREATE TRIGGER denial_${event.toLowerCase()}_revision AFTER ${event} ON denial
      BEGIN UPDATE revision SET number = number + 1 WHERE name = 'denials'; END`,
  ),
]

const passkeyTable: readonly string[] = [
  // `rp_id`: the host name; `algorithm`: its COSE number; `spki`: the public key, DER; `transports`: separated by spaces.
  `CREATE TABLE passkey (id TEXT PRIMARY KEY, person_id TEXT NOT NULL REFERENCES person (id),
     credential_id BLOB NOT NULL UNIQUE, rp_id TEXT NOT NULL, algorithm INTEGER NOT NULL, spki BLOB NOT NULL,
     sign_count INTEGER NOT NULL, transports TEXT NOT NULL, name TEXT NOT NULL, created INTEGER NOT NULL,
     last_used INTEGER) WITHOUT ROWID`,
  `CREATE INDEX passkey_person ON passkey (person_id)`,
]

// Node's DER form of an RSA key (RFC 8017, A.1.1): the length of the modulus in bytes 31 and 32, the modulus, `02`, the length of
// the exponent (at most 5), the exponent. SQLite parses hexadecimal numbers only in JSON.
const modulusBytes = `json_extract('0x' || hex(substr(spki, 31, 2)), '$')`

/** Public keys as COSE (RFC 9052, 7) instead of SPKI, as @simplewebauthn/server requires. COSE contains the algorithm. */
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

/** Identities at OpenID providers, and roles that rules granted. */
const identityTables: readonly string[] = [
  // `subject`: the claim `sub`; a person has at most one identity per issuer.
  `CREATE TABLE identity (issuer TEXT NOT NULL, subject TEXT NOT NULL, person_id TEXT NOT NULL REFERENCES person (id),
     email TEXT, created INTEGER NOT NULL, last_used INTEGER, PRIMARY KEY (issuer, subject),
     UNIQUE (person_id, issuer)) WITHOUT ROWID`,
  // `account_id` '': the operator role. `before`: the role that the grant replaced, or null.
  `CREATE TABLE rule_grant (person_id TEXT NOT NULL REFERENCES person (id), account_id TEXT NOT NULL,
     role TEXT NOT NULL, before TEXT, PRIMARY KEY (person_id, account_id)) WITHOUT ROWID`,
  // 1: the session was created with a second factor. Existing sessions of people with an authenticator began with a code or a
  // passkey.
  `ALTER TABLE session ADD COLUMN strong INTEGER NOT NULL DEFAULT 0`,
  `UPDATE session SET strong = 1 WHERE person_id IN (SELECT id FROM person WHERE totp IS NOT NULL)`,
]

/** Row changes that affect the rights of a person. Last use and authenticator steps do not. */
const watched = {
  person: ['UPDATE OF email, name, operator, disabled, totp', 'DELETE'],
  membership: ['INSERT', 'UPDATE', 'DELETE'],
  session: ['UPDATE OF token_hash, expires', 'DELETE'],
  token: ['UPDATE OF role, expires, revoked', 'DELETE'],
} as const

const peopleTables: readonly string[] = [
  // `totp`: the encrypted secret of the authenticator; `totp_new`: one that is not confirmed yet; `totp_step`: step of the last
  // code.
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

/** Columns `c0` to `c15` of a row of `latency`: see base/latency.ts for their steps. */
export const latencyColumns: readonly string[] = Array.from({ length: 16 }, (_, at) => `c${at}`)

// The HTTP status of each outcome, for rows of versions that did not store the status.
const carriedStatus = `CASE outcome WHEN 'ok' THEN 200
  WHEN 'bad_json' THEN 400 WHEN 'no_card' THEN 402 WHEN 'refused_by_setting' THEN 403
  WHEN 'too_large' THEN 413 WHEN 'wrong_media' THEN 415 WHEN 'over_rate' THEN 429
  WHEN 'over_quota' THEN iif(face = 'files', 403, 402) WHEN 'body_deadline' THEN 408
  WHEN 'deadline' THEN iif(face = 'files', 500, 504) WHEN 'hung_up' THEN 499 WHEN 'denied' THEN 410
  WHEN 'not_cached' THEN 412 WHEN 'bad_range' THEN 416 WHEN 'unverified' THEN 502
  WHEN 'no_upstream' THEN 503 WHEN 'overloaded' THEN 503 WHEN 'shutting_down' THEN 503
  WHEN 'no_space' THEN 507 WHEN 'internal' THEN 500
  WHEN 'bad_params' THEN iif(face = 'files', 400, 200)
  WHEN 'bad_argument' THEN iif(face = 'files', 400, 200)
  WHEN 'unsupported_option' THEN iif(face = 'files', 400, 200)
  ELSE iif(face = 'files', 500, 200) END`

const carriedSums = `face, network, method, outcome, '', ${carriedStatus}, sum(requests), sum(units),
  sum(bytes_in), sum(bytes_out)`
const carriedSpans = [
  [60, 'hour'],
  [1440, 'hour - hour % 86400000'],
] as const
const carriedHolders = [
  ['key_id', 'usage_hours'],
  [`'@' || api_key.account_id`, 'usage_hours JOIN api_key ON api_key.id = key_id'],
  [`'*'`, 'usage_hours'],
] as const

const usageSpans: readonly string[] = [
  `ALTER TABLE usage RENAME TO usage_hours`,
  // Ordered by holder: a report reads only its own rows, and the units of a day are one seek.
  `CREATE TABLE usage (holder TEXT NOT NULL, span INTEGER NOT NULL, start INTEGER NOT NULL, face TEXT NOT NULL,
     network TEXT NOT NULL, method TEXT NOT NULL, outcome TEXT NOT NULL, reason TEXT NOT NULL,
     status INTEGER NOT NULL, requests INTEGER NOT NULL, units INTEGER NOT NULL, bytes_in INTEGER NOT NULL,
     bytes_out INTEGER NOT NULL,
     PRIMARY KEY (holder, span, start, face, network, method, outcome, reason, status)) WITHOUT ROWID`,
  ...carriedSpans.flatMap(([span, start]) =>
    carriedHolders.map(
      ([
        holder,
        rows,
      ]) => `INSERT INTO usage SELECT ${holder} AS whose, ${span}, ${start} AS began, ${carriedSums}
        FROM ${rows} GROUP BY whose, began, face, network, method, outcome`,
    ),
  ),
  `DROP TABLE usage_hours`,
  // `part`: selects the sixteen latency steps that the columns count.
  `CREATE TABLE latency (holder TEXT NOT NULL, span INTEGER NOT NULL, start INTEGER NOT NULL, face TEXT NOT NULL,
     network TEXT NOT NULL, method TEXT NOT NULL, part INTEGER NOT NULL,
     ${latencyColumns.map((column) => `${column} INTEGER NOT NULL`).join(', ')},
     PRIMARY KEY (holder, span, start, face, network, method, part)) WITHOUT ROWID`,
  // Incremented by each write of usage, so that a reader knows which counters in memory are already stored.
  `INSERT INTO revision (name, number) VALUES ('usage', 0)`,
]

export const migrations: readonly (readonly string[])[] = [
  [
    `CREATE TABLE body (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)`,
    `CREATE TABLE content (kind TEXT NOT NULL, hash BLOB NOT NULL, body INTEGER NOT NULL,
       PRIMARY KEY (kind, hash)) WITHOUT ROWID`,
    `CREATE TABLE staged (batch TEXT NOT NULL, kind TEXT NOT NULL, hash BLOB NOT NULL, body INTEGER NOT NULL,
       PRIMARY KEY (batch, kind, hash)) WITHOUT ROWID`,
    `CREATE TABLE account (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, created INTEGER NOT NULL,
       card INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID`,
    `CREATE TABLE api_key (id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES account (id),
       name TEXT NOT NULL, prefix TEXT NOT NULL, key_hash BLOB NOT NULL UNIQUE, secret_hash BLOB NOT NULL,
       created INTEGER NOT NULL, expires INTEGER, revoked INTEGER, last_used_day TEXT,
       settings TEXT NOT NULL DEFAULT '{}') WITHOUT ROWID`,
    `CREATE INDEX api_key_account ON api_key (account_id)`,
    `CREATE TABLE pin (account_id TEXT NOT NULL REFERENCES account (id), cid BLOB NOT NULL, mode TEXT NOT NULL,
       name TEXT NOT NULL DEFAULT '', created INTEGER NOT NULL, PRIMARY KEY (account_id, cid)) WITHOUT ROWID`,
    `CREATE TABLE usage (hour INTEGER NOT NULL, key_id TEXT NOT NULL, face TEXT NOT NULL, network TEXT NOT NULL,
       method TEXT NOT NULL, outcome TEXT NOT NULL, requests INTEGER NOT NULL, units INTEGER NOT NULL,
       bytes_in INTEGER NOT NULL, bytes_out INTEGER NOT NULL,
       PRIMARY KEY (hour, key_id, face, network, method, outcome)) WITHOUT ROWID`,
    `CREATE TABLE chain_block (network TEXT NOT NULL, number INTEGER NOT NULL, hash BLOB NOT NULL,
       PRIMARY KEY (network, number)) WITHOUT ROWID`,
    `CREATE TABLE chain_transaction (network TEXT NOT NULL, hash BLOB NOT NULL, block_hash BLOB NOT NULL,
       position INTEGER NOT NULL, PRIMARY KEY (network, hash)) WITHOUT ROWID`,
    `CREATE TABLE chain_head (network TEXT PRIMARY KEY, number INTEGER NOT NULL, hash BLOB NOT NULL) WITHOUT ROWID`,
    `CREATE TABLE revision (name TEXT PRIMARY KEY, number INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID`,
    `INSERT INTO revision (name, number) VALUES ('accounts', 0)`,
    ...['account', 'api_key'].flatMap((table) =>
      ['INSERT', 'UPDATE', 'DELETE'].map(
        (
          event,
        ) => `CREATE TRIGGER ${table}_${event.toLowerCase()}_revision AFTER ${event} ON ${table}
          BEGIN UPDATE revision SET number = number + 1 WHERE name = 'accounts'; END`,
      ),
    ),
  ],
  [
    `ALTER TABLE api_key ADD COLUMN rotated_from TEXT`,
    `ALTER TABLE api_key ADD COLUMN earlier_secret_hash BLOB`,
    `ALTER TABLE api_key ADD COLUMN earlier_secret_expires INTEGER`,
    `CREATE INDEX api_key_rotated_from ON api_key (rotated_from)`,
  ],
  [
    `CREATE TABLE lie (id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, network TEXT NOT NULL,
       upstream TEXT NOT NULL, method TEXT NOT NULL, params TEXT NOT NULL, response TEXT NOT NULL,
       expected TEXT NOT NULL, computed TEXT NOT NULL, block TEXT)`,
  ],
  [
    `CREATE TABLE upstream_status (network TEXT NOT NULL, upstream TEXT NOT NULL, time INTEGER NOT NULL,
       status TEXT NOT NULL, PRIMARY KEY (network, upstream)) WITHOUT ROWID`,
  ],
  [
    // From this migration on, file blocks are in the segments of `store/`, see content/segments.
    `ALTER TABLE staged RENAME TO staged_content`,
    `CREATE TABLE block (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, file INTEGER NOT NULL,
       at INTEGER NOT NULL, bytes INTEGER NOT NULL, form INTEGER NOT NULL, size INTEGER NOT NULL,
       created INTEGER NOT NULL)`,
    `CREATE TABLE staged (batch TEXT NOT NULL, tree INTEGER NOT NULL, hash BLOB NOT NULL, file INTEGER,
       at INTEGER, bytes INTEGER, form INTEGER, size INTEGER NOT NULL,
       PRIMARY KEY (batch, tree, hash)) WITHOUT ROWID`,
    // Garbage collection must not delete earlier stored blocks that an open batch depends on.
    `CREATE INDEX staged_here ON staged (hash) WHERE file IS NULL`,
  ],
  [
    // A root is a set of blocks that accounts store: all blocks below a pinned CID, one block, or the unpinned blocks of an upload.
    `CREATE TABLE root (id INTEGER PRIMARY KEY, hash BLOB, codec INTEGER NOT NULL, mode TEXT NOT NULL,
       holders INTEGER NOT NULL DEFAULT 0, blocks INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0,
       UNIQUE (hash, codec, mode))`,
    `CREATE INDEX root_nameless ON root (id) WHERE hash IS NULL`,
    `CREATE TABLE closure (root INTEGER NOT NULL, block INTEGER NOT NULL, PRIMARY KEY (root, block)) WITHOUT ROWID`,
    `CREATE TABLE account_storage (id INTEGER PRIMARY KEY, account_id TEXT NOT NULL UNIQUE REFERENCES account (id),
       blocks INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0)`,
    `CREATE TABLE holding (storage INTEGER NOT NULL, root INTEGER NOT NULL, claims INTEGER NOT NULL,
       PRIMARY KEY (storage, root)) WITHOUT ROWID`,
    `CREATE TABLE charge (block INTEGER NOT NULL, storage INTEGER NOT NULL, roots INTEGER NOT NULL,
       size INTEGER NOT NULL, PRIMARY KEY (block, storage)) WITHOUT ROWID`,
    `CREATE TABLE releasing (id INTEGER PRIMARY KEY, storage INTEGER NOT NULL, root INTEGER NOT NULL,
       after INTEGER NOT NULL)`,
    `CREATE TABLE lease (id INTEGER PRIMARY KEY, account_id TEXT NOT NULL REFERENCES account (id),
       root INTEGER NOT NULL, expires INTEGER NOT NULL, wanted BLOB, UNIQUE (account_id, root))`,
    `CREATE INDEX lease_expires ON lease (expires)`,
    `ALTER TABLE pin ADD COLUMN root INTEGER`,
    `CREATE INDEX pin_uncounted ON pin (account_id) WHERE root IS NULL`,
    ...storageTriggers,
  ],
  [
    // Garbage collections requested by other processes, and their results.
    `CREATE TABLE collection (id INTEGER PRIMARY KEY, asked INTEGER NOT NULL, ended INTEGER,
       blocks INTEGER, bytes INTEGER, error TEXT)`,
    // Blocks whose copy an earlier version dropped: see tables/blocks.ts.
    `CREATE INDEX block_lost ON block (id) WHERE file = 0`,
  ],
  [
    // Transfer of keys over the IPFS API by calendar month (UTC), and transfer and storage limits of accounts.
    `CREATE TABLE transfer (key_id TEXT NOT NULL, month INTEGER NOT NULL, bytes_in INTEGER NOT NULL,
       bytes_out INTEGER NOT NULL, PRIMARY KEY (key_id, month)) WITHOUT ROWID`,
    `INSERT INTO transfer (key_id, month, bytes_in, bytes_out)
       SELECT key_id, unixepoch(hour / 1000, 'unixepoch', 'start of month') * 1000 AS month,
         sum(bytes_in), sum(bytes_out)
       FROM usage WHERE face = 'files' GROUP BY key_id, month`,
    `ALTER TABLE account ADD COLUMN settings TEXT NOT NULL DEFAULT '{}'`,
    ...storageQuota,
  ],
  [
    // Public keys that verify the JWTs of an API key.
    `CREATE TABLE public_key (key_id TEXT NOT NULL REFERENCES api_key (id), id TEXT NOT NULL, name TEXT NOT NULL,
       algorithm TEXT NOT NULL, spki BLOB NOT NULL, created INTEGER NOT NULL,
       PRIMARY KEY (key_id, id), UNIQUE (key_id, spki)) WITHOUT ROWID`,
    ...['INSERT', 'UPDATE', 'DELETE'].map(
      (
        event,
      ) => `CREATE TRIGGER public_key_${event.toLowerCase()}_revision AFTER ${event} ON public_key
        BEGIN UPDATE revision SET number = number + 1 WHERE name = 'accounts'; END`,
    ),
  ],
  [...usageSpans],
  [...cardTables],
  // People who sign in to the dashboard.
  [...peopleTables],
  // Pins of an account by creation time, for lists with the newest pins first.
  [`CREATE INDEX pin_created ON pin (account_id, created, cid)`],
  [...alertTables],
  [...passkeyTable],
  [
    // Position up to which the logs of the store are indexed in `block`: see tables/log-checkpoint.ts.
    `CREATE TABLE log_checkpoint (id INTEGER PRIMARY KEY CHECK (id = 1), file INTEGER NOT NULL, at INTEGER NOT NULL)`,
  ],
  [
    // The session or token that created an invitation: see access/people/invitations.ts.
    `ALTER TABLE invitation ADD COLUMN session_id TEXT`,
    `ALTER TABLE invitation ADD COLUMN token_id TEXT`,
  ],
  [
    // Copies that failed verification, see content/quarantine-rows.ts.
    `DROP INDEX block_lost`,
    `CREATE INDEX block_unreadable ON block (id, file) WHERE file <= 0`,
    `CREATE INDEX content_quarantined ON content (body) WHERE body < 0`,
    `CREATE TRIGGER content_replaced AFTER UPDATE OF body ON content
      WHEN OLD.body < 0 AND NEW.body <> -OLD.body
      BEGIN DELETE FROM body WHERE id = -OLD.body; END`,
    // To determine whether a missing header belongs to the chain.
    `CREATE INDEX chain_block_hash ON chain_block (network, hash)`,
  ],
  // Time of the last full check of the database: see server/watch-integrity.ts.
  [`CREATE TABLE database_check (id INTEGER PRIMARY KEY CHECK (id = 1), checked INTEGER NOT NULL)`],
  [...passkeyCoseKeys],
  [
    // Networks that operators save: see tables/saved-networks.ts. `sealed`: members of the network, encrypted.
    `CREATE TABLE saved_network (name TEXT PRIMARY KEY, is_default INTEGER NOT NULL, created INTEGER NOT NULL,
       changed INTEGER NOT NULL, sealed BLOB NOT NULL) WITHOUT ROWID`,
    `INSERT INTO revision (name, number) VALUES ('networks', 0)`,
    ...['INSERT', 'UPDATE', 'DELETE'].map(
      (
        event,
      ) => `CREATE TRIGGER saved_network_${event.toLowerCase()}_revision AFTER ${event} ON saved_network
        BEGIN UPDATE revision SET number = number + 1 WHERE name = 'networks'; END`,
    ),
  ],
  // How an embedded chain creates its next blocks: see devchain/saved-plan.ts.
  [`CREATE TABLE chain_plan (network TEXT PRIMARY KEY, plan TEXT NOT NULL) WITHOUT ROWID`],
  [...identityTables],
  [...denialTable],
  [
    // The last flush of each writer of usage: see tables/usage-flushes.ts.
    `CREATE TABLE usage_flush (writer TEXT PRIMARY KEY, seq INTEGER NOT NULL, time INTEGER NOT NULL) WITHOUT ROWID`,
  ],
  [...publicBlocks],
  [...pinRequestTables],
  [...mfsTables],
  [...ipnsTables],
  [...lightClientTable],
  [...announcedTimes],
  [
    // Number of replies by network and verification level, in a separate table: as a column of `usage` it would double the rows.
    `CREATE TABLE verified (holder TEXT NOT NULL, span INTEGER NOT NULL, start INTEGER NOT NULL, network TEXT NOT NULL,
       level TEXT NOT NULL, requests INTEGER NOT NULL,
       PRIMARY KEY (holder, span, start, network, level)) WITHOUT ROWID`,
  ],
  [
    // The block of another network that an embedded chain starts from: see devchain/fork/.
    `CREATE TABLE chain_fork (network TEXT PRIMARY KEY, source TEXT NOT NULL, asked TEXT NOT NULL, number INTEGER NOT NULL,
       hash BLOB NOT NULL, state_root BLOB NOT NULL) WITHOUT ROWID`,
  ],
  [...auditDetails],
  [
    // `rules`: a JSON list of rules on errors and latency. `what`: a rule as text; its row exists while the rule is violated.
    `ALTER TABLE alert_targets ADD COLUMN rules TEXT NOT NULL DEFAULT '[]'`,
    `CREATE TABLE alert_incident (account_id TEXT NOT NULL REFERENCES account (id), what TEXT NOT NULL,
       since INTEGER NOT NULL, PRIMARY KEY (account_id, what)) WITHOUT ROWID`,
  ],
  [...storageBesidesBlocks],
  // The API key that added the pin or the request; NULL: unknown, as for those of earlier versions.
  ['pin', 'pin_request'].map((table) => `ALTER TABLE ${table} ADD COLUMN key_id TEXT`),
]

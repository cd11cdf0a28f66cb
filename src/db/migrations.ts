// Migrations roll forward only. Each is one list of statements; `user_version` counts how many ran.
import { alertTables } from './alert-tables.ts'
import { cardTables } from './card-tables.ts'
import { passkeyCoseKeys, passkeyTable } from './passkey-table.ts'
import { peopleTables } from './people-tables.ts'
import { storageQuota } from './storage-quota.ts'
import { storageTriggers } from './storage-triggers.ts'
import { usageSpans } from './usage-spans.ts'

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
    // From here on file blocks are in the segments of `store/`, see content/segments.
    `ALTER TABLE staged RENAME TO staged_content`,
    `CREATE TABLE block (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, file INTEGER NOT NULL,
       at INTEGER NOT NULL, bytes INTEGER NOT NULL, form INTEGER NOT NULL, size INTEGER NOT NULL,
       created INTEGER NOT NULL)`,
    `CREATE TABLE staged (batch TEXT NOT NULL, tree INTEGER NOT NULL, hash BLOB NOT NULL, file INTEGER,
       at INTEGER, bytes INTEGER, form INTEGER, size INTEGER NOT NULL,
       PRIMARY KEY (batch, tree, hash)) WITHOUT ROWID`,
    // Only blocks that were here before need to be held against the sweep.
    `CREATE INDEX staged_here ON staged (hash) WHERE file IS NULL`,
  ],
  [
    // A root is a set of blocks that accounts keep: all below a pinned CID, one block, or what an upload left.
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
    // Quarantined and lost blocks: see tables/blocks.ts.
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
    // Keys that the JWTs of an ApiKey are signed for.
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
  // Pins of an account by when they were made, for a page that shows the newest.
  [`CREATE INDEX pin_created ON pin (account_id, created, cid)`],
  [...alertTables],
  [...passkeyTable],
  [
    // How far the logs of the store have been taken into `block`: see tables/log-checkpoint.ts.
    `CREATE TABLE log_checkpoint (id INTEGER PRIMARY KEY CHECK (id = 1), file INTEGER NOT NULL, at INTEGER NOT NULL)`,
  ],
  [
    // The session or the token that made an invitation: see access/people/invitations.ts.
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
    // Whether a header that is missing belongs to the chain.
    `CREATE INDEX chain_block_hash ON chain_block (network, hash)`,
  ],
  // When all of the database was checked last: see watch-integrity.ts.
  [`CREATE TABLE database_check (id INTEGER PRIMARY KEY CHECK (id = 1), checked INTEGER NOT NULL)`],
  [...passkeyCoseKeys],
]

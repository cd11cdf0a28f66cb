// The PostgreSQL schema, as migrations that roll forward only. The previous release must still work after each: add first, remove a
// release later. Chain content is not included: each machine has its own in SQLite.
// Tested by src/db/postgres/migrate.test.ts
import { postgresIpnsTables } from '../ipns-tables.ts'
import { latencyColumns } from '../migrations.ts'
import { postgresPinRequestTables } from '../pin-request-tables.ts'
import { postgresMfsTables } from '../mfs-tables.ts'
import { objectTables } from './object-tables.ts'
import { announcedTimes, publicBlocks } from './public-functions.ts'
import { storageBesidesBlocks, storageFunctions } from './storage-functions.ts'

/** Channel of notifications, whose payload is the name of a revision. */
export const revisionChannel = 'cairn_revision'

/** Number of the advisory lock under which audit rows get their IDs. */
const auditLock = 0x0c41_0004

// Texts compare by bytes, as in SQLite.
const text = 'text COLLATE "C"'

const accountTables: readonly string[] = [
  `CREATE TABLE account (id ${text} PRIMARY KEY, name ${text} NOT NULL UNIQUE, created bigint NOT NULL,
     card bigint NOT NULL DEFAULT 0, settings ${text} NOT NULL DEFAULT '{}', card_marked bigint NOT NULL DEFAULT 0)`,
  `CREATE TABLE api_key (id ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES account (id), name ${text} NOT NULL,
     prefix ${text} NOT NULL, key_hash bytea NOT NULL UNIQUE, secret_hash bytea NOT NULL, created bigint NOT NULL,
     expires bigint, revoked bigint, last_used_day ${text}, settings ${text} NOT NULL DEFAULT '{}',
     rotated_from ${text}, earlier_secret_hash bytea, earlier_secret_expires bigint)`,
  `CREATE INDEX api_key_account ON api_key (account_id)`,
  `CREATE INDEX api_key_rotated_from ON api_key (rotated_from)`,
  `CREATE TABLE public_key (key_id ${text} NOT NULL REFERENCES api_key (id), id ${text} NOT NULL, name ${text} NOT NULL,
     algorithm ${text} NOT NULL, spki bytea NOT NULL, created bigint NOT NULL, PRIMARY KEY (key_id, id),
     UNIQUE (key_id, spki))`,
  `CREATE TABLE card (account_id ${text} PRIMARY KEY REFERENCES account (id), customer ${text} UNIQUE,
     generation bigint NOT NULL DEFAULT 0, payment_method ${text}, brand ${text}, last4 ${text}, expiry_month bigint,
     expiry_year bigint, newest bigint NOT NULL DEFAULT 0, as_of bigint NOT NULL DEFAULT 0)`,
  `CREATE TABLE card_attempt (account_id ${text} NOT NULL REFERENCES account (id), attempt ${text} NOT NULL,
     created bigint NOT NULL, PRIMARY KEY (account_id, attempt))`,
  `CREATE TABLE card_notice (id ${text} PRIMARY KEY, received bigint NOT NULL)`,
  `CREATE INDEX card_notice_received ON card_notice (received)`,
  `CREATE TABLE alert_targets (account_id ${text} PRIMARY KEY REFERENCES account (id), emails ${text} NOT NULL,
     webhooks ${text} NOT NULL)`,
  `CREATE TABLE alert_told (account_id ${text} NOT NULL REFERENCES account (id), what ${text} NOT NULL,
     period bigint NOT NULL, level bigint NOT NULL, told bigint NOT NULL, PRIMARY KEY (account_id, what, period, level))`,
]

const peopleTables: readonly string[] = [
  `CREATE TABLE person (id ${text} PRIMARY KEY, email ${text} NOT NULL UNIQUE, name ${text} NOT NULL,
     password ${text} NOT NULL, operator bigint NOT NULL DEFAULT 0, created bigint NOT NULL, disabled bigint, totp bytea,
     totp_new bytea, totp_step bigint NOT NULL DEFAULT 0)`,
  `CREATE TABLE membership (account_id ${text} NOT NULL REFERENCES account (id),
     person_id ${text} NOT NULL REFERENCES person (id), role ${text} NOT NULL, created bigint NOT NULL,
     PRIMARY KEY (account_id, person_id))`,
  `CREATE INDEX membership_person ON membership (person_id)`,
  `CREATE TABLE recovery_code (person_id ${text} NOT NULL REFERENCES person (id), code_hash bytea NOT NULL,
     PRIMARY KEY (person_id, code_hash))`,
  `CREATE TABLE session (id ${text} PRIMARY KEY, person_id ${text} NOT NULL REFERENCES person (id),
     token_hash bytea NOT NULL UNIQUE, created bigint NOT NULL, last_seen bigint NOT NULL, expires bigint NOT NULL,
     agent ${text} NOT NULL, address ${text}, strong bigint NOT NULL DEFAULT 0)`,
  `CREATE INDEX session_person ON session (person_id, last_seen)`,
  `CREATE TABLE invitation (id ${text} PRIMARY KEY, token_hash bytea NOT NULL UNIQUE, role ${text} NOT NULL,
     account_id ${text} REFERENCES account (id), account_name ${text}, email ${text}, invited_by ${text},
     created bigint NOT NULL, expires bigint NOT NULL, used bigint, first bigint NOT NULL DEFAULT 0, session_id ${text},
     token_id ${text})`,
  `CREATE INDEX invitation_account ON invitation (account_id)`,
  `CREATE TABLE token (id ${text} PRIMARY KEY, person_id ${text} NOT NULL REFERENCES person (id),
     token_hash bytea NOT NULL UNIQUE, name ${text} NOT NULL, prefix ${text} NOT NULL, role ${text} NOT NULL,
     created bigint NOT NULL, expires bigint, revoked bigint, last_used_day ${text})`,
  `CREATE INDEX token_person ON token (person_id)`,
  `CREATE TABLE passkey (id ${text} PRIMARY KEY, person_id ${text} NOT NULL REFERENCES person (id),
     credential_id bytea NOT NULL UNIQUE, rp_id ${text} NOT NULL, public_key bytea NOT NULL, sign_count bigint NOT NULL,
     transports ${text} NOT NULL, name ${text} NOT NULL, created bigint NOT NULL, last_used bigint)`,
  `CREATE INDEX passkey_person ON passkey (person_id)`,
  `CREATE TABLE identity (issuer ${text} NOT NULL, subject ${text} NOT NULL,
     person_id ${text} NOT NULL REFERENCES person (id), email ${text}, created bigint NOT NULL, last_used bigint,
     PRIMARY KEY (issuer, subject), UNIQUE (person_id, issuer))`,
  `CREATE TABLE rule_grant (person_id ${text} NOT NULL REFERENCES person (id), account_id ${text} NOT NULL,
     role ${text} NOT NULL, before ${text}, PRIMARY KEY (person_id, account_id))`,
  `CREATE SEQUENCE audit_id`,
  `CREATE TABLE audit (id bigint PRIMARY KEY, time bigint NOT NULL, actor ${text} NOT NULL, actor_name ${text} NOT NULL,
     account_id ${text}, action ${text} NOT NULL, target ${text}, changes ${text} NOT NULL)`,
  `CREATE INDEX audit_account ON audit (account_id, id)`,
  // IDs appear in order: a reader that has read one ID has read all before it.
  `CREATE FUNCTION number_audit() RETURNS trigger AS $$
   BEGIN
     PERFORM pg_advisory_xact_lock(${auditLock});
     NEW.id := nextval('audit_id');
     RETURN NEW;
   END $$ LANGUAGE plpgsql`,
  `CREATE TRIGGER audit_numbered BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION number_audit()`,
]

const usageTables: readonly string[] = [
  `CREATE TABLE usage (holder ${text} NOT NULL, span bigint NOT NULL, start bigint NOT NULL, face ${text} NOT NULL,
     network ${text} NOT NULL, method ${text} NOT NULL, outcome ${text} NOT NULL, reason ${text} NOT NULL,
     status bigint NOT NULL, requests bigint NOT NULL, units bigint NOT NULL, bytes_in bigint NOT NULL,
     bytes_out bigint NOT NULL,
     PRIMARY KEY (holder, span, start, face, network, method, outcome, reason, status))`,
  `CREATE TABLE latency (holder ${text} NOT NULL, span bigint NOT NULL, start bigint NOT NULL, face ${text} NOT NULL,
     network ${text} NOT NULL, method ${text} NOT NULL, part bigint NOT NULL,
     ${latencyColumns.map((column) => `${column} bigint NOT NULL`).join(', ')},
     PRIMARY KEY (holder, span, start, face, network, method, part))`,
  `CREATE TABLE transfer (key_id ${text} NOT NULL, month bigint NOT NULL, bytes_in bigint NOT NULL,
     bytes_out bigint NOT NULL, PRIMARY KEY (key_id, month))`,
  `CREATE TABLE usage_flush (writer ${text} PRIMARY KEY, seq bigint NOT NULL, time bigint NOT NULL)`,
]

/** Files: see the comments of `db/migrations.ts`. */
const fileTables: readonly string[] = [
  `CREATE TABLE block (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, hash bytea NOT NULL UNIQUE,
     file bigint NOT NULL, at bigint NOT NULL, bytes bigint NOT NULL, form bigint NOT NULL, size bigint NOT NULL,
     created bigint NOT NULL)`,
  `CREATE INDEX block_unreadable ON block (id, file) WHERE file <= 0`,
  `CREATE TABLE staged (batch ${text} NOT NULL, tree bigint NOT NULL, hash bytea NOT NULL, file bigint, at bigint,
     bytes bigint, form bigint, size bigint NOT NULL, PRIMARY KEY (batch, tree, hash))`,
  `CREATE INDEX staged_here ON staged (hash) WHERE file IS NULL`,
  `CREATE TABLE root (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, hash bytea, codec bigint NOT NULL,
     mode ${text} NOT NULL, holders bigint NOT NULL DEFAULT 0, blocks bigint NOT NULL DEFAULT 0,
     bytes bigint NOT NULL DEFAULT 0, UNIQUE (hash, codec, mode))`,
  `CREATE INDEX root_nameless ON root (id) WHERE hash IS NULL`,
  `CREATE TABLE closure (root bigint NOT NULL, block bigint NOT NULL, PRIMARY KEY (root, block))`,
  `CREATE TABLE account_storage (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
     account_id ${text} NOT NULL UNIQUE REFERENCES account (id), blocks bigint NOT NULL DEFAULT 0,
     bytes bigint NOT NULL DEFAULT 0)`,
  `CREATE TABLE holding (storage bigint NOT NULL, root bigint NOT NULL, claims bigint NOT NULL,
     PRIMARY KEY (storage, root))`,
  `CREATE TABLE charge (block bigint NOT NULL, storage bigint NOT NULL, roots bigint NOT NULL, size bigint NOT NULL,
     PRIMARY KEY (block, storage))`,
  `CREATE TABLE releasing (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, storage bigint NOT NULL,
     root bigint NOT NULL, after bigint NOT NULL)`,
  `CREATE TABLE lease (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
     account_id ${text} NOT NULL REFERENCES account (id), root bigint NOT NULL, expires bigint NOT NULL, wanted bytea,
     UNIQUE (account_id, root))`,
  `CREATE INDEX lease_expires ON lease (expires)`,
  `CREATE TABLE pin (account_id ${text} NOT NULL REFERENCES account (id), cid bytea NOT NULL, mode ${text} NOT NULL,
     name ${text} NOT NULL DEFAULT '', created bigint NOT NULL, root bigint, PRIMARY KEY (account_id, cid))`,
  `CREATE INDEX pin_uncounted ON pin (account_id) WHERE root IS NULL`,
  `CREATE INDEX pin_created ON pin (account_id, created, cid)`,
  `CREATE INDEX pin_root ON pin (root)`,
  `CREATE TABLE collection (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, asked bigint NOT NULL, ended bigint,
     blocks bigint, bytes bigint, error ${text})`,
  `CREATE TABLE denial (rule ${text} PRIMARY KEY, status bigint NOT NULL, reason ${text} NOT NULL, created bigint NOT NULL)`,
]

const serverTables: readonly string[] = [
  `CREATE TABLE saved_network (name ${text} PRIMARY KEY, is_default bigint NOT NULL, created bigint NOT NULL,
     changed bigint NOT NULL, sealed bytea NOT NULL)`,
  // Leases of work that only one machine does at a time: see postgres-leases.ts.
  `CREATE TABLE leadership (name text PRIMARY KEY, holder text NOT NULL, token bigint NOT NULL, until timestamptz NOT NULL)`,
  // Hash of the secret that encrypts secrets in other tables.
  `CREATE TABLE shared_secret (one boolean PRIMARY KEY CHECK (one), hash text NOT NULL)`,
  // IDs of writes that succeeded, with their results: see postgres-rows.ts.
  `CREATE TABLE done (id uuid PRIMARY KEY, changes bigint[] NOT NULL, until timestamptz NOT NULL)`,
  `CREATE INDEX done_until ON done (until)`,
]

type Watched = readonly [table: string, revision: string, events: readonly string[]]

const anyChange: readonly string[] = ['INSERT', 'UPDATE', 'DELETE']

/** Changes that raise a revision. The last use of a key does not, because every machine would read the accounts again. */
const watched: readonly Watched[] = [
  ['account', 'accounts', anyChange],
  [
    'api_key',
    'accounts',
    [
      'INSERT',
      'DELETE',
      `UPDATE OF id, account_id, name, prefix, key_hash, secret_hash, created, expires, revoked, settings,
        rotated_from, earlier_secret_hash, earlier_secret_expires`,
    ],
  ],
  ['public_key', 'accounts', anyChange],
  ['person', 'people', ['UPDATE OF email, name, operator, disabled, totp', 'DELETE']],
  ['membership', 'people', anyChange],
  ['session', 'people', ['UPDATE OF token_hash, expires', 'DELETE']],
  ['token', 'people', ['UPDATE OF role, expires, revoked', 'DELETE']],
  ['denial', 'denials', anyChange],
  ['saved_network', 'networks', anyChange],
]

const revisions: readonly string[] = [
  `CREATE TABLE revision (name ${text} PRIMARY KEY, number bigint NOT NULL DEFAULT 0)`,
  `INSERT INTO revision (name) VALUES ('accounts'), ('people'), ('denials'), ('networks')`,
  `CREATE FUNCTION raise_revision() RETURNS trigger AS $$
   BEGIN
     UPDATE revision SET number = number + 1 WHERE name = TG_ARGV[0];
     PERFORM pg_notify('${revisionChannel}', TG_ARGV[0]);
     RETURN NULL;
   END $$ LANGUAGE plpgsql`,
  ...watched.flatMap(([table, revision, events]) =>
    events.map(
      (event) =>
        `CREATE TRIGGER ${table}_${event.split(' ')[0]?.toLowerCase()}_revision AFTER ${event} ON ${table}
          FOR EACH ROW EXECUTE FUNCTION raise_revision('${revision}')`,
    ),
  ),
]

export const postgresMigrations: readonly (readonly string[])[] = [
  [
    ...accountTables,
    ...peopleTables,
    ...usageTables,
    ...fileTables,
    ...objectTables,
    ...serverTables,
    ...revisions,
    ...storageFunctions,
  ],
  [...publicBlocks],
  [...postgresPinRequestTables],
  [...postgresMfsTables],
  [...postgresIpnsTables],
  [...announcedTimes],
  [
    `CREATE TABLE verified (holder ${text} NOT NULL, span bigint NOT NULL, start bigint NOT NULL, network ${text} NOT NULL,
       level ${text} NOT NULL, requests bigint NOT NULL, PRIMARY KEY (holder, span, start, network, level))`,
  ],
  [
    `ALTER TABLE audit ADD COLUMN previous ${text}, ADD COLUMN target_name ${text}`,
    `CREATE INDEX audit_actor ON audit (actor, id)`,
  ],
  [
    `ALTER TABLE alert_targets ADD COLUMN rules ${text} NOT NULL DEFAULT '[]'`,
    `CREATE TABLE alert_incident (account_id ${text} NOT NULL REFERENCES account (id), what ${text} NOT NULL,
       since bigint NOT NULL, PRIMARY KEY (account_id, what))`,
  ],
  [...storageBesidesBlocks],
  ['pin', 'pin_request'].map((table) => `ALTER TABLE ${table} ADD COLUMN key_id ${text}`),
  // Digests of the machine's settings (config/shared-settings.ts), as JSON.
  [`ALTER TABLE node_lease ADD COLUMN settings ${text}`],
]

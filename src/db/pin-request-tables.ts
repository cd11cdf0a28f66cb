// Tables of requests to pin content, and of the pinning services of accounts, for both engines.
// Tested by src/db/migrate.test.ts, src/db/postgres/migrate.test.ts

/** Requests are looked up by account in time order, by CID, and by their order in the queue. */
const requestIndexes: readonly string[] = [
  `CREATE UNIQUE INDEX pin_request_created ON pin_request (account_id, created)`,
  `CREATE INDEX pin_request_status ON pin_request (account_id, status, created)`,
  `CREATE INDEX pin_request_cid ON pin_request (account_id, cid)`,
  `CREATE INDEX pin_request_replaces ON pin_request (account_id, replaces) WHERE replaces IS NOT NULL`,
  `CREATE INDEX pin_request_queue ON pin_request (account_id, due, created) WHERE status = 'queued'`,
  `CREATE INDEX pin_request_ended ON pin_request (status, created) WHERE status <> 'pinned'`,
]

function tables(text: string, integer: string, bytes: string, end: string): readonly string[] {
  return [
    `CREATE TABLE pin_request (id ${text} PRIMARY KEY, account_id ${text} NOT NULL, cid ${bytes} NOT NULL,
       name ${text} NOT NULL, folded ${text} NOT NULL, meta ${text}, origins ${text}, status ${text} NOT NULL, created ${integer} NOT NULL,
       due ${integer} NOT NULL, tries ${integer} NOT NULL, error ${text}, blocks ${integer} NOT NULL,
       bytes ${integer} NOT NULL, replaces ${bytes}, claim ${text})${end}`,
    ...requestIndexes,
    `CREATE TABLE pin_remote (account_id ${text} NOT NULL, name ${text} NOT NULL, endpoint ${text} NOT NULL,
       sealed ${bytes} NOT NULL, created ${integer} NOT NULL, PRIMARY KEY (account_id, name))${end}`,
  ]
}

export const pinRequestTables: readonly string[] = tables(
  'TEXT',
  'INTEGER',
  'BLOB',
  ' WITHOUT ROWID',
)

/** Texts compare by bytes, as in SQLite. */
export const postgresPinRequestTables: readonly string[] = tables(
  'text COLLATE "C"',
  'bigint',
  'bytea',
  '',
)

// Tables of IPNS records and of the keys of names, for both engines. Columns: see tables/ipns/ipns-records.ts,
// tables/ipns/ipns-keys.ts.
// Tested by src/db/migrate.test.ts, src/db/postgres/migrate.test.ts

function tables(text: string, integer: string, bytes: string, end: string): readonly string[] {
  return [
    `CREATE TABLE ipns_record (name ${bytes} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES account (id),
       record ${bytes} NOT NULL, rank ${bytes} NOT NULL, validity ${integer} NOT NULL, due ${integer} NOT NULL,
       changed ${integer} NOT NULL)${end}`,
    `CREATE INDEX ipns_record_account ON ipns_record (account_id, validity)`,
    `CREATE INDEX ipns_record_due ON ipns_record (due)`,
    `CREATE TABLE ipns_key (account_id ${text} NOT NULL REFERENCES account (id), name ${text} NOT NULL,
       id ${bytes} NOT NULL, sealed ${bytes} NOT NULL, created ${integer} NOT NULL, lifetime ${integer} NOT NULL,
       renew ${integer}, PRIMARY KEY (account_id, name), UNIQUE (account_id, id))${end}`,
    `CREATE INDEX ipns_key_renew ON ipns_key (renew) WHERE renew IS NOT NULL`,
  ]
}

export const ipnsTables: readonly string[] = tables('TEXT', 'INTEGER', 'BLOB', ' WITHOUT ROWID')

/** Texts compare by bytes, as in SQLite. */
export const postgresIpnsTables: readonly string[] = tables(
  'text COLLATE "C"',
  'bigint',
  'bytea',
  '',
)

// Tables of cards: the operator's mark and the provider's state separately; `account.card` combines both.
// Tested by src/access/cards/cards.test.ts

export const cardTables: readonly string[] = [
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

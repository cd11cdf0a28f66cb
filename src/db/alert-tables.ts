// Alert targets of accounts, and sent alerts: one per limit, level and period.
// Tested by src/access/alerts/alert-watch.test.ts

export const alertTables: readonly string[] = [
  // Both are JSON lists of texts.
  `CREATE TABLE alert_targets (account_id TEXT PRIMARY KEY REFERENCES account (id), emails TEXT NOT NULL,
     webhooks TEXT NOT NULL) WITHOUT ROWID`,
  // `what`: name of the limit, and of the key it is of. `period`: when it began.
  `CREATE TABLE alert_told (account_id TEXT NOT NULL REFERENCES account (id), what TEXT NOT NULL,
     period INTEGER NOT NULL, level INTEGER NOT NULL, told INTEGER NOT NULL,
     PRIMARY KEY (account_id, what, period, level)) WITHOUT ROWID`,
]

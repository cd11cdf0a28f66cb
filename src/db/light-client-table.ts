// The table of light clients: see tables/upstream/light-clients.ts.
// Tested by src/db/migrate.test.ts

export const lightClientTable: readonly string[] = [
  `CREATE TABLE light_client (network TEXT PRIMARY KEY, state TEXT NOT NULL, digest TEXT NOT NULL,
     saved INTEGER NOT NULL) WITHOUT ROWID`,
]

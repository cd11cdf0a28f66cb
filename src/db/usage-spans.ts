// Usage by minute, hour and day in one table, with a table of latencies. Migrates existing hours.
// Part of a migration: never changed after its release.
// Tested by src/db/migrate.test.ts

/** Columns `c0` to `c15` of a row of `latency`: see base/latency.ts for their steps. */
export const latencyColumns: readonly string[] = Array.from({ length: 16 }, (_, at) => `c${at}`)

// What those outcomes answered when the status was not written down yet.
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

export const usageSpans: readonly string[] = [
  `ALTER TABLE usage RENAME TO usage_hours`,
  // By holder first: a report reads its own rows alone, and the units of a day are one seek.
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
  // `part`: which sixteen steps the columns count.
  `CREATE TABLE latency (holder TEXT NOT NULL, span INTEGER NOT NULL, start INTEGER NOT NULL, face TEXT NOT NULL,
     network TEXT NOT NULL, method TEXT NOT NULL, part INTEGER NOT NULL,
     ${latencyColumns.map((column) => `${column} INTEGER NOT NULL`).join(', ')},
     PRIMARY KEY (holder, span, start, face, network, method, part)) WITHOUT ROWID`,
  // Incremented by each write of usage, so that a reader knows which counters in memory are already stored.
  `INSERT INTO revision (name, number) VALUES ('usage', 0)`,
]

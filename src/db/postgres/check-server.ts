// Finds problems of a PostgreSQL server or database, each with a fix: before a start, and for `cairn doctor`.
// Tested by src/db/postgres/check-server.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Connection } from './connections.ts'
import { postgresMigrations } from './schema.ts'

/** `isFinal`: the server cannot start with this problem. */
export type ServerProblem = {
  readonly code:
    | 'database_old'
    | 'database_encoding'
    | 'database_standby'
    | 'database_read_only'
    | 'database_may_lose_commits'
    | 'database_schema_new'
    | 'database_clock'
  readonly text: string
  readonly fix: string
  readonly isFinal: boolean
}

const versionMin = 15
const skewMsMax = 1000

/** Any role may read these settings. */
const factsSql = `SELECT current_setting('server_version_num')::bigint / 10000 AS version,
  current_setting('server_version') AS named, pg_is_in_recovery() AS standby,
  current_setting('default_transaction_read_only') = 'on' OR NOT (has_database_privilege(current_database(), 'CONNECT')
    AND has_schema_privilege(current_schema(), 'USAGE')) AS "readOnly",
  current_setting('synchronous_commit') AS "syncCommit", current_setting('synchronous_standby_names') AS "syncNames",
  (SELECT count(*) FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup') AS standbys,
  extract(epoch FROM clock_timestamp()) * 1000 AS now, to_regclass('schema_version') IS NOT NULL AS "hasSchema",
  coalesce((SELECT has_table_privilege(oid, 'INSERT') FROM pg_class
    WHERE oid = to_regclass('account')), has_schema_privilege(current_schema(), 'CREATE')) AS "mayWrite",
  coalesce(has_table_privilege(to_regclass('schema_version')::oid, 'SELECT'), true) AS "mayRead",
  (SELECT tableowner FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'account') AS owner,
  current_setting('server_encoding') AS encoding, current_user AS role`

type Facts = {
  readonly version: number
  readonly named: string
  readonly standby: number
  readonly readOnly: number
  readonly syncCommit: string
  readonly syncNames: string
  readonly standbys: number
  readonly now: number
  readonly hasSchema: number
  readonly mayWrite: number
  readonly mayRead: number
  /** Of the tables; null: there are none. */
  readonly owner: string | null
  readonly encoding: string
  readonly role: string
}

/** Makes no changes. `mayLoseCommits`: value of the setting. */
export async function checkServer(
  connection: Pick<Connection, 'script'>,
  {
    mayLoseCommits,
    clock,
  }: { readonly mayLoseCommits: boolean; readonly clock: Pick<Clock, 'now'> },
): Promise<readonly ServerProblem[]> {
  const before = clock.now()
  const { rows } = await connection.script(factsSql)
  const after = clock.now()
  const facts = rows[0] as unknown as Facts
  const schema =
    facts.hasSchema === 1 && facts.mayRead === 1
      ? Number((await connection.script('SELECT version FROM schema_version')).rows[0]?.['version'])
      : 0
  return [
    ...checkVersion(facts),
    ...checkEncoding(facts),
    ...checkWrites(facts),
    ...(mayLoseCommits ? [] : checkCommits(facts)),
    ...checkSchema(schema),
    ...checkClock(facts.now, before, after),
  ]
}

function checkVersion({ version, named }: Facts): readonly ServerProblem[] {
  if (version >= versionMin) return []
  return [
    {
      code: 'database_old',
      text: `the database server is PostgreSQL ${named}, expected ${versionMin} or newer`,
      fix: `upgrade it to PostgreSQL ${versionMin} or newer`,
      isFinal: true,
    },
  ]
}

function checkEncoding({ encoding }: Facts): readonly ServerProblem[] {
  if (encoding === 'UTF8') return []
  return [
    {
      code: 'database_encoding',
      text: `the database has the encoding ${encoding}, expected UTF8`,
      fix: `create another one: CREATE DATABASE cairn ENCODING 'UTF8' TEMPLATE template0`,
      isFinal: true,
    },
  ]
}

function checkWrites(facts: Facts): readonly ServerProblem[] {
  const { standby, readOnly, mayWrite, mayRead, owner, role } = facts
  if (standby === 1) {
    return [
      {
        code: 'database_standby',
        text: 'the database server is a standby, which takes no changes',
        fix: 'set database.url to the primary, or to an address that follows it',
        isFinal: true,
      },
    ]
  }
  if (readOnly === 0 && mayWrite === 1 && mayRead === 1) return []
  const mayUse = mayWrite === 1 && mayRead === 1
  return [
    {
      code: 'database_read_only',
      text: `the role ${role} cannot change the database`,
      fix:
        owner !== null && !mayUse
          ? `use the role ${owner}, which owns its tables`
          : `use the role that owns the database, or run: GRANT ALL ON SCHEMA public TO "${role}"; ALTER ROLE "${role}" SET default_transaction_read_only = off`,
      isFinal: true,
    },
  ]
}

function checkCommits({ syncCommit, syncNames, standbys }: Facts): readonly ServerProblem[] {
  const accepted = 'or accept the loss with database: {mayLoseCommits: true}'
  const losing = (text: string, fix: string): readonly ServerProblem[] => [
    { code: 'database_may_lose_commits', text, fix: `${fix}; ${accepted}`, isFinal: true },
  ]
  if (syncCommit === 'off') {
    return losing(
      'the database confirms changes before they are stored: synchronous_commit is off',
      'set synchronous_commit = on',
    )
  }
  if (standbys === 0 || (syncNames !== '' && syncCommit !== 'local')) return []
  return losing(
    'the standbys of the database are asynchronous: a failover would lose confirmed changes',
    `set synchronous_standby_names = 'ANY 1 (*)' and synchronous_commit = on`,
  )
}

function checkSchema(version: number): readonly ServerProblem[] {
  const known = postgresMigrations.length
  if (version <= known + 1) return []
  return [
    {
      code: 'database_schema_new',
      text: `the database has schema version ${version}, this Cairn knows versions up to ${known}`,
      fix: 'start a newer Cairn',
      isFinal: true,
    },
  ]
}

/** `before` and `after`: times of this machine around the measurement of `now`. */
function checkClock(now: number, before: number, after: number): readonly ServerProblem[] {
  const skewMs = now < before ? before - now : Math.max(0, now - after)
  if (skewMs <= skewMsMax) return []
  return [
    {
      code: 'database_clock',
      text: `the clocks of this machine and of the database differ by ${(skewMs / 1000).toFixed(1)} s`,
      fix: 'let both follow a time server (chrony or systemd-timesyncd)',
      isFinal: false,
    },
  ]
}

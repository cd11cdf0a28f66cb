// Audit log: one row for each change by an admin operation, with time and person. Rows are never altered, never contain
// a secret, and are deleted after the configured time.
import type { Clock } from '../../base/clock.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Statement, Writer } from '../../db/writer.ts'

/** `local`: the owner of the data folder, at the command line. `anyone`: a client that is not authenticated yet. */
export type AuditActor = 'local' | 'anyone' | { readonly personId: string; readonly email: string }

export type AuditEntry = {
  readonly actor: AuditActor
  /** The account whose owners may read it; null: operators only. */
  readonly accountId: string | null
  /** Id of the operation. */
  readonly action: string
  /** ID or name of the changed object. */
  readonly target: string | null
  /** The new state, without secrets. Cut at 4 KB of JSON. */
  readonly changes: Readonly<Record<string, unknown>>
}

type AuditRecord = {
  readonly id: number
  /** Milliseconds since 1970 UTC. */
  readonly time: number
  /** Id of a person, `local` or `anyone`. */
  readonly actor: string
  /** Email of the person then. */
  readonly actorName: string
  readonly accountId: string | null
  readonly action: string
  readonly target: string | null
  readonly changes: Readonly<Record<string, unknown>>
}

export type AuditLog = {
  /** Durable on return. */
  record(entry: AuditEntry): Promise<void>
  /** The newest first; of one account or, with undefined, of all. `before`: an id, to read on. At most `limit`. */
  list(order: {
    readonly accountId?: string
    readonly before?: number
    readonly limit: number
  }): readonly AuditRecord[]
  /** Deletes rows older than the configured time. */
  sweep(): Promise<void>
}

const changesMax = 4096
const textMax = 256
const listMax = 1000
/** Independent of the configured time. */
const rowsMax = 1_000_000

export function createAuditLog(parts: {
  readonly db: Database
  readonly writer: Writer
  readonly clock: Clock
  readonly keepMs: () => number
}): AuditLog {
  const { db, writer, clock, keepMs } = parts
  return {
    async record(entry) {
      await writer.write([insert(entry, clock.now())])
    },

    list({ accountId, before, limit }) {
      const sql = `SELECT id, time, actor, actor_name AS actorName, account_id AS accountId, action, target, changes
        FROM audit WHERE (?1 IS NULL OR account_id = ?1) AND id < ?2 ORDER BY id DESC LIMIT ?3`
      const parameters = [
        accountId ?? null,
        before ?? Number.MAX_SAFE_INTEGER,
        Math.min(limit, listMax),
      ]
      return db
        .all<Omit<AuditRecord, 'changes'> & { changes: string }>(sql, parameters)
        .map((row) => ({ ...row, changes: changesOf(row.changes) }))
    },

    async sweep() {
      await writer.write([
        { sql: 'DELETE FROM audit WHERE time < ?', parameters: [clock.now() - keepMs()] },
        {
          sql: 'DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - ?',
          parameters: [rowsMax],
        },
      ])
    },
  }
}

function insert(entry: AuditEntry, now: number): Statement {
  const { actor, accountId, action, target } = entry
  const [id, name] = typeof actor === 'string' ? [actor, actor] : [actor.personId, actor.email]
  const changes = JSON.stringify(entry.changes)
  return {
    sql: `INSERT INTO audit (time, actor, actor_name, account_id, action, target, changes)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
    parameters: [
      now,
      id,
      name,
      accountId,
      action,
      target?.slice(0, textMax) ?? null,
      changes.length > changesMax ? '{"cut":true}' : changes,
    ],
  }
}

/** One damaged row must not hide the others. */
function changesOf(json: string): Record<string, unknown> {
  try {
    return JSON.parse(json) as Record<string, unknown>
  } catch {
    return { damaged: true }
  }
}

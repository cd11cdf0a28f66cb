// Audit log: one row for each change by an admin operation, with time, person, old and new values. Rows are never altered, never
// contain a secret, and are deleted after the configured time.
// Tested by src/access/people/audit-log.test.ts
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { Rows } from '../../db/rows.ts'
import {
  auditBounds,
  type AuditFilter,
  type AuditRow,
  deleteOldAudit,
  insertAudit,
  listAudit,
} from '../../tables/audit.ts'

/** `local`: the owner of the data folder, at the command line. `anyone`: an unauthenticated client. */
export type AuditActor = 'local' | 'anyone' | { readonly personId: string; readonly email: string }

export type AuditEntry = {
  readonly actor: AuditActor
  /** The account whose owners may read it; null: only operators. */
  readonly accountId: string | null
  /** ID of the operation. */
  readonly action: string
  /** ID or name of the changed object. */
  readonly target: string | null
  /** Current name of the target, if `target` is an ID. */
  readonly targetName?: string | null
  /** The new values, without secrets. Truncated to 4 KB of JSON. */
  readonly changes: Readonly<Record<string, unknown>>
  /** The old values, in the same form. Absent: unknown. */
  readonly previous?: Readonly<Record<string, unknown>>
}

export type AuditRecord = {
  readonly id: number
  /** Milliseconds since 1970 UTC. */
  readonly time: number
  /** ID of a person, `local` or `anyone`. */
  readonly actor: string
  /** Email of the person at that time. */
  readonly actorName: string
  readonly accountId: string | null
  readonly action: string
  readonly target: string | null
  /** Name at that time; null: it has none, or was not recorded. */
  readonly targetName: string | null
  readonly changes: Readonly<Record<string, unknown>>
  /** Null: not recorded. */
  readonly previous: Readonly<Record<string, unknown>> | null
}

type AuditPage = Partial<AuditFilter> & { readonly before?: number; readonly limit: number }

export type AuditLog = {
  /** Durable on return. */
  record(entry: AuditEntry): Promise<void>
  /** Newest first. `before`: an ID, for the next page. At most `limit`, and 1,000. */
  list(page: AuditPage): Promise<readonly AuditRecord[]>
  /** Deletes rows older than the configured time. */
  sweep(): Promise<void>
}

const changesMax = 4096
const textMax = 256
const listMax = 1000
/** Limit of rows, independent of the configured time. */
const rowsMax = 1_000_000
const noFilter = {
  accountId: null,
  actor: null,
  actions: null,
  from: null,
  until: null,
  texts: null,
}
/** Rows compared with texts per statement: takes some milliseconds, in which SQLite blocks the event loop. */
const comparisonsMax = 10_000

export function createAuditLog(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly keepMs: () => number
}): AuditLog {
  const { rows, clock, keepMs } = parts

  /** Texts have no index: reads the table, whose number of rows is limited, in small ranges. */
  async function find(
    filter: AuditFilter,
    before: number,
    limit: number,
  ): Promise<readonly AuditRow[]> {
    if (filter.texts === null) {
      return await rows.find(listAudit(filter, { from: 0, below: before }, limit))
    }
    const found: AuditRow[] = []
    const bounds = await rows.first(auditBounds())
    const oldest = bounds?.oldest ?? 0
    const rowsAtOnce = Math.ceil(comparisonsMax / filter.texts.length)
    let below = Math.min(before, (bounds?.newest ?? -1) + 1)
    while (below > oldest && found.length < limit) {
      const from = Math.max(oldest, below - rowsAtOnce)
      found.push(...(await rows.find(listAudit(filter, { from, below }, limit - found.length))))
      below = from
      await setImmediate()
    }
    return found
  }

  return {
    async record({ actor, accountId, action, target, targetName = null, changes, previous }) {
      const [id, name] = typeof actor === 'string' ? [actor, actor] : [actor.personId, actor.email]
      const row = {
        time: clock.now(),
        actor: id,
        actor_name: name,
        account_id: accountId,
        action,
        target: target?.slice(0, textMax) ?? null,
        target_name: targetName?.slice(0, textMax) ?? null,
        changes: jsonOf(changes),
        previous: previous === undefined ? null : jsonOf(previous),
      }
      await rows.write([insertAudit(row)])
    },

    async list({ before = Number.MAX_SAFE_INTEGER, limit, ...filter }) {
      const found = await find({ ...noFilter, ...filter }, before, Math.min(limit, listMax))
      return found.map(({ actor_name: actorName, account_id: accountId, ...row }) => ({
        id: row.id,
        time: row.time,
        actor: row.actor,
        actorName,
        accountId,
        action: row.action,
        target: row.target,
        targetName: row.target_name,
        changes: valuesOf(row.changes),
        previous: row.previous === null ? null : valuesOf(row.previous),
      }))
    },

    async sweep() {
      await rows.write(deleteOldAudit(clock.now() - keepMs(), rowsMax))
    },
  }
}

function jsonOf(values: Readonly<Record<string, unknown>>): string {
  const json = JSON.stringify(values)
  return json.length > changesMax ? '{"cut":true}' : json
}

/** One damaged row must not hide the others. */
function valuesOf(json: string): Record<string, unknown> {
  try {
    return JSON.parse(json) as Record<string, unknown>
  } catch {
    return { damaged: true }
  }
}

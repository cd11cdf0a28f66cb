// Audit log: one row for each change by an admin operation, with time and person. Rows are never altered, never contain
// a secret, and are deleted after the configured time.
import type { Clock } from '../../base/clock.ts'
import type { Rows } from '../../db/rows.ts'
import { deleteOldAudit, insertAudit, listAudit } from '../../tables/audit.ts'

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
  }): Promise<readonly AuditRecord[]>
  /** Deletes rows older than the configured time. */
  sweep(): Promise<void>
}

const changesMax = 4096
const textMax = 256
const listMax = 1000
/** Independent of the configured time. */
const rowsMax = 1_000_000

export function createAuditLog(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly keepMs: () => number
}): AuditLog {
  const { rows, clock, keepMs } = parts
  return {
    async record({ actor, accountId, action, target, changes }) {
      const [id, name] = typeof actor === 'string' ? [actor, actor] : [actor.personId, actor.email]
      const json = JSON.stringify(changes)
      const row = {
        time: clock.now(),
        actor: id,
        actor_name: name,
        account_id: accountId,
        action,
        target: target?.slice(0, textMax) ?? null,
        changes: json.length > changesMax ? '{"cut":true}' : json,
      }
      await rows.write([insertAudit(row)])
    },

    async list({ accountId = null, before = Number.MAX_SAFE_INTEGER, limit }) {
      const page = { accountId, before, limit: Math.min(limit, listMax) }
      const found = await rows.find(listAudit(page))
      return found.map(({ id, time, actor, action, target, ...row }) => ({
        id,
        time,
        actor,
        actorName: row.actor_name,
        accountId: row.account_id,
        action,
        target,
        changes: changesOf(row.changes),
      }))
    },

    async sweep() {
      await rows.write(deleteOldAudit(clock.now() - keepMs(), rowsMax))
    },
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

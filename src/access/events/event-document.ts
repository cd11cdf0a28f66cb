// The document of an event for receivers: an entry of the audit log, or a refused sign-in. It contains no secret, because the audit
// log
// contains none.
// Tested by src/access/events/deliver-events.test.ts
import type { FaultCode } from '../../base/fault.ts'
import type { AuditRow } from '../../tables/audit.ts'

/** `id`: the same if an event is sent twice. `time`: UTC, ISO 8601. */
export type EventDocument = { readonly id: string; readonly time: string } & (
  | {
      readonly type: 'audit'
      /** `id`: ID of a person, `local` or `anyone`; `name`: the email at that time. */
      readonly actor: { readonly id: string; readonly name: string }
      /** Account ID; null: the entry concerns no account. */
      readonly account: string | null
      /** ID of the admin operation; `signIn` and `signInWithPasskey` are sign-ins. */
      readonly action: string
      readonly target: string | null
      /** Null: the target has no name. */
      readonly targetName: string | null
      readonly changes: unknown
      /** The old values; null: not recorded. */
      readonly previous: unknown
    }
  | {
      readonly type: 'sign_in_refused'
      readonly code: FaultCode
      /** Client address; absent if addresses are not recorded. */
      readonly address?: string
    }
)

export function auditDocument(row: AuditRow): EventDocument {
  const { id, time, actor, actor_name: name, account_id: account, action, target } = row
  return {
    id: `audit-${id}`,
    type: 'audit',
    time: new Date(time).toISOString(),
    actor: { id: actor, name },
    account,
    action,
    target,
    targetName: row.target_name,
    changes: parsed(row.changes),
    previous: row.previous === null ? null : parsed(row.previous),
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return { damaged: true }
  }
}

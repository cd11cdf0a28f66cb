// Schemas of the audit log: records, and the filters of lists and exports.
// Tested by test/admin/admin-audit.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import { findNearest } from '../../../base/similar-name.ts'
import type { AuditFilter } from '../../../tables/audit.ts'
import { accountId } from '../accounts/account-schema.ts'
import { time } from '../../time-schema.ts'

const values = z.record(z.string(), z.unknown())

export const auditRecord = z.object({
  id: z.int(),
  time,
  /** ID of a person, `local`: the owner of the data folder, or `anyone`. */
  actor: z.string(),
  actorName: z.string(),
  accountId: z.string().nullable(),
  /** ID of the operation. */
  action: z.string(),
  target: z.string().nullable(),
  /** Name of the target at that time; null: it has none, or was not recorded. */
  targetName: z.string().nullable(),
  /** The new values. */
  changes: values,
  /** The old values; null: not recorded. A member in only one of the two was added or removed. */
  previous: values.nullable(),
})

const actionsMax = 100

const textsMax = 20

const filterShape = {
  /** ID of a person, `local` or `anyone`. */
  actor: z.string().min(1).max(64).optional(),
  /** IDs of operations, separated by commas. */
  actions: z
    .string()
    .max(4_096)
    .regex(/^\w+(,\w+)*$/, 'expected IDs of operations such as createKey, separated by commas')
    .refine((text) => text.split(',').length <= actionsMax, `at most ${actionsMax} operations`)
    .optional(),
  /** Milliseconds since 1970 UTC, inclusive; `until`: exclusive. */
  from: z.coerce.number<number>().int().min(0).optional(),
  until: z.coerce.number<number>().int().min(0).optional(),
  /** Parts of a name, email, ID, operation or value, one per line; a record matches if it contains one of them. */
  text: z
    .string()
    .max(2_048)
    .refine((text) => linesOf(text).length > 0, 'expected a text to search for')
    .refine((text) => linesOf(text).length <= textsMax, `at most ${textsMax} lines`)
    .optional(),
}

const pageShape = {
  /** An ID: returns older records. */
  before: z.coerce.number<number>().int().min(1).default(Number.MAX_SAFE_INTEGER),
  limit: z.coerce.number<number>().int().min(1).max(500).default(100),
}

const exportShape = {
  form: z.enum(['csv', 'json']).default('csv'),
  /** An ID: returns older records, to continue an export. */
  before: pageShape.before,
}

const account = { account: accountId }
const someAccount = { account: accountId.optional() }

export const auditQuery = z.strictObject({ ...account, ...filterShape, ...pageShape })
export const allAuditQuery = z.strictObject({ ...someAccount, ...filterShape, ...pageShape })
export const auditExportQuery = z.strictObject({ ...account, ...filterShape, ...exportShape })
export const allAuditExportQuery = z.strictObject({
  ...someAccount,
  ...filterShape,
  ...exportShape,
})

/** Throws `bad_input` for an action that no record can have. */
export function filterOf(
  sent: Pick<
    z.output<typeof allAuditQuery>,
    'account' | 'actor' | 'actions' | 'from' | 'until' | 'text'
  >,
  auditedActions: readonly string[],
): AuditFilter {
  return {
    accountId: sent.account ?? null,
    actor: sent.actor ?? null,
    actions: sent.actions === undefined ? null : actionsIn(sent.actions, auditedActions),
    from: sent.from ?? null,
    until: sent.until ?? null,
    texts: sent.text === undefined ? null : linesOf(sent.text),
  }
}

function actionsIn(text: string, known: readonly string[]): readonly string[] {
  const actions = text.split(',')
  const unknown = actions.find((action) => !known.includes(action))
  if (unknown === undefined) return actions
  const nearest = findNearest(unknown, known)
  const hint = nearest === null ? 'expected one like changeKey' : `did you mean "${nearest}"?`
  const detail = `actions: "${unknown.slice(0, 100)}" is no operation that changes anything: ${hint}`
  throw new Fault('bad_input', { detail, data: { field: 'actions' } })
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

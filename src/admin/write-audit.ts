// Records changes by admin operations in the audit log before the answer is sent. Secrets are never included.
// Tested by src/admin/write-audit.test.ts
import type { AuditActor } from '../access/people/audit-log.ts'
import type { AdminCall, AdminOperation, Audited } from './admin-operation.ts'
import { pathNames } from './admin-route.ts'

/** Names of members whose values are left out, at any depth. */
const secretName = /pass|secret|token|code|link|pem|jwk|^(key|apiKey|imported|fresh)$/i
const depthMax = 4
const itemsMax = 50

/** Writes one row. Rejects if it cannot be stored. */
export async function writeAudit(
  operation: AdminOperation,
  ran: { readonly input: unknown; readonly output: unknown },
  { actor, identity }: Pick<AdminCall, 'actor' | 'identity'>,
): Promise<void> {
  const input = ran.input as Readonly<Record<string, unknown>>
  const isJson = operation.form === undefined || operation.form === 'json'
  const declared = isJson ? operation.audit?.(input, ran.output) : undefined
  if (declared === null) return
  const audited: Audited = declared ?? {}
  const names = pathNames(operation.path)
  const others = names.filter((name) => name !== 'account')
  const { account } = input
  const made = madeBy(ran.output)
  await identity.audit.record({
    actor: audited.person === undefined ? actorOf(actor) : nameOf(audited.person),
    accountId: audited.accountId ?? textOf(account) ?? textOf(made['account']),
    action: operation.id,
    target: audited.target ?? textOf(input[others.at(-1) ?? '']) ?? Object.values(made)[0] ?? null,
    changes: audited.changes ?? withoutSecrets(input, names),
  })
}

function actorOf(actor: AdminCall['actor']): AuditActor {
  if (actor === null) return 'anyone'
  return actor.kind === 'local' ? 'local' : nameOf({ id: actor.personId, email: actor.email })
}

function nameOf({ id, email }: { readonly id: string; readonly email: string }): AuditActor {
  return { personId: id, email }
}

/** IDs in the output, by the names of its members. */
function madeBy(output: unknown): Readonly<Record<string, string>> {
  const members = Object.entries(typeof output === 'object' && output !== null ? output : {})
  return Object.fromEntries(
    members.flatMap(([name, value]: [string, unknown]) => {
      const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null
      return typeof id === 'string' ? [[name, id]] : []
    }),
  )
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Members of `input` but those that the path names and those that may be secret. */
function withoutSecrets(
  input: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const kept = Object.entries(input).filter(([name]) => !names.includes(name))
  return shown(Object.fromEntries(kept), 0) as Record<string, unknown>
}

function isPlain(value: unknown): boolean {
  return typeof value === 'boolean' || typeof value === 'number'
}

function shown(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth >= depthMax) return null
  if (Array.isArray(value)) return value.slice(0, itemsMax).map((item) => shown(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      // A switch or a number by such a name is none.
      .filter(([name, inner]) => !secretName.test(name) || isPlain(inner))
      .slice(0, itemsMax)
      .map(([name, inner]) => [name, shown(inner, depth + 1)]),
  )
}

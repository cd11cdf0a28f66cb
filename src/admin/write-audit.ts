// Records changes by admin operations in the audit log before the reply is sent. Records never contain secrets.
// Tested by src/admin/write-audit.test.ts
import type { AuditActor } from '../access/people/audit-log.ts'
import type { AdminCall, AdminOperation, Audited, AuditedState } from './admin-operation.ts'
import { pathNames } from './admin-route.ts'

/** Names of members that are omitted, at any depth. */
const secretName = /pass|secret|token|code|link|pem|jwk|^(key|apiKey|imported|fresh)$/i
const depthMax = 4
const itemsMax = 50

type Ran = {
  readonly input: unknown
  readonly output: unknown
  /** Null: the operation declares no state. */
  readonly states: {
    readonly before: AuditedState | null
    readonly after: AuditedState | null
  } | null
}

/** Writes one row. Rejects if it cannot be stored. */
export async function writeAudit(
  operation: AdminOperation,
  ran: Ran,
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
  const created = createdBy(ran.output)
  const state = ran.states?.after ?? ran.states?.before ?? null
  const target =
    audited.target ??
    state?.target ??
    textOf(input[others.at(-1) ?? '']) ??
    Object.values(created)[0]?.id ??
    null
  const values = ran.states === null ? null : differences(ran.states.before, ran.states.after)
  await identity.audit.record({
    actor: audited.person === undefined ? actorOf(actor) : nameOf(audited.person),
    accountId: audited.accountId ?? textOf(account) ?? created['account']?.id ?? null,
    action: operation.id,
    target,
    targetName: state?.name ?? Object.values(created).find(({ id }) => id === target)?.name ?? null,
    changes: audited.changes ?? withoutSecrets(input, names),
    ...values,
  })
}

/** The members that differ, with their values before and after, without those that may be secret. */
function differences(before: AuditedState | null, after: AuditedState | null) {
  const [was, is] = [before?.values ?? {}, after?.values ?? {}]
  const differ = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]),
  )
  const pick = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
    const picked = differ.filter((name) => name in values).map((name) => [name, values[name]])
    return withoutSecrets(Object.fromEntries(picked) as Record<string, unknown>, [])
  }
  return { previous: pick(was), changes: pick(is) }
}

function actorOf(actor: AdminCall['actor']): AuditActor {
  if (actor === null) return 'anyone'
  return actor.kind === 'local' ? 'local' : nameOf({ id: actor.personId, email: actor.email })
}

function nameOf({ id, email }: { readonly id: string; readonly email: string }): AuditActor {
  return { personId: id, email }
}

type Created = { readonly id: string; readonly name: string | null }

/** Objects with an ID in the output, by member name. */
function createdBy(output: unknown): Readonly<Record<string, Created>> {
  const members = Object.entries(typeof output === 'object' && output !== null ? output : {})
  return Object.fromEntries(
    members.flatMap(([name, value]: [string, unknown]): [string, Created][] => {
      if (typeof value !== 'object' || value === null || !('id' in value)) return []
      const { id, ...rest } = value as Readonly<Record<string, unknown>>
      if (typeof id !== 'string') return []
      return [[name, { id, name: textOf(rest['name']) || textOf(rest['email']) || null }]]
    }),
  )
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** The members of `input`, except those in the path and those that may be secret. */
function withoutSecrets(
  input: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const visible = Object.entries(input).filter(([name]) => !names.includes(name))
  return shown(Object.fromEntries(visible), 0) as Record<string, unknown>
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
      // A boolean or a number with such a name is not a secret.
      .filter(([name, inner]) => !secretName.test(name) || isPlain(inner))
      .slice(0, itemsMax)
      .map(([name, inner]) => [name, shown(inner, depth + 1)]),
  )
}

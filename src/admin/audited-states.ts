// Names and members of changed objects for the audit log, from the same views as replies. They contain no credential: a URL shows
// scheme, host and port, a header only its name.
// Tested by test/admin/admin-audit.test.ts
import { AccountsRefusal } from '../access/accounts/account-rules.ts'
import { ruleName } from '../access/alerts/alert-targets.ts'
import type { Person } from '../access/people/person.ts'
import type { AdminCall, AuditedState } from './admin-operation.ts'

type OfKey = { readonly account: string; readonly key: string }

export async function keyState(
  { account, key: id }: OfKey,
  { accounts }: Pick<AdminCall, 'accounts'>,
): Promise<AuditedState | null> {
  const key = await accounts.findKeyOf(account, id)
  if (key === null) return null
  const { name, expires, revoked, settings } = key
  return { name, values: { name, expires, revoked, ...settings } }
}

export async function accountState(
  { account: id }: { readonly account: string },
  { accounts }: Pick<AdminCall, 'accounts'>,
): Promise<AuditedState | null> {
  const account = await unlessAbsent(() => accounts.getAccountById(id))
  if (account === null) return null
  const { name, hasCard, settings } = account
  return { target: id, name, values: { name, hasCard, ...settings } }
}

export async function personState(
  { person: id }: { readonly person: string },
  { identity }: Pick<AdminCall, 'identity'>,
): Promise<AuditedState | null> {
  const person = await identity.people.find(id)
  if (person === null) return null
  const { name, isOperator, disabled, hasTotp, passkeys, issuer } = person
  return {
    name: nameOf(person),
    values: { name, isOperator, disabled: disabled !== null, hasTotp, passkeys, issuer },
  }
}

/** `person`: an ID. A person without a role in the account has no values. */
export async function memberState(
  { account, person: id }: { readonly account: string; readonly person: string },
  { identity }: Pick<AdminCall, 'identity'>,
): Promise<AuditedState | null> {
  const person = await identity.people.find(id)
  if (person === null) return null
  const member = (await identity.memberships.ofPerson(id)).find((one) => one.accountId === account)
  return {
    target: id,
    name: nameOf(person),
    values: member === undefined ? {} : { role: member.role },
  }
}

export async function networkState(
  { network: name }: { readonly network: string },
  { networks }: Pick<AdminCall, 'networks'>,
): Promise<AuditedState | null> {
  const found = (await networks.list()).find((one) => one.name === name && one.origin === 'saved')
  if (found === undefined) return null
  const { chainId, isDefault, heads, allow, deny } = found
  // As text: a member named `eth_getCode` would match the names of secrets.
  const verify = Object.entries(found.verify).map(([method, mode]) => `${method}: ${mode}`)
  const upstreams = found.upstreams.map(({ name: upstream, ...rest }) => ({ upstream, ...rest }))
  const values = { chainId, isDefault, verify, heads, allow, deny, upstreams }
  return { target: name, name: null, values }
}

/** The URL of a webhook may contain a secret: only its origin is recorded. */
export async function alertsState(
  { account }: { readonly account: string },
  { alerts }: Pick<AdminCall, 'alerts'>,
): Promise<AuditedState> {
  const found = await alerts.get(account)
  const webhooks = found.webhooks.map((url) => URL.parse(url)?.origin ?? 'not a URL')
  const rules = found.rules.map(ruleName)
  return { target: account, name: null, values: { emails: found.emails, webhooks, rules } }
}

function nameOf({ name, email }: Person): string {
  return name === '' ? email : name
}

/** Null if `read` refuses: the operation then refuses for the same reason. */
async function unlessAbsent<Value>(read: () => Promise<Value>): Promise<Value | null> {
  try {
    return await read()
  } catch (thrown) {
    if (thrown instanceof AccountsRefusal) return null
    throw thrown
  }
}

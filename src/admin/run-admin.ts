// Runs an admin operation for the dashboard and the command line: checks the role, parses the input, runs it, parses the output.
import { AccountsRefusal, type RefusalReason } from '../access/accounts/account-rules.ts'
import { Fault, type FaultCode } from '../base/fault.ts'
import { isStorableText } from '../db/storable-text.ts'
import { requireConfirmed } from './acting-person.ts'
import { authorizeRole } from './principal.ts'
import { writeAudit } from './write-audit.ts'
import type { AdminCall, AdminOperation, TextReply } from './admin-operation.ts'

export type AdminReply =
  | { readonly form: 'json'; readonly value: unknown }
  | { readonly form: 'text'; readonly text: TextReply }
  | { readonly form: 'events'; readonly events: AsyncIterable<unknown> }

/**
 * `sent`: members of path, query and body in one object. Throws `signed_out`, `needs_second_factor`, `not_allowed`,
 * `absent`, `bad_input` (its data names the first invalid member), `needs_confirmation`, and the operation's own errors, as Fault.
 */
export async function runAdmin(
  operation: AdminOperation,
  sent: Readonly<Record<string, unknown>>,
  call: AdminCall,
): Promise<AdminReply> {
  const { account } = sent
  authorizeRole(operation.role, typeof account === 'string' ? account : null, call.actor, operation)
  const input = parseInput(operation, sent)
  if (operation.confirmed === true) requireConfirmed(call)
  try {
    if (operation.form === 'text') return { form: 'text', text: await operation.run(input, call) }
    if (operation.form === 'events') {
      return { form: 'events', events: await operation.run(input, call) }
    }
    return { form: 'json', value: await runJson(operation, input, call) }
  } catch (thrown) {
    if (thrown instanceof AccountsRefusal) {
      throw faultOf(thrown, sent)
    }
    throw Fault.from(thrown)
  }
}

/** Returns the parsed output. A change is in the audit log before this resolves. */
async function runJson(
  operation: Extract<AdminOperation, { readonly form?: 'json' }>,
  input: unknown,
  call: AdminCall,
): Promise<unknown> {
  if (operation.method === 'GET') return operation.output.parse(await operation.run(input, call))
  const before = await operation.state?.(input, call)
  const output = operation.output.parse(await operation.run(input, call))
  const after = await operation.state?.(input, call)
  const states = before === undefined || after === undefined ? null : { before, after }
  await writeAudit(operation, { input, output, states }, call)
  return output
}

/** The fault's data name the invalid member of the input, if there is one. */
function faultOf(refusal: AccountsRefusal, sent: Readonly<Record<string, unknown>>): Fault {
  const { reason, message } = refusal
  const field = refusal.field ?? fields[reason]?.find((name) => Object.hasOwn(sent, name))
  const data = field === undefined ? {} : { data: { field } }
  return new Fault(codes[reason], { detail: message, cause: refusal, ...data })
}

function parseInput(operation: AdminOperation, sent: Readonly<Record<string, unknown>>): unknown {
  checkTexts(sent)
  const parsed = operation.input.safeParse(sent)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const field = issue?.path.join('.') ?? ''
  const detail = `${field === '' ? '' : `${field}: `}${issue?.message ?? 'bad input'}`
  throw new Fault('bad_input', { detail, data: { field } })
}

/** Throws `bad_input` for a text that PostgreSQL would refuse in a query, where it would cause an `internal` error. */
function checkTexts(sent: Readonly<Record<string, unknown>>): void {
  for (const [field, value] of Object.entries(sent)) {
    if (typeof value !== 'string' || isStorableText(value)) continue
    const detail = `${field}: contains a NUL character or half of a surrogate pair, expected text`
    throw new Fault('bad_input', { detail, data: { field } })
  }
}

const codes: Readonly<Record<RefusalReason, FaultCode>> = {
  bad_name: 'bad_input',
  name_taken: 'conflict',
  no_account: 'absent',
  bad_key: 'bad_input',
  key_taken: 'conflict',
  no_key: 'absent',
  bad_setting: 'bad_input',
  bad_public_key: 'bad_input',
  no_public_key: 'absent',
  bad_email: 'bad_input',
  email_taken: 'conflict',
  bad_password: 'bad_input',
  wrong_password: 'bad_input',
  wrong_code: 'bad_input',
  bad_passkey: 'bad_input',
  challenge_over: 'bad_input',
  no_passkey: 'absent',
  passkey_taken: 'conflict',
  no_person: 'absent',
  no_session: 'absent',
  no_token: 'absent',
  no_invitation: 'absent',
  no_member: 'absent',
  bad_role: 'bad_input',
  last_owner: 'conflict',
  last_operator: 'conflict',
  link_over: 'link_over',
  bad_identity: 'not_allowed',
  identity_taken: 'conflict',
  no_identity: 'absent',
  too_many: 'conflict',
}

/** Input members that a reason concerns, by reason; the first one that was sent counts. */
const fields: Readonly<Partial<Record<RefusalReason, readonly string[]>>> = {
  bad_name: ['name', 'accountName'],
  name_taken: ['name', 'accountName'],
  bad_email: ['email'],
  email_taken: ['email'],
  bad_password: ['newPassword', 'password'],
  wrong_password: ['password'],
  wrong_code: ['code'],
  bad_role: ['role'],
  bad_public_key: ['publicKey'],
}

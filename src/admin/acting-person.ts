// The person behind a call, for operations on their own data. Credentials (password, authenticator, tokens) can be
// changed only in a session: a leaked token must not extend its own rights.
// Tested by test/admin/admin-people.test.ts
import { Fault } from '../base/fault.ts'
import type { Principal } from './principal.ts'
import type { AdminCall } from './admin-operation.ts'

export type ActingPerson = {
  readonly id: string
  readonly email: string
  /** ID of the session; null: the request carried a token. */
  readonly session: string | null
}

/** Throws `not_allowed` for the owner of the data folder, who is not a person in the database. */
export function actingPerson({ actor }: Pick<AdminCall, 'actor'>): ActingPerson {
  if (actor === null) throw new Fault('signed_out')
  if (actor.kind === 'local') {
    throw new Fault('not_allowed', { detail: 'this is about a person: sign in at the dashboard' })
  }
  const { personId: id, email, via } = actor
  return { id, email, session: via.kind === 'session' ? via.id : null }
}

/** As `actingPerson`, and throws `not_allowed` for a token too. */
export function personInSession(
  call: Pick<AdminCall, 'actor'>,
): ActingPerson & { readonly session: string } {
  const { session, ...person } = actingPerson(call)
  if (session !== null) return { ...person, session }
  throw new Fault('not_allowed', { detail: 'this takes a session: sign in at the dashboard' })
}

/**
 * For operations with which the thief of a session could keep access or take over the server; most declare `confirmed`. Requires a
 * session confirmed by password, passkey or OpenID in the last five minutes (`POST /me/confirmation`). The owner of the data folder
 * passes. Throws `not_allowed` for a token, so that a stolen token cannot create credentials that outlive it; `needs_confirmation`.
 */
export function requireConfirmed(call: Pick<AdminCall, 'actor' | 'identity'>): void {
  if (call.actor?.kind === 'local') return
  const { session } = personInSession(call)
  if (!call.identity.confirmations.isConfirmed(session)) throw new Fault('needs_confirmation')
}

/**
 * For operations that programs run too, such as saving a network: a session must be confirmed as in `requireConfirmed`; a token
 * passes, because only a confirmed session creates one. Throws `needs_confirmation`.
 */
export function requireConfirmedSession({
  actor,
  identity,
}: Pick<AdminCall, 'actor' | 'identity'>): void {
  if (actor?.kind !== 'person' || actor.via.kind !== 'session') return
  if (!identity.confirmations.isConfirmed(actor.via.id)) throw new Fault('needs_confirmation')
}

/**
 * For changes of the person's own sign-in: the password, or a confirmed session. A session without the required second
 * factor must show one that its person has. Throws `needs_second_factor`, `needs_confirmation`, AccountsRefusal
 * `wrong_password`.
 */
export async function confirmOwnChange(
  call: Pick<AdminCall, 'actor' | 'identity' | 'origin'>,
  password: string | undefined,
): Promise<ActingPerson & { readonly session: string }> {
  const person = personInSession(call)
  const { identity, actor } = call
  if (actor?.kind === 'person' && actor.mustEnrol === true) {
    const { hasTotp, passkeys } = await identity.people.get(person.id)
    if (hasTotp || passkeys > 0) {
      const detail = 'show the code of your authenticator, or your passkey, first'
      throw new Fault('needs_second_factor', { detail })
    }
  }
  if (password === undefined) requireConfirmed(call)
  else await identity.signIn.confirm(person, password, fromOf(call).address)
  return person
}

/** The person and the credential behind an invitation; null: the owner of the data folder. */
export function inviterOf({
  actor,
}: Pick<AdminCall, 'actor'>): Pick<Principal & { kind: 'person' }, 'personId' | 'via'> | null {
  return actor?.kind === 'person' ? { personId: actor.personId, via: actor.via } : null
}

/** A new token for the current session, after the rights of its person changed. `strong`: a second factor was shown. */
export async function renewSession(
  { identity, session }: Pick<AdminCall, 'identity' | 'session'>,
  id: string,
  strong = false,
): Promise<void> {
  session.begin(await identity.sessions.renew(id, strong))
}

/** Ends the previous session of this browser: a new sign-in replaces it. */
async function endSessionBefore({
  actor,
  identity,
}: Pick<AdminCall, 'actor' | 'identity'>): Promise<void> {
  if (actor?.kind !== 'person' || actor.via.kind !== 'session') return
  await identity.sessions.endOne(actor.via.id)
}

/** The origin of a request, as sign-ins record it. */
export function fromOf({ origin }: Pick<AdminCall, 'origin'>): {
  readonly address: string
  readonly agent: string
  readonly device: string | null
} {
  const { address, userAgent, device } = origin
  return { address: address ?? 'local', agent: userAgent ?? '', device }
}

/** Sends the session of a sign-in with this reply, ends the browser's previous session and remembers the browser. */
export async function beginSession(
  call: Pick<AdminCall, 'actor' | 'identity' | 'session'>,
  personId: string,
  opened: { readonly token: string; readonly session: { readonly expires: number } },
): Promise<void> {
  await endSessionBefore(call)
  call.session.begin({ token: opened.token, expires: opened.session.expires })
  call.session.remember(call.identity.devices.issue(personId))
}

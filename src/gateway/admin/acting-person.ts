// The person behind a call, for operations that are about themselves. What opens doors (password, authenticator,
// tokens) is changed in a session alone: a token that leaked must not make more of itself.
// Tested by test/admin-people.test.ts
import { Fault } from '../../base/fault.ts'
import type { AdminCall } from './admin-operation.ts'

export type ActingPerson = {
  readonly id: string
  readonly email: string
  /** Id of the session; null: they came with a token. */
  readonly session: string | null
}

/** Throws `not_allowed` for whoever owns the data folder: they are nobody in particular. */
export function actingPerson({ actor }: Pick<AdminCall, 'actor'>): ActingPerson {
  if (actor === null) throw new Fault('signed_out')
  if (actor.kind === 'local') {
    throw new Fault('not_allowed', { detail: 'this is about a person: sign in at the dashboard' })
  }
  const { personId: id, email, via } = actor
  return { id, email, session: via.kind === 'session' ? via.id : null }
}

/** Throws `not_allowed` for a token too. */
export function personInSession(
  call: Pick<AdminCall, 'actor'>,
): ActingPerson & { readonly session: string } {
  const { session, ...person } = actingPerson(call)
  if (session !== null) return { ...person, session }
  throw new Fault('not_allowed', { detail: 'this takes a session: sign in at the dashboard' })
}

/** A new token for the session that goes on, after what its person may has changed. */
export async function renewSession(
  { identity, session }: Pick<AdminCall, 'identity' | 'session'>,
  id: string,
): Promise<void> {
  session.begin(await identity.sessions.renew(id))
}

/** Of whoever was signed in with this browser: with a sign-in they are not any more. */
export async function endSessionBefore({
  actor,
  identity,
}: Pick<AdminCall, 'actor' | 'identity'>): Promise<void> {
  if (actor?.kind !== 'person' || actor.via.kind !== 'session') return
  await identity.sessions.endOne(actor.via.id)
}

/** Where a request comes from, as sign-ins keep it. */
export function fromOf({ origin }: Pick<AdminCall, 'origin'>): {
  readonly address: string
  readonly agent: string
} {
  return { address: origin.address ?? 'local', agent: origin.userAgent ?? '' }
}

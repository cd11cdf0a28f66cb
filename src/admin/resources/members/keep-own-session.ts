// A change of a person's rights ends their sessions. If people change their own rights, the current session gets a new token.
// Tested by test/admin/admin-people.test.ts
import type { AdminCall } from '../../admin-operation.ts'
import { renewSession } from '../../acting-person.ts'

/** `change` receives the session that it must not end, or null. */
export async function keepOwnSession(
  call: Pick<AdminCall, 'actor' | 'identity' | 'session'>,
  personId: string,
  change: (keepSession: string | null) => Promise<void>,
): Promise<void> {
  const { actor } = call
  const own =
    actor?.kind === 'person' && actor.personId === personId && actor.via.kind === 'session'
      ? actor.via.id
      : null
  await change(own)
  if (own !== null) await renewSession(call, own)
}

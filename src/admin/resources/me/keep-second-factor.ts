// Where a second factor is required, a person cannot remove the last one.
// Tested by test/admin/second-factor-policy.test.ts
import type { Person } from '../../../access/people/person.ts'
import { Fault } from '../../../base/fault.ts'
import type { AdminCall } from '../../admin-operation.ts'

/** `hasOther`: state after the removal. Throws `conflict`. */
export async function keepSecondFactor(
  { identity }: Pick<AdminCall, 'identity'>,
  personId: string,
  hasOther: (person: Person) => boolean,
): Promise<void> {
  const person = await identity.people.get(personId)
  if (!identity.needsSecondFactor(person) || hasOther(person)) return
  const detail =
    'this server requires a second factor: set up another one first (setting signIn.secondFactor)'
  throw new Fault('conflict', { detail, data: { setting: 'signIn.secondFactor' } })
}

import { equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../base/fault.ts'
import { type Principal, type AdminRole, authorizeRole } from './principal.ts'

const person = (operator: boolean, roles: Record<string, 'owner' | 'member'>): Principal => ({
  kind: 'person',
  personId: 'p',
  email: 'p@example.com',
  operator,
  roles: new Map(Object.entries(roles)),
  via: { kind: 'session', id: 's' },
})
const actors = {
  unauthenticated: null,
  stranger: person(false, { other: 'owner' }),
  member: person(false, { mine: 'member' }),
  owner: person(false, { mine: 'owner' }),
  operator: person(true, {}),
  local: { kind: 'local' },
} as const satisfies Record<string, Principal | null>

/** Expected results in the order of `actors`, for an operation of the account `mine`. */
const expected: Readonly<Record<AdminRole, string>> = {
  anyone: 'ok ok ok ok ok ok',
  'signed-in': 'signed_out ok ok ok ok ok',
  member: 'signed_out absent ok ok ok ok',
  owner: 'signed_out absent not_allowed ok ok ok',
  operator: 'signed_out not_allowed not_allowed not_allowed ok ok',
}

for (const [role, answers] of Object.entries(expected)) {
  test(`the role ${role} is checked for every principal`, () => {
    const results = Object.values(actors).map((actor) => {
      try {
        authorizeRole(role as AdminRole, 'mine', actor)
        return 'ok'
      } catch (thrown) {
        return Fault.from(thrown).code
      }
    })
    equal(results.join(' '), answers)
  })
}

test('an account operation without an account is open to operators only', () => {
  throws(() => authorizeRole('member', null, actors.owner), { code: 'absent' })
})

// Roles by group: granted and removed at each sign-in with OpenID, for people in a database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRoleRules } from '../../src/access/people/oidc/apply-rules.ts'
import type { SignInRule } from '../../src/access/people/oidc/sign-in-rules.ts'
import { silentLog } from '../../src/base/log.ts'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import { createSqliteRows } from '../../src/db/sqlite-rows.ts'
import { createIdentityRig } from '../fakes/people/identity.ts'

const rule: SignInRule = { groups: [], domains: [], operator: false, account: null, role: 'member' }

async function openRig() {
  const rig = createIdentityRig()
  const rows = createSqliteRows(rig.db, createInlineWriter(rig.db))
  const { people, memberships, audit } = rig
  const rules = createRoleRules({ rows, people, memberships, audit, log: silentLog })
  const { id: op } = await rig.addPerson('op@example.org', { role: 'operator' })
  const { id } = await rig.addPerson('grace@example.org')
  const team = (await rig.accounts.createAccount('team')).id
  return {
    ...rig,
    id,
    op,
    team,
    apply: (groups: readonly string[], list: readonly SignInRule[], person = id) =>
      rules.apply({ id: person, email: 'grace@example.org' }, { email: null, groups }, list),
    async rolesOf(person = id) {
      const found = await memberships.ofPerson(person)
      const roles = found.map(({ accountName, role }) => `${accountName}: ${role}`)
      return (await people.get(person)).isOperator ? ['operator', ...roles] : roles
    },
  }
}

test('roles follow the groups: granted, changed and taken away, each with an audit entry', async () => {
  const { apply, rolesOf, audit, team } = await openRig()
  const rules = [
    { ...rule, groups: ['sre'], operator: true },
    { ...rule, groups: ['dev'], account: 'team' },
    // Accounts by ID as well as by name.
    { ...rule, groups: ['lead'], account: team, role: 'owner' as const },
  ]
  await apply(['dev', 'sre'], rules)
  assert.deepEqual(await rolesOf(), ['operator', 'of-grace: member', 'team: member'])
  await apply(['dev', 'sre'], rules)
  await apply(['dev', 'lead'], rules)
  assert.deepEqual(await rolesOf(), ['of-grace: member', 'team: owner'])
  const entries = await audit.list({ limit: 10 })
  assert.deepEqual(
    entries.toReversed().map(({ action, changes }) => [action, changes]),
    [
      ['applySignInRule', { role: 'operator', granted: true }],
      ['applySignInRule', { role: 'member', granted: true }],
      ['applySignInRule', { role: 'operator', granted: false }],
      ['applySignInRule', { role: 'owner', granted: true }],
    ],
  )
})

test('a role given by a person stays when a group is removed', async () => {
  const { apply, rolesOf, memberships, people, id, team } = await openRig()
  const rules = [
    { ...rule, groups: ['sre'], operator: true },
    { ...rule, groups: ['dev'], account: 'team' },
  ]
  await memberships.put(team, id, 'member')
  await people.setOperator(id, true)
  await apply(['sre', 'dev'], rules)
  await apply([], rules)
  assert.deepEqual(await rolesOf(), ['operator', 'of-grace: member', 'team: member'])
})

test('an owner by rule becomes the member that they were before', async () => {
  const { apply, rolesOf, memberships, addPerson, id, team } = await openRig()
  await addPerson('other@example.org', { role: 'owner', account: team })
  await memberships.put(team, id, 'member')
  const rules = [{ ...rule, groups: ['lead'], account: 'team', role: 'owner' as const }]
  await apply(['lead'], rules)
  assert.deepEqual(await rolesOf(), ['of-grace: member', 'team: owner'])
  await apply([], rules)
  assert.deepEqual(await rolesOf(), ['of-grace: member', 'team: member'])
})

test('the last operator and the last owner keep their role, and lose it when another exists', async () => {
  const { apply, rolesOf, people, memberships, addPerson, op, team } = await openRig()
  const rules = [
    { ...rule, groups: ['sre'], operator: true },
    { ...rule, groups: ['lead'], account: 'team', role: 'owner' as const },
  ]
  await apply(['sre', 'lead'], rules)
  await people.setOperator(op, false)
  await apply([], rules)
  assert.deepEqual(await rolesOf(), ['operator', 'of-grace: member', 'team: owner'])
  await people.setOperator(op, true)
  const { id: other } = await addPerson('other@example.org')
  await memberships.put(team, other, 'owner')
  await apply([], rules)
  assert.deepEqual(await rolesOf(), ['of-grace: member'])
})

test('a rule for an account that does not exist grants nothing and does not fail the sign-in', async () => {
  const { apply, rolesOf } = await openRig()
  await apply(['dev'], [{ ...rule, groups: ['dev'], account: 'absent' }])
  assert.deepEqual(await rolesOf(), ['of-grace: member'])
})

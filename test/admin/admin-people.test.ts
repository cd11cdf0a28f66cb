// Operations on people, with and without the required role.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { Fault } from '../../src/base/fault.ts'
import { addMember } from '../../src/admin/resources/members/add-member.ts'
import type { Principal } from '../../src/admin/principal.ts'
import { changeMe } from '../../src/admin/resources/me/change-me.ts'
import { changeMember } from '../../src/admin/resources/members/change-member.ts'
import { changePassword } from '../../src/admin/resources/me/change-password.ts'
import { changePerson } from '../../src/admin/resources/people/change-person.ts'
import { confirmTotp } from '../../src/admin/resources/me/confirm-totp.ts'
import { createToken } from '../../src/admin/resources/me/create-token.ts'
import { endOtherSessions } from '../../src/admin/resources/me/end-other-sessions.ts'
import { endSession } from '../../src/admin/resources/me/end-session.ts'
import { endSessionsOf } from '../../src/admin/resources/people/end-sessions-of.ts'
import { enrolTotp } from '../../src/admin/resources/me/enrol-totp.ts'
import { getPerson } from '../../src/admin/resources/people/get-person.ts'
import { inviteAnyone } from '../../src/admin/resources/invitations/invite-anyone.ts'
import { invite } from '../../src/admin/resources/invitations/invite.ts'
import { leaveAccount } from '../../src/admin/resources/members/leave-account.ts'
import { listAllAudit } from '../../src/admin/resources/audit/list-all-audit.ts'
import { listAllInvitations } from '../../src/admin/resources/invitations/list-all-invitations.ts'
import { listInvitations } from '../../src/admin/resources/invitations/list-invitations.ts'
import { listMembers } from '../../src/admin/resources/members/list-members.ts'
import { listPeople } from '../../src/admin/resources/people/list-people.ts'
import { listSessions } from '../../src/admin/resources/me/list-sessions.ts'
import { listTokens } from '../../src/admin/resources/me/list-tokens.ts'
import { removeMember } from '../../src/admin/resources/members/remove-member.ts'
import { removeTotp } from '../../src/admin/resources/me/remove-totp.ts'
import { resetTotp } from '../../src/admin/resources/people/reset-totp.ts'
import { revokeToken } from '../../src/admin/resources/me/revoke-token.ts'
import { setPassword } from '../../src/admin/resources/people/set-password.ts'
import { acceptInvitation } from '../../src/admin/resources/invitations/accept-invitation.ts'
import { signUpByInvitation } from '../../src/admin/resources/invitations/sign-up-by-invitation.ts'
import { whoAmI } from '../../src/admin/resources/me/who-am-i.ts'
import { withdrawAnyInvitation } from '../../src/admin/resources/invitations/withdraw-any-invitation.ts'
import { withdrawInvitation } from '../../src/admin/resources/invitations/withdraw-invitation.ts'
import { openDesk } from '../fakes/people/admin-desk.ts'
import { goodPassword as password, testClient } from '../fakes/people/identity.ts'

async function openOffice() {
  const desk = openDesk()
  const { identity, run } = desk

  /** A person who signed up by invitation and is signed in. */
  async function join(email: string, to: Record<string, unknown>) {
    const { link } = await run(inviteAnyone, to)
    const newcomer = { link, email, name: email, password }
    const { person } = await run(signUpByInvitation, newcomer, null)
    return person.id
  }

  /** The person as the API loads them: with current permissions, in a confirmed session. */
  async function as(id: string): Promise<Principal & { kind: 'person' }> {
    const { token } = await identity.signIn.enter(id, testClient)
    const found = await identity.tokenAuthenticator.findSession(token)
    assert.ok(found)
    identity.confirmations.confirm(found.by.id)
    return {
      kind: 'person',
      personId: id,
      email: found.person.email,
      operator: found.isOperator,
      roles: found.roles,
      via: found.by,
    }
  }

  const ada = await join('ada@example.org', { role: 'owner', accountName: 'acme' })
  const { id: account } = await desk.accounts.getAccount('acme')
  return { ...desk, join, as, ada, account }
}

test('owners can invite to their account only if the setting allows it; operators always can', async () => {
  const { run, refusal, as, ada, account } = await openOffice()
  const refused = await refusal(invite, { account, role: 'member' }, await as(ada))
  assert.match(refused, /^not_allowed: sign-up is closed.*admin\.signUp/)
  const { invitation, link } = await run(invite, { account, role: 'member' })
  assert.equal(invitation.accountName, 'acme')
  assert.ok(!JSON.stringify(await run(listInvitations, { account }, await as(ada))).includes(link))
  await run(withdrawInvitation, { account, invitation: invitation.id }, await as(ada))
  assert.deepEqual((await run(listAllInvitations, {})).invitations, [])
})

test('an existing person accepts an invitation, or is added by an operator', async () => {
  const { run, refusal, as, ada } = await openOffice()
  const { link, invitation } = await run(inviteAnyone, { role: 'member', accountName: 'beta' })
  await run(acceptInvitation, { link }, await as(ada))
  const { accounts } = await run(whoAmI, {}, await as(ada))
  assert.deepEqual(
    accounts.map(({ name, role }) => [name, role]),
    [
      ['acme', 'owner'],
      ['beta', 'owner'],
    ].map(([name, role]) => [name, name === 'beta' ? 'member' : role]),
  )
  const gone = await refusal(withdrawAnyInvitation, { invitation: invitation.id })
  assert.match(gone, /^absent/)
})

test('only owners change members, and an account keeps at least one owner', async () => {
  const { run, refusal, join, as, ada, account } = await openOffice()
  const grace = await join('grace@example.org', { role: 'member', accountId: account })
  const toOwner = { account, person: grace, role: 'owner' }
  assert.match(await refusal(changeMember, toOwner, await as(grace)), /^not_allowed/)
  assert.match(await refusal(leaveAccount, { account }, await as(ada)), /^conflict.*last owner/)
  const alone = { account, person: ada, role: 'member', ownerless: true }
  assert.match(await refusal(changeMember, alone, await as(ada)), /^conflict/)
  const { members } = await run(changeMember, toOwner, await as(ada))
  assert.deepEqual(
    members.map(({ email, role }) => [email, role]),
    [
      ['ada@example.org', 'owner'],
      ['grace@example.org', 'owner'],
    ],
  )
  await run(leaveAccount, { account }, await as(ada))
  const last = { account, person: grace }
  assert.match(await refusal(removeMember, last, await as(grace)), /^conflict/)
  await run(removeMember, { ...last, ownerless: 'true' })
  assert.deepEqual((await run(listMembers, { account })).members, [])
  await run(addMember, { account, email: 'Grace@example.org', role: 'member' })
  const unknown = { account, email: 'unknown@example.org', role: 'member' }
  assert.match(await refusal(addMember, unknown), /^absent: no person has/)
})

test('a person who changes their own role stays in the same session with a new token', async () => {
  const { run, join, as, ada, account, identity } = await openOffice()
  await join('grace@example.org', { role: 'owner', accountId: account })
  const actor = await as(ada)
  await run(changeMember, { account, person: ada, role: 'member' }, actor)
  assert.deepEqual(
    (await identity.sessions.list(ada)).map(({ id }) => id),
    [actor.via.id],
  )
})

test('an authenticator app is added and removed with the password, and reset by an operator', async () => {
  const { run, refusal, as, ada, clock, identity } = await openOffice()
  const actor = await as(ada)
  assert.match(await refusal(enrolTotp, { password: 'wrong' }, actor), /^bad_input/)
  const { secret } = await run(enrolTotp, { password }, actor)
  const code = TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: clock.now() })
  const { recoveryCodes } = await run(confirmTotp, { code }, actor)
  assert.equal(recoveryCodes.length, 10)
  assert.equal((await run(whoAmI, {}, actor)).recoveryCodesLeft, 10)
  assert.match(await refusal(removeTotp, { password: 'wrong' }, actor), /^bad_input/)
  await run(removeTotp, { password }, actor)
  await run(enrolTotp, { password }, actor)
  assert.equal((await run(resetTotp, { person: ada })).person.hasTotp, false)
  assert.deepEqual(await identity.sessions.list(ada), [])
})

test('sessions and tokens are listed without credentials, and ended by their person', async () => {
  const { run, refusal, join, as, ada, account } = await openOffice()
  const grace = await join('grace@example.org', { role: 'member', accountId: account })
  const [actor, other] = [await as(ada), await as(ada)]
  const { sessions } = await run(listSessions, {}, actor)
  assert.deepEqual(
    sessions.filter(({ isThis }) => isThis).map(({ id }) => id),
    [actor.via.id],
  )
  const foreign = { session: other.via.id }
  assert.match(await refusal(endSession, foreign, await as(grace)), /^absent/)
  await run(endSession, foreign, actor)
  assert.ok((await run(endOtherSessions, {}, actor)).ended >= 1)

  const order = { name: 'ci', role: 'owner', expires: null }
  const made = await run(createToken, order, actor)
  assert.ok(!JSON.stringify(await run(listTokens, {}, actor)).includes(made.text))
  const above = { ...order, role: 'operator' }
  assert.match(await refusal(createToken, above, actor), /^bad_input/)
  const noDate = { ...order, expires: 8_640_000_000_000_001 }
  assert.match(await refusal(createToken, noDate, actor), /^bad_input: expires/)
  const token = made.token.id
  assert.match(await refusal(revokeToken, { token }, await as(grace)), /^absent/)
  await run(revokeToken, { token }, actor)
})

test('operators list, disable and enable people, and one operator always remains', async () => {
  const { run, refusal, join, as, ada } = await openOffice()
  assert.match(await refusal(listPeople, {}, await as(ada)), /^not_allowed/)
  const op = await join('op@example.org', { role: 'operator' })
  const operator = await as(op)
  assert.equal((await run(listPeople, {}, operator)).people.length, 2)
  const disabled = await run(changePerson, { person: ada, disabled: true }, operator)
  assert.notEqual(disabled.person.disabled, null)
  await run(changePerson, { person: ada, disabled: false, name: 'Ada L.' }, operator)
  const off = { person: op, isOperator: false }
  assert.match(await refusal(changePerson, off, operator), /^conflict.*last operator/)
  await as(ada)
  assert.equal((await run(getPerson, { person: ada }, operator)).accounts[0]?.role, 'owner')
  assert.ok((await run(endSessionsOf, { person: ada }, operator)).ended >= 1)
  assert.match(await refusal(getPerson, { person: 'none' }, operator), /^absent/)
})

test('a forgotten password is reset only at the command line', async () => {
  const { run, refusal, join, as, ada, identity } = await openOffice()
  const op = await join('op@example.org', { role: 'operator' })
  const order = { person: ada, newPassword: 'another stone there' }
  assert.match(await refusal(setPassword, order, await as(op)), /^not_allowed/)
  await run(setPassword, order)
  await identity.signIn.signIn(
    { email: 'ada@example.org', password: order.newPassword },
    testClient,
  )
})

test('personal operations are unavailable at the command line, and operations on credentials are unavailable to tokens', async () => {
  const { run, refusal, as, ada } = await openOffice()
  assert.match(await refusal(whoAmI, {}), /^not_allowed/)
  const token = { ...(await as(ada)), via: { kind: 'token', id: 't' } } as const
  const order = { name: 'more', role: 'member', expires: null }
  assert.match(await refusal(createToken, order, token), /^not_allowed: this takes a session/)
  const change = { password, newPassword: 'another stone there' }
  assert.match(await refusal(changePassword, change, token), /^not_allowed/)
  assert.equal((await run(whoAmI, {}, token)).via, 'token')
  await run(changeMe, { name: 'Ada Lovelace' }, token)
})

test('the audit log records every change and contains no password, code, link or token', async () => {
  const { run, as, ada } = await openOffice()
  const actor = await as(ada)
  const { link } = await run(inviteAnyone, { role: 'operator' })
  const { text } = await run(createToken, { name: 'ci', role: 'owner', expires: null }, actor)
  const { secret } = await run(enrolTotp, { password }, actor)
  const { records } = await run(listAllAudit, {})
  assert.deepEqual(
    records.map(({ action, actorName }) => [action, actorName]),
    [
      ['enrolTotp', 'ada@example.org'],
      ['createToken', 'ada@example.org'],
      ['inviteAnyone', 'local'],
      ['signUpByInvitation', 'ada@example.org'],
      ['inviteAnyone', 'local'],
    ],
  )
  const all = JSON.stringify(records)
  for (const planted of [link, text, secret, password]) assert.ok(!all.includes(planted))
})

test('a refusal names the invalid field by its name in the operation', async () => {
  const { run, as, ada } = await openOffice()
  const actor = await as(ada)
  const fieldOf = async (refused: Promise<unknown>) => {
    const { data } = await refused.then(() => assert.fail('it was not refused'), Fault.from)
    return typeof data === 'object' ? data['field'] : undefined
  }
  const wrong = { password: 'wrong', newPassword: 'another stone there' }
  assert.equal(await fieldOf(run(changePassword, wrong, actor)), 'password')
  const short = { password, newPassword: 'short' }
  assert.equal(await fieldOf(run(changePassword, short, actor)), 'newPassword')
  assert.equal(await fieldOf(run(confirmTotp, { code: '000000' }, actor)), 'code')
  assert.equal(await fieldOf(run(changeMe, { name: ' ' }, actor)), 'name')
  const past = { name: 'ci', role: 'member', expires: 1 }
  assert.equal(await fieldOf(run(createToken, past, actor)), 'expires')
  const twice = { link: 'none', email: 'ada@example.org', name: 'Ada', password }
  assert.equal(await fieldOf(run(signUpByInvitation, twice, null)), undefined)
})

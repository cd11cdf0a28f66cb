// Passkeys through the admin API: added by a signed-in person, used to sign in without a password, listed and removed; by calling
// the operations, and over HTTP by name and by address of a started server.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Principal } from '../../src/admin/principal.ts'
import { addPasskey } from '../../src/admin/resources/passkeys/add-passkey.ts'
import { beginPasskeyConfirmation } from '../../src/admin/resources/me/begin-passkey-confirmation.ts'
import { beginPasskeySignIn } from '../../src/admin/resources/session/begin-passkey-sign-in.ts'
import { beginPasskey } from '../../src/admin/resources/passkeys/begin-passkey.ts'
import { confirmWithPasskey } from '../../src/admin/resources/me/confirm-with-passkey.ts'
import { createToken } from '../../src/admin/resources/me/create-token.ts'
import { inviteAnyone } from '../../src/admin/resources/invitations/invite-anyone.ts'
import { listAllAudit } from '../../src/admin/resources/audit/list-all-audit.ts'
import { listPasskeys } from '../../src/admin/resources/passkeys/list-passkeys.ts'
import { removePasskey } from '../../src/admin/resources/passkeys/remove-passkey.ts'
import { resetTotp } from '../../src/admin/resources/people/reset-totp.ts'
import { signInWithPasskey } from '../../src/admin/resources/session/sign-in-with-passkey.ts'
import { signUpByInvitation } from '../../src/admin/resources/invitations/sign-up-by-invitation.ts'
import { whoAmI } from '../../src/admin/resources/me/who-am-i.ts'
import { firstPerson, openAdminClient } from '../fakes/people/admin-client.ts'
import { deskPage, openDesk } from '../fakes/people/admin-desk.ts'
import { createFakeAuthenticator, type FakeAuthenticator } from '../fakes/people/authenticator.ts'
import { goodPassword as password, testClient } from '../fakes/people/identity.ts'
import { startCairn } from '../started-server.ts'

type Texts = Readonly<Record<string, string>>

function asTexts(answer: Readonly<Record<string, Uint8Array>>): Texts {
  return Object.fromEntries(
    Object.entries(answer).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64url')]),
  )
}

/** The response of a browser for a new passkey. */
function madeBy(
  authenticator: FakeAuthenticator,
  origin: string,
  { seal, options }: { seal: string; options: { challenge: string; user: { id: string } } },
) {
  const ceremony = { origin, rpId: new URL(origin).hostname, challenge: options.challenge }
  const { clientData, attestation } = authenticator.make(ceremony, options.user.id)
  return { seal, ...asTexts({ clientDataJSON: clientData, attestationObject: attestation }) }
}

/** The response of a browser for a sign-in. */
function signedBy(
  authenticator: FakeAuthenticator,
  origin: string,
  { seal, options }: { seal: string; options: { challenge: string } },
) {
  const ceremony = { origin, rpId: new URL(origin).hostname, challenge: options.challenge }
  const { credentialId, clientData, personHandle, ...rest } = authenticator.sign(ceremony)
  const named = { id: credentialId, clientDataJSON: clientData, userHandle: personHandle }
  return { seal, ...asTexts({ ...named, ...rest }) }
}

async function openOffice() {
  const desk = openDesk()
  const { link } = await desk.run(inviteAnyone, { role: 'owner', accountName: 'acme' })
  const newcomer = { link, email: 'ada@example.org', name: 'Ada', password }
  const { person } = await desk.run(signUpByInvitation, newcomer, null)
  const { token } = await desk.identity.signIn.enter(person.id, testClient)
  const found = await desk.identity.tokenAuthenticator.findSession(token)
  assert.ok(found)
  const actor: Principal & { kind: 'person' } = {
    kind: 'person',
    personId: person.id,
    email: person.email,
    operator: found.isOperator,
    roles: found.roles,
    via: found.by,
  }
  return { ...desk, actor, ada: person.id }
}

test('a passkey is added with the password, signs in, is listed, and removed', async () => {
  const { run, refusal, actor, ada, identity } = await openOffice()
  assert.match(await refusal(beginPasskey, { password: 'wrong' }, actor), /^bad_input/)
  const begun = await run(beginPasskey, { password }, actor)
  assert.equal(begun.options.rp.id, 'localhost')
  assert.deepEqual(
    begun.options.pubKeyCredParams.map(({ alg }) => alg),
    [-8, -7, -257],
  )
  const authenticator = createFakeAuthenticator()
  const fresh = { ...madeBy(authenticator, deskPage, begun), transports: ['internal'] }
  const { passkey } = await run(addPasskey, { name: 'laptop', ...fresh }, actor)
  assert.deepEqual((await run(listPasskeys, {}, actor)).passkeys, [passkey])
  assert.equal((await run(whoAmI, {}, actor)).person.passkeys, 1)
  const again = await run(beginPasskey, { password }, actor)
  assert.deepEqual(again.options.excludeCredentials, [
    {
      type: 'public-key',
      id: authenticator.credentialId.toString('base64url'),
      transports: ['internal'],
    },
  ])

  const options = await run(beginPasskeySignIn, {}, null)
  const answer = signedBy(authenticator, deskPage, options)
  assert.equal((await run(signInWithPasskey, answer, null)).person.id, ada)
  assert.match(await refusal(signInWithPasskey, answer, null), /^bad_sign_in: .*answered already/)

  const removal = { passkey: passkey.id }
  assert.match(await refusal(removePasskey, removal, actor), /^needs_confirmation/)
  identity.confirmations.confirm(actor.via.id)
  await run(removePasskey, removal, actor)
  const gone = signedBy(authenticator, deskPage, await run(beginPasskeySignIn, {}, null))
  assert.match(await refusal(signInWithPasskey, gone, null), /^bad_sign_in: .*use your password/)
  assert.match(await refusal(removePasskey, { passkey: passkey.id }, actor), /^absent/)
})

test('a passkey confirms only the session that requested it', async () => {
  const { run, refusal, actor, identity } = await openOffice()
  const order = { name: 'ci', role: 'owner', expires: null }
  const authenticator = createFakeAuthenticator()
  const begun = await run(beginPasskey, { password }, actor)
  await run(addPasskey, { name: 'laptop', ...madeBy(authenticator, deskPage, begun) }, actor)
  assert.match(await refusal(createToken, order, actor), /^needs_confirmation/)

  const toSignIn = signedBy(authenticator, deskPage, await run(beginPasskeySignIn, {}, null))
  assert.match(await refusal(confirmWithPasskey, toSignIn, actor), /^bad_sign_in/)
  const { token } = await identity.signIn.enter(actor.personId, testClient)
  const other = {
    ...actor,
    via: (await identity.tokenAuthenticator.findSession(token))?.by ?? actor.via,
  }
  const elsewhere = await run(beginPasskeyConfirmation, {}, other)
  const ofOther = signedBy(authenticator, deskPage, elsewhere)
  assert.match(await refusal(confirmWithPasskey, ofOther, actor), /^bad_sign_in/)

  const options = await run(beginPasskeyConfirmation, {}, actor)
  await run(confirmWithPasskey, signedBy(authenticator, deskPage, options), actor)
  await run(createToken, order, actor)
  assert.match(await refusal(createToken, order, other), /^needs_confirmation/)
})

test('the audit log names the person and the passkey, and contains no signed data', async () => {
  const { run, actor, ada, identity } = await openOffice()
  identity.confirmations.confirm(actor.via.id)
  const authenticator = createFakeAuthenticator()
  const begun = await run(beginPasskey, { password }, actor)
  const made = madeBy(authenticator, deskPage, begun)
  const { passkey } = await run(addPasskey, { name: 'laptop', ...made }, actor)
  const answer = signedBy(authenticator, deskPage, await run(beginPasskeySignIn, {}, null))
  await run(signInWithPasskey, answer, null)
  await run(removePasskey, { passkey: passkey.id }, actor)
  const { records } = await run(listAllAudit, { limit: '3' })
  const about = { actor: ada, target: passkey.id }
  assert.partialDeepStrictEqual(records, [
    { ...about, action: 'removePasskey' },
    { ...about, action: 'signInWithPasskey', changes: {} },
    { ...about, action: 'addPasskey', changes: { name: 'laptop', rpId: 'localhost' } },
  ])
  const all = JSON.stringify(records)
  for (const text of Object.values({ ...made, ...answer })) assert.ok(!all.includes(text))
})

test('input that is too long or invalid base64url is refused by field name, before it is processed', async () => {
  const { run, refusal, actor } = await openOffice()
  const made = madeBy(
    createFakeAuthenticator(),
    deskPage,
    await run(beginPasskey, { password }, actor),
  )
  const order = { name: 'laptop', ...made }
  const wrong: readonly (readonly [field: string, value: unknown])[] = [
    ['attestationObject', 'A'.repeat(22_000)],
    ['attestationObject', 'a+b/'],
    ['clientDataJSON', 'A'.repeat(6_000)],
    ['seal', 'A'.repeat(129)],
    ['name', 'A'.repeat(65)],
    ['transports', Array.from({ length: 9 }, () => 'usb')],
    ['transports', ['not one']],
  ]
  for (const [field, value] of wrong) {
    const refused = await refusal(addPasskey, { ...order, [field]: value }, actor)
    assert.match(refused, new RegExp(`^bad_input: ${field}`))
  }
  assert.match(
    await refusal(addPasskey, { ...order, attestationObject: '' }, actor),
    /^bad_input: the passkey was refused/,
  )
})

test('a token can neither add nor remove a passkey, and a reset removes all passkeys', async () => {
  const { run, refusal, actor, ada } = await openOffice()
  const begun = await run(beginPasskey, { password }, actor)
  const made = madeBy(createFakeAuthenticator(), deskPage, begun)
  const { passkey } = await run(addPasskey, { name: 'laptop', ...made }, actor)
  const token = { ...actor, via: { kind: 'token', id: 't' } } as const
  const needsSession = /^not_allowed: this takes a session/
  assert.match(await refusal(beginPasskey, { password }, token), needsSession)
  assert.match(await refusal(addPasskey, { name: 'x', ...made }, token), needsSession)
  assert.match(await refusal(removePasskey, { passkey: passkey.id }, token), needsSession)
  assert.equal((await run(listPasskeys, {}, token)).passkeys.length, 1)
  assert.equal((await run(resetTotp, { person: ada })).person.passkeys, 0)
})

test('over HTTP the origin and name of the dashboard are accepted, and an address is refused with the fix', async (t) => {
  const cairn = await startCairn()
  t.after(() => cairn.stop())
  const byAddress = openAdminClient(cairn.url)
  const link = new URL(cairn.firstRunLink ?? '').hash.slice(1)
  const refused = await byAddress.ask('POST', '/session/passkey/begin', {})
  assert.equal(refused.code, 'wrong_host')
  const { port } = new URL(cairn.url)
  assert.match(refused.message, new RegExp(`http://localhost:${port} .*admin\\.hosts`))

  const origin = `http://localhost:${port}`
  const client = openAdminClient(origin)
  await client.ask('POST', '/welcome', { link, ...firstPerson })
  const begun = await client.ask('POST', '/me/passkeys/begin', { password: firstPerson.password })
  assert.equal(begun.status, 200, begun.message)
  const authenticator = createFakeAuthenticator()
  const fresh = madeBy(authenticator, origin, begun.body as Parameters<typeof madeBy>[2])
  const added = await client.ask('POST', '/me/passkeys', { name: 'laptop', ...fresh })
  assert.equal(added.status, 200, added.message)

  const other = openAdminClient(origin)
  const beginReply = await other.ask('POST', '/session/passkey/begin', {})
  const answer = signedBy(authenticator, origin, beginReply.body as Parameters<typeof signedBy>[2])
  const foreign = { origin: `http://localhost:${Number(port) + 1}` }
  const stolen = await other.ask('POST', '/session/passkey', answer, foreign)
  assert.equal(stolen.code, 'foreign_origin')
  const entered = await other.ask('POST', '/session/passkey', answer)
  assert.equal(entered.status, 200, entered.message)
  assert.equal((await other.ask('GET', '/me')).status, 200)
  const program = openAdminClient(origin, 'cairnt_live_none')
  const asProgram = await program.ask('POST', '/session/passkey/begin', {})
  assert.match(asProgram.message, /a passkey takes a browser/)
})

import assert from 'node:assert/strict'
import { generateKeyPairSync, randomInt } from 'node:crypto'
import { test } from 'node:test'
import {
  coseOf,
  createFakeAuthenticator,
  encodeCose,
  type FakeAuthenticator,
  type Defects,
} from '../../../test/fakes/people/authenticator.ts'
import { seeded } from '../../../test/fakes/seeded.ts'
import {
  createIdentityRig,
  dayMs,
  goodPassword,
  testClient,
} from '../../../test/fakes/people/identity.ts'
import { Fault } from '../../base/fault.ts'
import { passkeyCoseKeys } from '../../db/migrations.ts'
import { AccountsRefusal } from '../accounts/account-rules.ts'

const page = { origin: 'https://cairn.example.org', rpId: 'cairn.example.org' }
const elsewhere = { origin: 'http://localhost:8545', rpId: 'localhost' }

async function openRig() {
  const rig = createIdentityRig()
  const { passkeys, passkeySignIn, signIn, addPerson } = rig
  const ada = (await addPerson('ada@example.org')).id
  const { session } = await signIn.enter(ada, testClient)
  const adder = { id: ada, session: session.id }

  async function add(
    authenticator: FakeAuthenticator,
    { defects = {}, person = adder, at = page, name = 'phone' }: Partial<AddOptions> = {},
  ) {
    const { challenge, seal, personHandle } = await passkeys.begin(person, at)
    const made = authenticator.make({ ...at, challenge }, personHandle, defects)
    return await passkeys.add(person, at, { ...made, seal, name, transports: ['internal'] })
  }

  async function enter(authenticator: FakeAuthenticator, defects: Defects = {}, at = page) {
    const { challenge, seal } = passkeySignIn.begin(at, null)
    const answer = { ...authenticator.sign({ ...at, challenge }, defects), seal }
    return await passkeySignIn.signIn(answer, at, testClient)
  }

  return { ...rig, ada, adder, add, enter }
}

type AddOptions = {
  readonly defects: Defects
  readonly person: { readonly id: string; readonly session: string }
  readonly at: typeof page
  readonly name: string
}

/** Returns reason and message of a refusal. */
async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'done'
  } catch (error) {
    if (error instanceof AccountsRefusal) return `${error.reason}: ${error.message}`
    assert.ok(error instanceof Fault, String(error))
    const why = error.cause instanceof Error ? error.cause.message : ''
    return `${error.code}: ${why}`
  }
}

for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const) {
  test(`a passkey of ${algorithm} is added, signs its person in, and is listed with its last use`, async () => {
    const { passkeys, tokenAuthenticator, people, add, enter, ada, clock } = await openRig()
    const authenticator = createFakeAuthenticator(algorithm)
    const added = await add(authenticator)
    assert.deepEqual(await passkeys.list(ada), [added])
    assert.equal(added.lastUsed, null)
    assert.equal((await people.get(ada)).passkeys, 1)
    clock.advance(5_000)
    const { token, personId, passkeyId } = await enter(authenticator)
    assert.deepEqual([personId, passkeyId], [ada, added.id])
    assert.equal((await tokenAuthenticator.findSession(token))?.person.email, 'ada@example.org')
    assert.equal((await passkeys.list(ada))[0]?.lastUsed, clock.now())
  })
}

test('a passkey is not added by a session that ended between its question and its answer', async () => {
  const { passkeys, sessions, secondFactor, add, ada, adder } = await openRig()
  const adding = add(createFakeAuthenticator())
  const reset = secondFactor.reset(ada)
  assert.match(await refusal(adding), /^(done|no_session)/)
  await reset
  assert.deepEqual(await passkeys.list(ada), [])
  assert.deepEqual(await sessions.list(ada), [])
  assert.match(await refusal(add(createFakeAuthenticator(), { person: adder })), /^no_session/)
})

test('a passkey alone lets in where the password takes a code too', async () => {
  const { db, add, enter, ada, signIn } = await openRig()
  const authenticator = createFakeAuthenticator()
  await add(authenticator)
  db.run(`UPDATE person SET totp = x'00' WHERE id = ?`, [ada])
  const byPassword = signIn.signIn({ email: 'ada@example.org', password: goodPassword }, testClient)
  assert.match(await refusal(byPassword), /^needs_code/)
  assert.equal((await enter(authenticator)).personId, ada)
})

const wrongForBoth: readonly (readonly [what: string, wrongs: Defects, why: RegExp])[] = [
  ['another ceremony', { type: 'payment.get' }, /Unexpected \w+ response type/],
  ['another challenge', { challenge: 'AAAA' }, /took too long, or the server was restarted/],
  [
    'another origin',
    { origin: 'https://evil.example' },
    /origin "https:\/\/evil\.example", expected "https:\/\/cairn\.example\.org"/,
  ],
  ['another port', { origin: `${page.origin}:444` }, /Unexpected \w+ response origin/],
  ['a page in a frame', { crossOrigin: true }, /in a frame of another page/],
  ['a page below another one', { topOrigin: 'https://evil.example' }, /in a frame of another page/],
  ['another name', { rpId: 'evil.example' }, /Unexpected RP ID hash/],
  ['client data that is no JSON', { clientData: Buffer.from('{') }, /expected to be a JSON object/],
  ['client data that is no text', { clientData: Buffer.from([0xff]) }, /a JSON object/],
]

test('a new passkey is refused for each invalid part, and not stored', async () => {
  const { passkeys, add, ada } = await openRig()
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey
  const point = coseOf('ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)
  const cose = (changes: readonly (readonly [number, unknown])[]) =>
    encodeCose(new Map<unknown, unknown>([...point, ...changes]))
  const cases: readonly (readonly [what: string, wrongs: Defects, why: RegExp])[] = [
    ...wrongForBoth,
    ['no user presence', { flags: 0x44 }, /user was not present/],
    ['no user verification', { flags: 0x41 }, /User verification was required/],
    ['no key', { flags: 0x05 }, /Leftover bytes/],
    ['ES384', { coseKey: cose([[3, -35]]) }, /expected one of "-8, -7, -257"/],
    ['no algorithm', { coseKey: cose([[3, null]]) }, /missing numeric alg/],
    ['an RSA key for ES256', { coseKey: cose([[1, 3]]) }, /RSA key algorithm/],
    ['another curve', { coseKey: cose([[-1, 2]]) }, /Invalid/],
    ['a long coordinate', { coseKey: encodeCose(coseOf('ES256', p384)) }, /Invalid/],
    ['a point on no curve', { coseKey: cose([[-2, new Uint8Array(32)]]) }, /Invalid/],
    ['a key of 2 KiB', { coseKey: cose([[-9, new Uint8Array(2048)]]) }, /at most 2048 bytes/],
    ['backed up and not to be', { flags: 0x55 }, /backed up/],
    ['an empty credential id', { credentialId: Buffer.alloc(0) }, /credential ID of 1 to 1023/],
    ['a long credential id', { credentialId: Buffer.alloc(1024) }, /credential ID of 1 to 1023/],
  ]
  for (const [what, defects, why] of cases) {
    const refused = await refusal(add(createFakeAuthenticator(), { defects }))
    const reason = what === 'another challenge' ? 'challenge_over' : 'bad_passkey'
    assert.ok(refused.startsWith(`${reason}: `), what)
    assert.match(refused, why, what)
  }
  assert.deepEqual(await passkeys.list(ada), [])
})

test('a sign-in with any invalid part is refused with one and the same error', async () => {
  const { add, enter, sessions, ada, addPerson, clock } = await openRig()
  const authenticator = createFakeAuthenticator()
  await add(authenticator)
  const other = (await addPerson('grace@example.org')).id
  const before = (await sessions.list(ada)).length
  const wrongSignature = Buffer.from('3006020101020101', 'hex')
  const cases: readonly (readonly [what: string, wrongs: Defects, why: RegExp])[] = [
    ...wrongForBoth,
    ['no user presence', { flags: 4 }, /User not present/],
    ['no user verification', { flags: 1 }, /User verification required/],
    ['another signature', { signature: wrongSignature }, /wrong signature/],
    ['no signature', { signature: Buffer.alloc(0) }, /was refused/],
    ['backed up and not to be', { flags: 0x15 }, /backed up/],
    ['an unknown passkey', { credentialId: Buffer.alloc(32) }, /no person has this passkey/],
    ['another person', { personHandle: Buffer.from(other) }, /another person/],
    ['no person', { personHandle: Buffer.alloc(0) }, /another person/],
  ]
  const answers = new Set<string>()
  for (const [what, defects, why] of cases) {
    clock.advance(60_000)
    const refused = await enter(authenticator, defects).catch((error: unknown) => error)
    assert.ok(refused instanceof Fault && refused.code === 'bad_sign_in', what)
    assert.match((refused.cause as Error).message, why, what)
    answers.add(refused.message)
  }
  assert.equal((await sessions.list(ada)).length, before)
  assert.equal(answers.size, 2, 'all equal except those who may try again')
})

test('signatures of any length and authenticator data of any shape are refused, by every algorithm', async () => {
  const { add, passkeySignIn, clock } = await openRig()
  for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const) {
    const authenticator = createFakeAuthenticator(algorithm)
    await add(authenticator)
    const tryWith = async (wrong: Readonly<Record<string, Uint8Array>>) => {
      clock.advance(60_000)
      const { challenge, seal } = passkeySignIn.begin(page, null)
      const answer = { ...authenticator.sign({ ...page, challenge }), seal, ...wrong }
      return await refusal(passkeySignIn.signIn(answer, page, testClient))
    }
    for (const length of [0, 1, 63, 64, 65, 256, 257, 2048]) {
      const signature = Buffer.alloc(length, 0x30)
      assert.match(
        await tryWith({ signature }),
        /^bad_sign_in: the passkey was refused/,
        `${length}`,
      )
    }
    for (const length of [0, 36, 38, 200]) {
      const authenticatorData = Buffer.alloc(length, 0xff)
      assert.match(
        await tryWith({ authenticatorData }),
        /^bad_sign_in: the passkey was refused/,
        `${length}`,
      )
    }
    assert.equal(await tryWith({}), 'done')
  }
})

test('a passkey of one person never signs in another, whose handle it names or not', async () => {
  const { add, enter, ada, addPerson, signIn } = await openRig()
  const grace = (await addPerson('grace@example.org')).id
  const { session } = await signIn.enter(grace, testClient)
  const [hers, his] = [createFakeAuthenticator(), createFakeAuthenticator()]
  await add(hers)
  await add(his, { person: { id: grace, session: session.id } })
  assert.equal((await enter(hers)).personId, ada)
  assert.equal((await enter(his)).personId, grace)
  const swapped = { credentialId: his.credentialId, personHandle: Buffer.from(grace) }
  assert.match(await refusal(enter(hers, swapped)), /wrong signature/)
})

test('a passkey response is accepted once, within five minutes, for its session and purpose', async () => {
  const { passkeys, passkeySignIn, add, adder, signIn, clock } = await openRig()
  const authenticator = createFakeAuthenticator()
  await add(authenticator)
  const { challenge, seal } = passkeySignIn.begin(page, null)
  const answer = { ...authenticator.sign({ ...page, challenge }), seal }
  await passkeySignIn.signIn(answer, page, testClient)
  assert.match(
    await refusal(passkeySignIn.signIn(answer, page, testClient)),
    /^bad_sign_in: this was answered already/,
  )

  const begun = await passkeys.begin(adder, page)
  const made = createFakeAuthenticator().make(
    { ...page, challenge: begun.challenge },
    begun.personHandle,
  )
  const fresh = { ...made, seal: begun.seal, name: 'x', transports: [] }
  const { session } = await signIn.enter(adder.id, testClient)
  const inAnother = passkeys.add({ ...adder, session: session.id }, page, fresh)
  assert.match(await refusal(inAnother), /took too long/)
  const asSignIn = passkeySignIn.begin(page, null)
  assert.match(
    await refusal(passkeys.add(adder, page, { ...fresh, seal: asSignIn.seal })),
    /took too long/,
  )
  clock.advance(300_000)
  assert.match(await refusal(passkeys.add(adder, page, fresh)), /took too long/)
})

test('of two concurrent uses of one passkey response one signs in', async () => {
  const { passkeySignIn, add } = await openRig()
  const authenticator = createFakeAuthenticator()
  await add(authenticator)
  const { challenge, seal } = passkeySignIn.begin(page, null)
  const answer = { ...authenticator.sign({ ...page, challenge }), seal }
  const uses = await Promise.allSettled(
    [1, 2].map(() => passkeySignIn.signIn(answer, page, testClient)),
  )
  assert.deepEqual(uses.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
})

test('a challenge from before a restart is refused in words', async () => {
  const one = await openRig()
  const { seal, challenge } = one.passkeySignIn.begin(page, null)
  const two = await openRig()
  const authenticator = createFakeAuthenticator()
  await two.add(authenticator)
  const answer = { ...authenticator.sign({ ...page, challenge }), seal }
  const refused = two.passkeySignIn.signIn(answer, page, testClient)
  await assert.rejects(refused, /the server was restarted: try again/)
})

test('a count that does not rise is refused, and one that is always 0 is not', async () => {
  const { add, enter } = await openRig()
  const counting = createFakeAuthenticator('ES256', { counts: true })
  await add(counting)
  await enter(counting)
  await enter(counting, { signCount: 9 })
  assert.match(await refusal(enter(counting, { signCount: 9 })), /counter value/)
  assert.match(await refusal(enter(counting, { signCount: 0 })), /counter value/)
  await enter(counting, { signCount: 10 })
  const synced = createFakeAuthenticator()
  await add(synced)
  await enter(synced)
  await enter(synced)
})

test('a passkey lets in at the name it was made for alone', async () => {
  const { add, enter, passkeys, adder } = await openRig()
  const authenticator = createFakeAuthenticator()
  await add(authenticator)
  assert.match(await refusal(enter(authenticator, {}, elsewhere)), /no person has this passkey/)
  assert.equal((await passkeys.begin(adder, page)).existing.length, 1)
  assert.deepEqual((await passkeys.begin(adder, elsewhere)).existing, [])
})

test('a registered passkey is refused for any person, and a person has at most twenty', async () => {
  const { add, addPerson, signIn } = await openRig()
  const authenticator = createFakeAuthenticator()
  await add(authenticator)
  assert.match(await refusal(add(authenticator)), /^passkey_taken/)
  const { id } = await addPerson('grace@example.org')
  const { session } = await signIn.enter(id, testClient)
  const person = { id, session: session.id }
  assert.match(await refusal(add(authenticator, { person })), /^passkey_taken/)
  assert.match(await refusal(add(createFakeAuthenticator(), { name: ' ' })), /^bad_name/)
  for (let at = 1; at < 20; at += 1) await add(createFakeAuthenticator('EdDSA'))
  assert.match(await refusal(add(createFakeAuthenticator())), /^too_many: .* at most 20/)
})

test('a removed passkey is refused, the other sessions of its person end, and the password remains valid', async () => {
  const { add, enter, passkeys, sessions, signIn, ada, adder, addPerson } = await openRig()
  const authenticator = createFakeAuthenticator()
  const { id } = await add(authenticator)
  await enter(authenticator)
  const grace = (await addPerson('grace@example.org')).id
  assert.match(await refusal(passkeys.remove(id, grace, null)), /^no_passkey/)
  await passkeys.remove(id, ada, adder.session)
  assert.deepEqual(
    (await sessions.list(ada)).map((one) => one.id),
    [adder.session],
  )
  assert.match(await refusal(enter(authenticator)), /no person has this passkey/)
  await signIn.signIn({ email: 'ada@example.org', password: goodPassword }, testClient)
})

test('a disabled person is not let in, and a reset takes passkeys with the authenticator', async () => {
  const { add, enter, people, secondFactor, ada, addPerson } = await openRig()
  await addPerson('op@example.org', { role: 'operator' })
  const authenticator = createFakeAuthenticator()
  await add(authenticator)
  await people.setDisabled(ada, true)
  assert.match(await refusal(enter(authenticator)), /is no longer valid/)
  await people.setDisabled(ada, false)
  await secondFactor.reset(ada)
  assert.equal((await people.get(ada)).passkeys, 0)
  assert.match(await refusal(enter(authenticator)), /no person has this passkey/)
})

test('tries with a passkey are held back by it and by address, and wrong passwords keep no passkey out', async () => {
  const { add, enter, signIn, clock } = await openRig()
  const authenticator = createFakeAuthenticator()
  await add(authenticator)
  const wrong = { email: 'ada@example.org', password: 'wrong' }
  for (let tries = 0; tries < 10; tries += 1) await refusal(signIn.signIn(wrong, testClient))
  assert.match(await refusal(signIn.signIn(wrong, testClient)), /^over_rate/)
  await enter(authenticator)
  const forged = { signature: Buffer.alloc(64) }
  for (let tries = 0; tries < 10; tries += 1) {
    assert.match(await refusal(enter(authenticator, forged)), /^bad_sign_in/)
  }
  assert.match(await refusal(enter(authenticator)), /^over_rate/)
  clock.advance(dayMs)
  await enter(authenticator)
})

test('attestation statements and extensions are ignored', async () => {
  const { add, enter } = await openRig()
  const statement = new Map<string, unknown>([['sig', new Uint8Array(64)]])
  const defects = {
    format: 'packed',
    statement,
    extensions: encodeCose(new Map([['credProtect', 2]])),
  }
  const authenticator = createFakeAuthenticator()
  await add(authenticator, { defects })
  await enter(authenticator)
})

test('a passkey that was stored as SPKI signs in after the migration', async () => {
  const { db, add, enter, ada } = await openRig()
  const numbers = { ES256: -7, EdDSA: -8, RS256: -257 } as const
  const old = (['ES256', 'EdDSA', 'RS256'] as const).map((algorithm) => ({
    algorithm,
    authenticator: createFakeAuthenticator(algorithm, { counts: true }),
  }))
  for (const { authenticator } of old) await add(authenticator)
  db.exec(`ALTER TABLE passkey RENAME COLUMN public_key TO spki;
    ALTER TABLE passkey ADD COLUMN algorithm INTEGER NOT NULL DEFAULT 0`)
  for (const { algorithm, authenticator } of old) {
    const spki = authenticator.publicKey.export({ type: 'spki', format: 'der' })
    const sql = 'UPDATE passkey SET spki = ?, algorithm = ? WHERE credential_id = ?'
    db.run(sql, [spki, numbers[algorithm], authenticator.credentialId])
  }
  for (const sql of passkeyCoseKeys) db.exec(sql)
  for (const { algorithm, authenticator } of old) {
    const forged = { signature: Buffer.alloc(64) }
    assert.match(await refusal(enter(authenticator, forged)), /^bad_sign_in/, algorithm)
    assert.equal((await enter(authenticator)).personId, ada, algorithm)
  }
})

test('random attestation bytes are accepted or refused as bad_passkey, with no other error', async () => {
  const { db, passkeys, adder } = await openRig()
  const seed = Number(process.env['CAIRN_SEED'] ?? randomInt(2 ** 31))
  const random = seeded(seed)
  const extensions = encodeCose(new Map([['a', [1, true, 'b']]]))
  for (let round = 0; round < 1_000; round += 1) {
    const { challenge, seal, personHandle } = await passkeys.begin(adder, page)
    const made = createFakeAuthenticator('EdDSA').make({ ...page, challenge }, personHandle, {
      extensions,
    })
    const attestation = Buffer.from(made.attestation)
    for (let changes = random(8); changes >= 0; changes -= 1) {
      attestation[random(attestation.length)] = random(256)
    }
    const whole = attestation.subarray(0, random(4) === 0 ? random(attestation.length) : undefined)
    const fresh = { ...made, attestation: whole, seal, name: 'x', transports: [] }
    const answer = await refusal(passkeys.add(adder, page, fresh))
    assert.match(answer, /^(done$|bad_passkey: |passkey_taken: )/, `seed ${seed}, round ${round}`)
    db.run('DELETE FROM passkey')
  }
})

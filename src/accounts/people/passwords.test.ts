import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurnedClock } from '../../../test/fakes/turned-clock.ts'
import { Fault } from '../../base/fault.ts'
import { AccountsRefusal } from '../accounts-refusal.ts'
import { checkNewPassword } from './password-rules.ts'
import { createPasswords } from './passwords.ts'

const clock = createTurnedClock()
const cheap = { memory: 64, passes: 1, parallelism: 1 }

for (const algorithm of ['argon2id', 'scrypt'] as const) {
  test(`a password is known again by its ${algorithm} string, which differs each time`, async () => {
    const passwords = createPasswords({ clock, algorithm })
    const stored = await passwords.hash('a stone on a stone')
    assert.match(stored, new RegExp(`^\\$${algorithm}\\$`))
    assert.notEqual(stored, await passwords.hash('a stone on a stone'))
    assert.equal(await passwords.isRight('a stone on a stone', stored), true)
    assert.equal(await passwords.isRight('a stone on a Stone', stored), false)
  })
}

test('strings of both algorithms are read, whichever new ones are made by', async () => {
  const [byScrypt, byArgon2] = [
    createPasswords({ clock, algorithm: 'scrypt' }),
    createPasswords({ clock }),
  ]
  assert.equal(await byArgon2.isRight('right', await byScrypt.hash('right')), true)
  assert.equal(await byScrypt.isRight('right', await byArgon2.hash('right')), true)
})

test('the cost is that of the design: 64 MiB, three passes', async () => {
  const stored = await createPasswords({ clock }).hash('x')
  assert.match(stored, /^\$argon2id\$v=19\$m=65536,t=3,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
})

test('two Unicode forms of one password are one', async () => {
  const passwords = createPasswords({ clock, argon2Cost: cheap })
  assert.equal(await passwords.isRight('Ame\u0301lie', await passwords.hash('Am\u00e9lie')), true)
})

test('nobody has a password, and that costs the same work', async () => {
  const passwords = createPasswords({ clock })
  assert.equal(await passwords.isRight('anything', null), false)
})

test('a third hash waits its turn, and beyond a short line the next is refused', async () => {
  const passwords = createPasswords({ clock, argon2Cost: cheap })
  const tries = Array.from({ length: 40 }, () => passwords.isRight('x', null))
  const results = await Promise.allSettled(tries)
  const refused = results.filter(
    (one) => one.status === 'rejected' && (one.reason as Fault).code === 'overloaded',
  )
  assert.equal(refused.length, 6)
  assert.equal(results.filter((one) => one.status === 'fulfilled').length, 34)
})

test('a stored string that is no PHC string of ours is an error, not a match', async () => {
  const passwords = createPasswords({ clock })
  for (const bad of ['', 'plain', '$2b$10$abc', '$argon2id$v=19$m=99999999,t=3,p=1$AAAA$AAAA']) {
    await assert.rejects(passwords.isRight('plain', bad), bad)
  }
})

test('short, overlong and commonest passwords and the email are refused', () => {
  const refused = (error: unknown) =>
    error instanceof AccountsRefusal && error.reason === 'bad_password'
  for (const bad of [
    'short',
    'ninechars',
    'x'.repeat(257),
    'ada@example.org',
    'ADA@example.org',
    'password123',
    'P@ssw0rd!!!',
    'Passw0rd2026',
    '1234567890',
    '9876543210',
    'qwertyuiop',
    'aaaaaaaaaaaa',
    'abababababab',
    '!!letmein!!',
    'iloveyou2024',
    'w e l c o m e 1',
  ]) {
    assert.throws(() => checkNewPassword(bad, 'ada@example.org'), refused, bad)
  }
  for (const good of ['correct horse battery', 'tZ7#kq9!Lm', '83920174651', 'стоpona каменей']) {
    checkNewPassword(good, 'ada@example.org')
  }
})

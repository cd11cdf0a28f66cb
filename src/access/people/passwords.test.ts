import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../base/fault.ts'
import { AccountsRefusal } from '../accounts/account-rules.ts'
import { checkNewPassword } from './password-rules.ts'
import { createPasswords } from './passwords.ts'

const place = { caller: 'a', hasPriority: false }
const cheap = { memory: 64, passes: 1, parallelism: 1 }

for (const algorithm of ['argon2id', 'scrypt'] as const) {
  test(`a password is known again by its ${algorithm} string, which differs each time`, async () => {
    const passwords = createPasswords({ algorithm })
    const stored = await passwords.hash('a stone on a stone')
    assert.match(stored, new RegExp(`^\\$${algorithm}\\$`))
    assert.notEqual(stored, await passwords.hash('a stone on a stone'))
    assert.equal(await passwords.matches('a stone on a stone', stored, place), true)
    assert.equal(await passwords.matches('a stone on a Stone', stored, place), false)
  })
}

test('strings of both algorithms are read, whichever new ones are made by', async () => {
  const [byScrypt, byArgon2] = [createPasswords({ algorithm: 'scrypt' }), createPasswords()]
  assert.equal(await byArgon2.matches('right', await byScrypt.hash('right'), place), true)
  assert.equal(await byScrypt.matches('right', await byArgon2.hash('right'), place), true)
})

test('the cost is that of the design: 64 MiB, three passes', async () => {
  const stored = await createPasswords().hash('x')
  assert.match(stored, /^\$argon2id\$v=19\$m=65536,t=3,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
})

test('two Unicode forms of one password are one', async () => {
  const passwords = createPasswords({ argon2Cost: cheap })
  assert.equal(
    await passwords.matches('Ame\u0301lie', await passwords.hash('Am\u00e9lie'), place),
    true,
  )
})

test('a check without a stored password fails after the same work', async () => {
  const passwords = createPasswords()
  assert.equal(await passwords.matches('anything', null, place), false)
})

test('a third hash waits its turn; beyond four of one caller and 32 of all the next is refused', async () => {
  const passwords = createPasswords({ argon2Cost: cheap })
  const refusedOf = async (callers: readonly string[]) => {
    const tries = callers.map((caller) =>
      passwords.matches('x', null, { caller, hasPriority: false }),
    )
    const results = await Promise.allSettled(tries)
    return results.filter(
      (one) => one.status === 'rejected' && (one.reason as Fault).code === 'overloaded',
    ).length
  }
  assert.equal(await refusedOf(Array.from({ length: 40 }, (_, n) => String(n))), 6)
  assert.equal(await refusedOf(Array.from({ length: 10 }, () => 'one')), 4)
})

test('a stored string that is no PHC string of ours is an error, not a match', async () => {
  const passwords = createPasswords()
  for (const bad of ['', 'plain', '$2b$10$abc', '$argon2id$v=19$m=99999999,t=3,p=1$AAAA$AAAA']) {
    await assert.rejects(passwords.matches('plain', bad, place), bad)
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

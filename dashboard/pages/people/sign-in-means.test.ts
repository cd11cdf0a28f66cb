import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInOf } from './sign-in-means.ts'

const person = { hasPassword: true, hasTotp: false, passkeys: 0, issuer: null }
const issuer = 'https://id.example.org'

test('each way of a person to sign in is named', () => {
  for (const [means, text] of [
    [{}, 'Password only'],
    [{ hasTotp: true }, 'Password and code'],
    [{ passkeys: 2 }, 'Passkey, password'],
    [{ passkeys: 1, hasTotp: true, issuer }, 'Passkey, OpenID, password and code'],
    [{ hasPassword: false, passkeys: 1 }, 'Passkey'],
    [{ hasPassword: false, issuer }, 'OpenID'],
    [{ hasPassword: false }, 'No way to sign in'],
  ] as const) {
    assert.equal(signInOf({ ...person, ...means }), text)
  }
})

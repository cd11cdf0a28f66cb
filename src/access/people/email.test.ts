import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AccountsRefusal } from '../accounts/account-rules.ts'
import { parseEmail } from './person.ts'

test('an email is one however it is written', () => {
  for (const text of ['ada@example.org', ' Ada@Example.ORG\n', 'ADA@EXAMPLE.ORG']) {
    assert.equal(parseEmail(text), 'ada@example.org')
  }
})

test('a text that is not one address, or would be several in a mail header, is refused', () => {
  const wrong = ['', 'ada', '@a', 'a@', 'a@b@c', 'a b@c', 'a@b\r\nBcc: c@d', '<a@b>', 'a@b,c@d']
  for (const text of [
    ...wrong,
    'a@b\u0000',
    'a\u202e@b',
    `${'a'.repeat(65)}@b`,
    `a@${'b'.repeat(300)}`,
  ]) {
    const refused = (error: unknown) =>
      error instanceof AccountsRefusal && error.reason === 'bad_email'
    assert.throws(() => parseEmail(text), refused, JSON.stringify(text))
  }
})

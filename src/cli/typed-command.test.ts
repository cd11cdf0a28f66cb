import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asTyped, checkoutInvocation as invocation } from './typed-command.ts'

test('a checkout shows each command as npm runs it there', () => {
  assert.equal(
    asTyped({ invocation }, '  cairn keys create\n"cairn init --link", then: cairn start'),
    '  npm run -s cairn -- keys create\n"npm run -s cairn -- init --link", then: npm run -s cairn -- start',
  )
})

test('an installed program shows commands as they are written', () => {
  assert.equal(asTyped({}, 'cairn start'), 'cairn start')
})

test('what is no command stays', () => {
  for (const text of [
    'cairn: bad',
    'cairn serves',
    'bin/cairn start',
    'cairn add-ons',
    'my-cairn start',
  ]) {
    assert.equal(asTyped({ invocation }, text), text)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import { addBooleanOptions } from './boolean-options.ts'

function parsed(...args: string[]) {
  const command = addBooleanOptions(new Command().argument('[paths...]'), [
    ['--pin', 'pin it'],
    ['-w, --wrap-with-directory', 'wrap it'],
  ])
  command.exitOverride().configureOutput({ writeErr: () => {} })
  command.parse(args, { from: 'user' })
  return { ...command.opts(), paths: command.args }
}

test('true and false are typed as Go programs take them', () => {
  assert.deepEqual(parsed('--pin=false', 'a'), { pin: false, paths: ['a'] })
  assert.deepEqual(parsed('--pin=true', 'a'), { pin: true, paths: ['a'] })
  assert.deepEqual(parsed('--no-pin', '-w', 'a'), {
    pin: false,
    wrapWithDirectory: true,
    paths: ['a'],
  })
})

test('what follows a flag is a path, and what is not typed is not given', () => {
  assert.deepEqual(parsed('-w', 'true'), { wrapWithDirectory: true, paths: ['true'] })
  assert.deepEqual(parsed('a', 'b'), { paths: ['a', 'b'] })
})

test('other words are refused', () => {
  assert.throws(
    () => parsed('--pin=maybe'),
    /^UsageError: --pin is "maybe", expected true or false$/,
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyChanges } from './key-schema.ts'

const issuesOf = (...allowMethods: readonly string[]) =>
  keyChanges.safeParse({ allowMethods }).error?.issues.map(({ path, message }) => [path, message])

test('a misspelt method is refused with the one that was meant', () => {
  assert.deepEqual(issuesOf('eth_call', 'eth_getBalence'), [
    [['allowMethods', 1], '"eth_getBalence" is not a method, did you mean "eth_getBalance"?'],
  ])
})

test('a method that Cairn always refuses cannot be allowed', () => {
  assert.match(String(issuesOf('admin_peers')), /"admin_peers" is always refused: /)
  assert.match(String(issuesOf('eth_sign')), /"eth_sign" is always refused: /)
})

test('subscriptions, IPFS commands and methods that only an upstream may know pass', () => {
  assert.equal(issuesOf('eth_call', 'pin/add', 'bor_getAuthor', 'eth_subscribe'), undefined)
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { describeErrno } from './describe-errno.ts'

test('a system error is described in words, and any other error is unchanged', () => {
  assert.equal(
    describeErrno(thrownBy(() => readFileSync('/nowhere/x'))),
    'there is no such file or folder',
  )
  assert.equal(describeErrno(thrownBy(() => readFileSync('/'))), 'it is a folder, not a file')
  assert.equal(describeErrno(Object.assign(new Error('EODD: odd'), { code: 'EODD' })), 'EODD: odd')
  assert.equal(describeErrno(new Error('plain')), 'plain')
  assert.equal(describeErrno('text'), 'text')
})

function thrownBy(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return null
}

import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { matchPath } from './match-path.ts'

test('a pattern matches paths of its own length and returns the decoded values of its names', () => {
  deepEqual(matchPath('/keys', '/keys'), {})
  deepEqual(matchPath('/keys/:key', '/keys/key%2D1'), { key: 'key-1' })
  equal(matchPath('/keys/:key', '/keys'), null)
  equal(matchPath('/keys/:key', '/keys/'), null)
  equal(matchPath('/keys', '/usage'), null)
})

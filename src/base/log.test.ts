import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from './log.ts'

test('lines below the level are left out; the others are JSON with time, level and event', () => {
  const lines: string[] = []
  const log = createLog(
    () => 'info',
    () => 0,
    (line) => lines.push(line),
  )
  log('debug', 'unseen')
  log('warn', 'seen', { units: 5n, cause: new Error('why', { cause: 'deeper' }) })
  assert.equal(lines.length, 1)
  const { cause, ...rest } = JSON.parse(lines[0] ?? '') as { cause: Record<string, string> }
  assert.deepEqual(rest, {
    time: '1970-01-01T00:00:00.000Z',
    level: 'warn',
    event: 'seen',
    units: '5',
  })
  assert.equal(cause['message'], 'why')
  assert.equal(cause['cause'], 'deeper')
})

test('a line break in a value cannot start a second line', () => {
  const lines: string[] = []
  createLog(
    () => 'debug',
    () => 0,
    (line) => lines.push(line),
  )('info', 'one', { name: 'a\n{"level":"error"}' })
  assert.equal(lines.join('').split('\n').length, 2)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPaint } from './terminal-colors.ts'

const paint = (env: Record<string, string>, terminal: boolean) =>
  createPaint(
    {
      out: () => {},
      err: () => {},
      readInput: async () => '',
      env,
      terminal: { out: terminal, err: false },
    },
    'out',
  )('red', 'x')

test('colour is for terminals only, and for each stream on its own', () => {
  assert.equal(paint({}, true), '\u001b[31mx\u001b[39m')
  assert.equal(paint({}, false), 'x')
})

test('NO_COLOR and a dumb terminal take it away, FORCE_COLOR brings it or takes it anywhere', () => {
  assert.equal(paint({ NO_COLOR: '1' }, true), 'x')
  assert.equal(paint({ NO_COLOR: '' }, true), '\u001b[31mx\u001b[39m')
  assert.equal(paint({ TERM: 'dumb' }, true), 'x')
  assert.equal(paint({ FORCE_COLOR: '1', NO_COLOR: '1' }, false), '\u001b[31mx\u001b[39m')
  assert.equal(paint({ FORCE_COLOR: '0' }, true), 'x')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserName } from './browser-name.ts'

test('a browser is called by its name and its system, and else as it calls itself', () => {
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  assert.equal(browserName(firefox), 'Firefox on Linux')
  assert.equal(browserName('curl/8.0'), 'curl/8.0')
  assert.equal(browserName(''), 'unknown')
})

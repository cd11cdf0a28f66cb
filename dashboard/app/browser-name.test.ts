import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserName } from './browser-name.ts'

test('a browser is named by its product and system, or by the start of its User-Agent header', () => {
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  assert.equal(browserName(firefox), 'Firefox on Linux')
  assert.equal(browserName('curl/8.0'), 'curl/8.0')
  assert.equal(browserName(''), 'unknown')
})

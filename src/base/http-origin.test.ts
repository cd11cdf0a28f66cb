import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeHttpError, headersFor, isUnencoded, readRetryAfter } from './http-origin.ts'

test('credentials of a URL go as Basic, decoded where they can be, unless a header is given', () => {
  const basicOf = (url: string) => {
    const { authorization = '' } = headersFor(new URL(url), {})
    return Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()
  }
  assert.equal(basicOf('https://us%40er:pass@host'), 'us@er:pass')
  assert.equal(basicOf('https://user:50%off@host'), 'user:50%off')
  assert.equal(headersFor(new URL('https://host'), {})['authorization'], undefined)
  const headers = headersFor(new URL('https://a:b@host'), { Authorization: 'Bearer c' })
  assert.deepEqual(headers, {
    'accept-encoding': 'identity',
    'user-agent': 'cairn',
    authorization: 'Bearer c',
  })
})

test('Retry-After is read as seconds or as a date, and is ten minutes at most', () => {
  const now = Date.UTC(2026, 0, 1)
  assert.equal(readRetryAfter('7', now), 7_000)
  assert.equal(readRetryAfter('Thu, 01 Jan 2026 00:00:09 GMT', now), 9_000)
  assert.equal(readRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now), 0)
  assert.equal(readRetryAfter('86400', now), 600_000)
  for (const header of [undefined, 'soon', '', ['1', '2']]) {
    assert.equal(readRetryAfter(header, now), null)
  }
})

test('a body under any coding but chunks is encoded', () => {
  for (const headers of [
    {},
    { 'content-encoding': 'identity' },
    { 'transfer-encoding': 'Chunked' },
  ]) {
    assert.ok(isUnencoded(headers), JSON.stringify(headers))
  }
  for (const headers of [
    { 'content-encoding': 'gzip' },
    { 'content-encoding': ['identity', 'gzip'] },
    { 'transfer-encoding': 'gzip, chunked' },
    { 'transfer-encoding': ['chunked', 'chunked'] },
  ]) {
    assert.ok(!isUnencoded(headers), JSON.stringify(headers))
  }
})

test('an error of a connection is described without its text, which can name the host', () => {
  const failure = (code?: string) =>
    describeHttpError(
      Object.assign(new Error('secret.example'), code === undefined ? {} : { code }),
    )
  assert.equal(failure('ECONNREFUSED'), 'ECONNREFUSED')
  assert.equal(failure('UND_ERR_CONNECT_TIMEOUT'), 'ETIMEDOUT')
  assert.equal(failure('UND_ERR_SOCKET'), 'other side closed')
  assert.equal(failure('HPE_INVALID_CONSTANT'), 'no HTTP response')
  assert.equal(failure(), 'broken connection')
})

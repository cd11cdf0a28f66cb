import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../base/fault.ts'
import { errorPage } from './error-page.ts'
import { pathRefusalOf } from './ipfs-gateway-refusal.ts'

test('a page says what happened, what to do, and shows no markup of the request', () => {
  const page = errorPage(404, 'no link named "<script>" under Qm', null)
  assert.match(page, /<h1>Not found<\/h1>/)
  assert.match(page, /no link named &#34;&#60;script&#62;&#34; under Qm/)
  assert.match(page, /Check the CID and the path/)
  assert.doesNotMatch(page, /<script|Questions/)
  assert.match(errorPage(500, 'internal error', null), /<h1>The server failed<\/h1>/)
})

test('denied content names the contact of the operator, in pages and in text', () => {
  const denied = new Fault('denied')
  const page = pathRefusalOf(denied, { asPage: true, contact: 'abuse@example.org' })
  assert.equal(page.status, 410)
  assert.match(page.body, /<a href="mailto:abuse@example\.org">abuse@example\.org<\/a>/)
  assert.equal(page.headers['Content-Type'], 'text/html; charset=utf-8')
  assert.match(page.headers['Content-Security-Policy'] ?? '', /default-src 'none'/)
  const url = errorPage(451, 'x', 'https://example.org/abuse')
  assert.match(url, /<a href="https:\/\/example\.org\/abuse">/)
  const text = pathRefusalOf(denied, { asPage: false, contact: 'abuse@example.org' })
  assert.equal(text.body, "blocked by this server's deny list; contact abuse@example.org\n")
  const absent = new Fault('not_found')
  assert.doesNotMatch(
    pathRefusalOf(absent, { asPage: true, contact: 'abuse@example.org' }).body,
    /abuse@/,
  )
})

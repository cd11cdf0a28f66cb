// DNS messages: a query as in RFC 8484, replies written by hand, and invalid bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dnsReply } from '../../test/fakes/files/dns-server.ts'
import { hasCode } from '../base/fault.ts'
import { decodeTxtReply, encodeTxtQuery } from './dns-message.ts'

const query = Buffer.from(encodeTxtQuery('_dnslink.example.org'))
const refused = (bytes: Uint8Array) =>
  assert.throws(
    () => decodeTxtReply(bytes),
    (thrown: unknown) => hasCode(thrown, 'no_upstream'),
  )

test('a query has the bytes of RFC 8484, but for the type', () => {
  const printed = Buffer.from(encodeTxtQuery('www.example.com')).toString('base64url')
  assert.equal(printed, 'AAABAAABAAAAAAAAA3d3dwdleGFtcGxlA2NvbQAAEAAB')
  for (const name of ['', 'a..b', `${'a'.repeat(64)}.b`, 'a.'.repeat(140) + 'b']) {
    assert.throws(() => encodeTxtQuery(name), RangeError, name)
  }
})

test('the strings of a record are one text, and the least TTL counts', () => {
  const long = 'x'.repeat(250)
  const reply = dnsReply(query, { texts: [long, 'ä'], ttl: 77 })
  assert.deepEqual(decodeTxtReply(reply), { texts: [long, 'ä'], ttlSeconds: 77 })
  assert.equal(decodeTxtReply(dnsReply(query, null)), null)
  assert.equal(decodeTxtReply(dnsReply(query, { texts: [], ttl: 1 })), null)
})

test('errors of a resolver, cut messages and very many answers are refused', () => {
  const reply = dnsReply(query, { texts: ['a'], ttl: 1 })
  const changed = (at: number, value: number) => {
    const bytes = Buffer.from(reply)
    bytes.writeUInt16BE(value, at)
    return bytes
  }
  refused(query)
  refused(changed(2, 0x8182))
  refused(changed(2, 0x8380))
  refused(changed(6, 101))
  for (let length = 0; length < reply.length; length += 1) refused(reply.subarray(0, length))
})

test('any bytes are a reply or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        decodeTxtReply(bytes)
      } catch (thrown) {
        assert.ok(hasCode(thrown, 'no_upstream'), String(thrown))
      }
    }),
    { numRuns: 2000 },
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readReply } from './read-reply.ts'
import { UpstreamError } from './upstream-error.ts'

const sent = {
  id: 7,
  body: '{}',
  redact: (text: string) => text.replaceAll('secretkey', '*'),
  hide: (text: string) => text.replaceAll('inner.host', '*'),
}

function read(body: string, status = 200): unknown {
  return readReply({ status, retryAfterMs: null, body }, sent)
}

/** The result, or the kind of the error; any other exception fails the test. */
function outcome(body: string, status: number): unknown {
  try {
    return { result: read(body, status) }
  } catch (error) {
    assert.ok(error instanceof UpstreamError, String(error))
    return error.kind
  }
}

test('a body is the answer only if it answers this call, with any other members', () => {
  const members = fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '1.0', 2, null),
      id: fc.constantFrom(7, 8, '7', null, [7]),
      result: fc.jsonValue({ maxDepth: 2 }),
      error: fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.record({
          code: fc.constantFrom(-32000, 3, '3', 1.5, null),
          message: fc.constantFrom('reverted', '', 5, null),
        }),
      ),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(members, fc.constantFrom(200, 201, 400, 429, 500), (reply, status) => {
      const isAnswer =
        reply.jsonrpc === '2.0' &&
        reply.id === 7 &&
        'result' in reply &&
        !('error' in reply) &&
        status < 300
      const found = outcome(JSON.stringify(reply), status)
      assert.equal(typeof found === 'object', isAnswer)
      // -0 is 0 in JSON.
      if (isAnswer) {
        assert.deepEqual(found, { result: JSON.parse(JSON.stringify(reply.result)) as unknown })
      }
    }),
    { numRuns: 2000 },
  )
})

test('a body of any bytes, or a good one cut or changed anywhere, is read or is trouble', () => {
  const good = JSON.stringify({ jsonrpc: '2.0', id: 7, result: { a: ['0x01', null] } })
  const changed = fc
    .tuple(fc.nat(good.length), fc.nat(good.length), fc.string({ maxLength: 4 }))
    .map(([from, to, text]) => good.slice(0, from) + text + good.slice(to))
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), changed), (body) => {
      outcome(body, 200)
    }),
    { numRuns: 2000 },
  )
})

test('a body nested too deeply to serialize is still read', () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const body = `{"jsonrpc":"2.0","id":7,"error":{"code":5,"message":"x","data":${deep}}}`
  assert.throws(
    () => read(body),
    (error) => error instanceof UpstreamError && error.data === undefined,
  )
  assert.equal(Array.isArray(read(`{"jsonrpc":"2.0","id":7,"result":${deep}}`)), true)
})

test('nested data of an error is left out', () => {
  for (const levels of [65, 2_000, 8_000, 16_000]) {
    const deep = '['.repeat(levels) + ']'.repeat(levels)
    const body = `{"jsonrpc":"2.0","id":7,"error":{"code":5,"message":"x","data":${deep}}}`
    assert.throws(
      () => readReply({ status: 200, retryAfterMs: null, body }, sent),
      (error) => error instanceof UpstreamError && error.data === undefined,
    )
  }
})

test('a node’s own error names no internal host; an EVM error is unchanged', () => {
  const read1 = (error: object) => () => read(JSON.stringify({ jsonrpc: '2.0', id: 7, error }))
  const error = { message: 'dial inner.host', data: { at: 'inner.host' } }
  assert.throws(read1({ code: -32603, ...error }), { message: 'dial *', data: { at: '*' } })
  const reverted = { code: 3, message: 'execution reverted: inner.host' }
  assert.throws(read1(reverted), { message: reverted.message })
})

test('text and data of an error are bounded and without secrets', () => {
  const error = { code: -32000, message: `secretkey${'x'.repeat(5000)}`, data: ['secretkey'] }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, error })
  assert.throws(
    () => read(body),
    (thrown) =>
      thrown instanceof UpstreamError &&
      thrown.message.length <= 1024 &&
      !JSON.stringify([thrown.message, thrown.data]).includes('secretkey'),
  )
  const large = { ...error, data: { text: 'y'.repeat(100_000) } }
  assert.throws(
    () => read(JSON.stringify({ jsonrpc: '2.0', id: 7, error: large })),
    (thrown) => thrown instanceof UpstreamError && thrown.data === undefined,
  )
})

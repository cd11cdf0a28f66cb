import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { parsePin, parseQuery, pinStatus } from './pin-objects.ts'

const cid = 'bafkqaaa'

const query = (parameters: Record<string, string>) => parseQuery(new URLSearchParams(parameters))

test('a pin has a CID alone, and members that are null count as not sent', () => {
  const bare = { cid: CID.parse(cid), name: '', origins: null, meta: null }
  assert.deepEqual(parsePin(JSON.stringify({ cid })), bare)
  assert.deepEqual(parsePin(JSON.stringify({ cid, name: null, origins: null, meta: null })), bare)
})

test('texts that a database cannot store are refused', () => {
  for (const text of ['a\0b', 'half \ud83d']) {
    assert.throws(() => parsePin(JSON.stringify({ cid, name: text })), { code: 'bad_params' })
    assert.throws(() => parsePin(JSON.stringify({ cid, meta: { a: text } })), {
      code: 'bad_params',
    })
    assert.throws(() => parsePin(JSON.stringify({ cid, origins: [`/dns/${text}`] })), {
      code: 'bad_params',
    })
  }
})

test('a list without filters has the ten newest pinned requests', () => {
  assert.deepEqual(query({}), {
    limit: 10,
    filter: { cids: [], statuses: ['pinned'], name: null, before: null, after: null, meta: [] },
  })
})

test('times are read to the nanosecond, in any zone, and kept to the millisecond', () => {
  const bounds = (before: string, after = before) => {
    const { filter } = query({ before, after })
    return [filter.before, filter.after]
  }
  const ms = Date.UTC(2020, 6, 27, 17, 32, 28)
  assert.deepEqual(bounds('2020-07-27T17:32:28Z'), [ms, ms])
  assert.deepEqual(bounds('2020-07-27T19:32:28.276+02:00'), [ms + 276, ms + 276])
  assert.deepEqual(bounds('2020-07-27T17:32:28.276000001Z'), [ms + 277, ms + 276])
  // As sent by clients that do not escape the plus sign.
  assert.equal(
    parseQuery(new URLSearchParams('before=2020-07-27T19:32:28+02:00')).filter.before,
    ms,
  )
  for (const wrong of ['2020-07-27', '1595871148', '2020-13-27T17:32:28Z']) {
    assert.throws(() => bounds(wrong), { code: 'bad_params' }, wrong)
  }
})

test('lists of a filter are limited', () => {
  const many = (count: number) => Array.from({ length: count }, () => cid).join(',')
  assert.equal(query({ cid: many(10) }).filter.cids.length, 10)
  assert.throws(() => query({ cid: many(11) }), { message: 'cid: 11 CIDs, at most 10 are allowed' })
  const meta = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [String(n), 'x']))
  assert.throws(() => query({ meta: JSON.stringify(meta) }), {
    message: 'meta: 21 members, at most 20 are allowed',
  })
  assert.throws(() => query({ meta: '{"a":1}' }), { message: 'meta: "a": 1 is not a text' })
  assert.throws(() => query({ match: 'any' }), { code: 'bad_params' })
})

test('a repeated parameter is refused by name, unless it is a list', () => {
  for (const name of ['name', 'match', 'before', 'after', 'limit', 'meta']) {
    assert.throws(() => parseQuery(new URLSearchParams(`${name}=1&${name}=1`)), {
      code: 'bad_params',
      message: `${name}: sent 2 times, expected once`,
    })
  }
  const { filter } = parseQuery(new URLSearchParams('status=queued&status=failed,pinned'))
  assert.deepEqual(filter.statuses, ['queued', 'failed', 'pinned'])
})

test('the status names what was sent, and says what is known of a try', () => {
  const request = {
    ...parsePin(JSON.stringify({ cid, name: 'n', meta: { a: 'b' } })),
    id: 'id',
    created: 0,
    due: 20_000,
    tries: 1,
    error: 'no source has it',
    blocks: 0,
    bytes: 5,
  }
  const shown = { requestid: 'id', created: '1970-01-01T00:00:00.000Z', delegates: ['/ip4/1'] }
  const pin = { cid, name: 'n', meta: { a: 'b' } }
  assert.deepEqual(pinStatus({ ...request, status: 'queued' }, ['/ip4/1']), {
    ...shown,
    status: 'queued',
    pin,
    info: {
      status_details: 'try 1 failed: no source has it; next try at 1970-01-01T00:00:20.000Z',
    },
  })
  const info = (status: 'pinning' | 'pinned' | 'failed') =>
    (pinStatus({ ...request, status }, []) as { info: object }).info
  assert.deepEqual(info('pinning'), { status_details: '5 bytes read' })
  assert.deepEqual(info('pinned'), { dag_size: '5' })
  assert.deepEqual(info('failed'), { status_details: 'no source has it' })
})

test('the texts of a request are limited, because they count towards no quota', () => {
  const wide = (chars: number) => ({ cid, meta: { a: 'x'.repeat(chars) } })
  assert.equal(parsePin(JSON.stringify(wide(8000))).meta?.['a']?.length, 8000)
  assert.throws(() => parsePin(JSON.stringify(wide(8192))), {
    message: 'meta: 8200 characters of JSON, at most 8192 are allowed',
  })
})

test('a refusal names the value, and what was expected', () => {
  const refusals = [
    ['{', 'the body: "{" is not JSON'],
    ['[1]', 'the body: [1] is not a JSON object'],
    ['{}', 'cid: absent, expected a CID'],
    ['{"cid":1}', 'cid: 1 is not a CID'],
    [{ name: 5 }, 'name: 5 is not a text'],
    [{ name: 'n'.repeat(256) }, 'name: 256 characters, at most 255 are allowed'],
    [{ name: 'a\0' }, 'name: "a\\u0000" has a character that cannot be stored (NUL, half a pair)'],
    [{ origins: 'x' }, 'origins: "x" is not a list of multiaddrs'],
    [{ origins: ['x'] }, 'origins: "x" is not a multiaddr of at most 512 characters'],
    [
      { origins: Array.from({ length: 21 }, () => '/dns/a') },
      'origins: 21 multiaddrs, at most 20 are allowed',
    ],
    [
      { origins: [`/dns/${'a'.repeat(600)}`] },
      `origins: "/dns/${'a'.repeat(95)}" is not a multiaddr of at most 512 characters`,
    ],
    [{ meta: [] }, 'meta: [] is not a JSON object'],
    [{ meta: { a: { b: 1 } } }, 'meta: "a": {"b":1} is not a text'],
  ] as const
  for (const [body, message] of refusals) {
    const text = typeof body === 'string' ? body : JSON.stringify({ cid, ...body })
    assert.throws(() => parsePin(text), { code: 'bad_params', message })
  }
})

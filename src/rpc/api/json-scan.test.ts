import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../base/fault.ts'
import { opensArray, scanJson } from './envelope.ts'

const scan = (text: string) => scanJson(Buffer.from(text))

test('top-level items are counted, nested ones and those in strings are not', () => {
  const counts = ['[]', '[ ]', '[1]', '["a,b",[1,2],{"c":[3,4]}]', '["\\",",1]', '{"a":[1,2]}']
  deepEqual(
    counts.map((text) => scan(text).items),
    [0, 0, 1, 3, 2, 0],
  )
})

test('64 levels pass, 65 are refused, brackets in strings are no levels', () => {
  equal(scan('['.repeat(64) + ']'.repeat(64)).items, 1)
  throws(() => scan('['.repeat(65)), { code: 'bad_json' })
  equal(scan(`["${'['.repeat(100)}"]`).items, 1)
})

test('a million open brackets and five megabytes of items are left within a blink', () => {
  throws(() => scan('['.repeat(1_000_000)), Fault)
  const many = scanJson(Buffer.from('[' + '{},'.repeat(1_700_000) + '{}]'))
  equal(many.items, 1001)
  deepEqual(many.first, [1, 3])
})

test('escapes, fractions and exponents are seen, `true` is no exponent', () => {
  ok(scan('{"id":1,"b":[true,false,null,"1.5e3"]}').plain)
  for (const text of ['{"id":1.0}', '{"id":1e0}', '{"id":1E0}', String.raw`{"id":"\u0041"}`]) {
    ok(!scan(text).plain, text)
  }
})

test('an empty body is no JSON, and a cut body still shows whether it was a batch', () => {
  throws(() => scan(' \n'), { code: 'bad_json' })
  ok(opensArray(Buffer.from('\n [{"a"')))
  ok(!opensArray(Buffer.from('{"a":[')))
})

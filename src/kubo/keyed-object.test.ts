import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyedObject } from './kubo-reply.ts'

test('the pieces are the object in the order of its entries, however many there are', async () => {
  const entries = Array.from(
    { length: 5000 },
    (_, n) => [`key <${n}>`, { Name: `a&b ${n}`, n }] as const,
  )
  const pieces = await keyedObject('Keys', entries)
  assert.ok(pieces.length > 3)
  const text = Buffer.concat(pieces).toString()
  assert.deepEqual(JSON.parse(text), { Keys: Object.fromEntries(entries) })
  assert.ok(text.startsWith('{"Keys":{"key \\u003c0\\u003e":{"Name":"a\\u0026b 0","n":0},'))
  assert.ok(text.endsWith('}}}\n'))
})

test('no entries are an empty object', async () => {
  assert.equal(Buffer.concat(await keyedObject('Keys', [])).toString(), '{}\n')
})

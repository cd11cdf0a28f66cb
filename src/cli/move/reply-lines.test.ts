import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replyLines } from './reply-lines.ts'

async function read(...pieces: (string | Uint8Array)[]) {
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece
  }
  return await Array.fromAsync(replyLines(body()))
}

test('lines are read wherever the reply is cut, inside a character too', async () => {
  const bytes = Buffer.from('{"a":"é"}\n{"b":2}\n')
  assert.deepEqual(await read(bytes.subarray(0, 7), bytes.subarray(7)), [{ a: 'é' }, { b: 2 }])
  assert.deepEqual(await read('{"a":1}'), [{ a: 1 }])
  assert.deepEqual(await read(), [])
})

test('what is no object, and a line without end, are refused', async () => {
  await assert.rejects(read('<html>\n'), /not a JSON object: <html>/)
  await assert.rejects(read('x'.repeat(1024 * 1024 + 1)), /more than 1 MiB/)
})

// Promises of held lines: order and bytes survive the way over a file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BufferedLines } from './kubo-reply.ts'

test('lines come back in order, from memory and from the file', async () => {
  for (const bytesMax of [1_000_000, 100, 0]) {
    await using held = new BufferedLines(bytesMax)
    const lines = Array.from({ length: 3000 }, (_, index) => `{"n":${index},"name":"ü"}\n`)
    for (const line of lines) await held.add(line)
    const read = Buffer.concat(await Array.fromAsync(held.read())).toString()
    assert.equal(read, lines.join(''))
  }
})

test('nothing held is nothing', async () => {
  await using held = new BufferedLines()
  assert.deepEqual(await Array.fromAsync(held.read()), [])
})

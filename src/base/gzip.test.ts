// The gzip stream is complete, fails with its source and ends with its reader.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { gzipped } from './gzip.ts'

test('what was compressed is what comes out', async () => {
  const pieces = [Buffer.from('abc'), Buffer.alloc(200_000, 1), Buffer.from('')]
  for (const level of [null, 1, 9]) {
    async function* source() {
      yield* pieces
    }
    const packed = Buffer.concat(await Array.fromAsync(gzipped(source(), level)))
    assert.deepEqual(gunzipSync(packed), Buffer.concat(pieces))
  }
})

test('a failure of the source is the failure of the stream', async () => {
  const lost = new Error('lost')
  async function* source() {
    yield Buffer.alloc(200_000, 1)
    throw lost
  }
  await assert.rejects(Array.fromAsync(gzipped(source(), 1)), lost)
})

test('a reader that leaves ends the source', async () => {
  const ended = Promise.withResolvers<void>()
  let sent = 0
  async function* source() {
    try {
      // The reader ends this loop by leaving; the limit applies if it does not.
      for (; sent < 10_000; sent += 1) yield Buffer.alloc(65_536, sent)
    } finally {
      ended.resolve()
    }
  }
  for await (const _ of gzipped(source(), 1)) break
  await ended.promise
  assert.ok(sent < 1000, `${sent} pieces were read`)
})

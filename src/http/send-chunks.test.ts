import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { systemClock } from '../base/clock.ts'
import type { Fault } from '../base/fault.ts'
import { silentLog } from '../base/log.ts'
import { createRoutes } from '../server/open-endpoints.ts'
import { sendChunks } from './send-chunks.ts'
import { createServer, defaultServerSettings } from './server.ts'

/** Chunks that share one memory, as those of a stored file do. */
async function* reused(sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const memory = Buffer.alloc(300_000)
  for (const [index, size] of sizes.entries()) {
    memory.fill(index + 1)
    yield memory.subarray(0, size)
  }
}

type Face = Parameters<typeof createRoutes>[0]['paths']

async function serve(t: TestContext, face: Face): Promise<number> {
  const server = createServer({
    settings: defaultServerSettings,
    routes: createRoutes({
      rpc: () => {},
      files: () => {},
      paths: face,
      ready: () => true,
      networks: () => [],
    }),
    clock: systemClock,
    log: silentLog,
  })
  t.after(() => server.drain({ graceMs: 0, deadlineMs: 0 }))
  return await server.listen({ host: '127.0.0.1', port: 0 })
}

test('a chunk whose memory is used again leaves as it was', async (t) => {
  const sizes = Array.from(
    { length: 300 },
    (_, index) => [1, 100, 16_384, 16_385, 300_000][index % 5] ?? 0,
  )
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const face: Face = async ({ response }) => {
    const terms = { clock: systemClock, idleMs: 5000, length: BigInt(total) }
    const frame = { begin: () => response.writeHead(200) }
    await sendChunks(response, reused(sizes), frame, terms, { bytes: 0 })
  }
  const port = await serve(t, face)
  const response = await fetch(`http://127.0.0.1:${port}/ipfs/x`)
  const body = Buffer.from(await response.arrayBuffer())
  assert.equal(body.length, total)
  let at = 0
  for (const [index, size] of sizes.entries()) {
    const wrong = body.subarray(at, at + size).find((byte) => byte !== (index + 1) % 256)
    assert.equal(wrong, undefined, `chunk ${index}`)
    at += size
  }
})

test('a reader who stopped gets nothing more, whatever its chunk is used for next', async (t) => {
  const clock = createManualClock()
  const memory = Buffer.alloc(64 * 1024 * 1024, 1)
  const produced = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<string>()
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      produced.resolve()
      yield memory
    } finally {
      // Changes the shared buffer, as the next read does; the error is reported some turns later.
      memory.fill(2)
      for (let turn = 0; turn < 1000; turn += 1) await new Promise(setImmediate)
    }
  }
  const port = await serve(t, async ({ response }) => {
    const terms = { clock, idleMs: 5000, length: null }
    const frame = { begin: () => response.writeHead(200) }
    const sending = sendChunks(response, chunks(), frame, terms, { bytes: 0 })
    await sending.catch((fault: Fault) => ended.resolve(fault.code))
    response.destroy()
  })
  const reader = connect(port, '127.0.0.1')
  reader.on('error', () => {})
  reader.pause()
  reader.write('GET /ipfs/x HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await produced.promise
  await new Promise(setImmediate)
  clock.advance(5_000)
  let wrong = 0
  reader.on('data', (bytes: Buffer) => (wrong += bytes.includes(2) ? 1 : 0))
  reader.resume()
  await once(reader, 'close')
  assert.equal(await ended.promise, 'deadline')
  assert.equal(wrong, 0)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { createRoutes } from './routes.ts'
import { sendChunks } from './send-chunks.ts'
import { createServer, defaultServerSettings } from './server.ts'

/** Chunks that are all the same memory, as those of a stored file are. */
async function* reused(sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const memory = Buffer.alloc(300_000)
  for (const [index, size] of sizes.entries()) {
    memory.fill(index + 1)
    yield memory.subarray(0, size)
  }
}

test('a chunk whose memory is used again leaves as it was', async (t) => {
  const sizes = Array.from(
    { length: 300 },
    (_, index) => [1, 100, 16_384, 16_385, 300_000][index % 5] ?? 0,
  )
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const face = async ({ response }: Parameters<Parameters<typeof createRoutes>[0]['paths']>[0]) => {
    const terms = { clock: systemClock, idleMs: 5000, length: BigInt(total) }
    const frame = { begin: () => response.writeHead(200) }
    await sendChunks(response, reused(sizes), frame, terms, { bytes: 0 })
  }
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
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => server.drain({ graceMs: 0, deadlineMs: 0 }))
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

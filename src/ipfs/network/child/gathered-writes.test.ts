import { deepEqual, equal } from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { gatherWrites } from './gathered-writes.ts'

test('small writes leave together, at both ends of a connection, and large ones at once', async (t) => {
  t.after(gatherWrites())
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const client = connect(port, '127.0.0.1')
  const [[accepted]] = await Promise.all([
    once(server, 'connection') as Promise<[Socket]>,
    once(client, 'connect'),
  ])
  for (const [from, to] of [
    [client, accepted],
    [accepted, client],
  ] as const) {
    for (const part of ['a', 'b', 'c']) from.write(part)
    const before = from.writableLength
    const [bytes] = (await once(to, 'data')) as [Buffer]
    deepEqual([before, bytes.toString(), from.writableLength], [3, 'abc', 0])
  }
  const large = Buffer.alloc(64 * 1024)
  client.write('c')
  client.write(large)
  equal(client.writableCorked, 0)
  let received = 0
  for await (const bytes of accepted.iterator({ destroyOnReturn: false })) {
    received += (bytes as Buffer).length
    if (received === 1 + large.length) break
  }
  // Ending the socket after a write loses no bytes.
  client.write('d')
  client.end('e')
  const [last] = (await once(accepted, 'data')) as [Buffer]
  deepEqual(last.toString(), 'de')
  accepted.end()
  await once(client.resume(), 'close')
})

// Connections that are lost at any moment result in errors of their callers, and never end the process.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { startPostgres } from '../../../test/engines/postgres.ts'
import { usePostgres } from '../../../test/fakes/postgres-rows.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { systemClock } from '../../base/clock.ts'
import { createConnections } from './connections.ts'

const postgres = usePostgres()

/** A proxy to PostgreSQL that resets the first `losses` connections when they send `text`. Returns its port. */
async function startResets(t: TestContext, port: number, text: string, losses: number) {
  const sockets = new Set<Socket>()
  let left = losses
  const server = createServer((client) => {
    const there = connect(port, '127.0.0.1')
    for (const socket of [client, there]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        there.destroy()
      })
    }
    there.pipe(client)
    client.on('data', (bytes) => {
      if (left > 0 && bytes.includes(text)) {
        left -= 1
        client.resetAndDestroy()
      } else there.write(bytes)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

test(
  'a connection that is reset during its first check is made again, and the process goes on',
  { skip: postgres.skip },
  async (t) => {
    const database = await postgres.createDatabase()
    const port = await startResets(t, postgres.server().port, 'pg_is_in_recovery', 2)
    const url = `postgresql://postgres@127.0.0.1:${port}/${database}`
    const connections = createConnections({ url, size: 2, clock: systemClock })
    t.after(() => connections.close())
    // An uncaught exception fails this test.
    const { rows } = await connections.lend(({ run }) => run('SELECT 1 AS one', []))
    assert.deepEqual(rows, [{ one: 1 }])
  },
)

test(
  'writes are at the isolation level that their conditions need',
  { skip: postgres.skip },
  async (t) => {
    const database = await postgres.createDatabase()
    await postgres
      .server()
      .query(
        'postgres',
        `ALTER DATABASE "${database}" SET default_transaction_isolation = 'serializable'`,
      )
    const { connections } = await postgres.openNode(t, database)
    const level = await connections.lend(({ run }) => run('SHOW transaction_isolation', []))
    assert.deepEqual(level.rows, [{ transaction_isolation: 'read committed' }])
  },
)

test(
  'after the limit of all waits, callers do not wait for a server that is away',
  { skip: postgres.skip },
  async (t) => {
    const own = await startPostgres()
    t.after(() => own.stop())
    const clock = createManualClock()
    const url = own.urlOf(await own.createDatabase())
    const connections = createConnections({ url, size: 2, clock })
    t.after(() => connections.close())
    const read = () => connections.lend(({ run }) => run('SELECT 1 AS one', []))
    await read()
    await own.kill()
    connections.limitWaits(0)
    // The connection of before is lost.
    await assert.rejects(read())
    // The clock stands still, so a pause would never end.
    for (let time = 0; time < 3; time += 1) await assert.rejects(read(), { code: 'overloaded' })
  },
)

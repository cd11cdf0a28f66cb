import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import { missingPostgres, type Postgres, startPostgres } from '../../../test/engines/postgres.ts'
import { createReplyCutter } from '../../../test/engines/reply-cutter.ts'
import { missingToxiproxy, startToxiproxy } from '../../../test/engines/toxiproxy.ts'
import { until } from '../../../test/fakes/until.ts'
import { type RowsFixture, rowsSuite } from '../../../test/suites/rows.suite.ts'
import { systemClock } from '../../base/clock.ts'
import { hasCode } from '../../base/fault.ts'
import { query } from '../rows.ts'
import { NothingChanged, type Statement } from '../writer.ts'
import { type Connections, createConnections } from './connections.ts'
import { migratePostgres } from './migrate.ts'
import { advisoryLocks, createPostgresRows } from './postgres-rows.ts'

const skip = missingPostgres()
let server: Postgres
let template = ''

if (skip === false) {
  server = await startPostgres()
  template = await server.createDatabase()
  const connections = connect(template)
  await migratePostgres(connections)
  await connections.close()
}
after(async () => {
  if (skip === false) await server.stop()
})

function connect(database: string, size = 4, statementMs = 5000): Connections {
  return createConnections({ url: server.urlOf(database), size, clock: systemClock, statementMs })
}

async function open(statementMs?: number): Promise<RowsFixture & { readonly database: string }> {
  const database = await server.createDatabase(template)
  const own = connect(database, 4, statementMs)
  const other = connect(database)
  const elsewhere = createPostgresRows(other, systemClock)
  return {
    database,
    rows: createPostgresRows(own, systemClock),
    async writeElsewhere(statement) {
      await elsewhere.write([statement])
    },
    async close() {
      await Promise.all([own.close(), other.close()])
    },
  }
}

if (skip === false) rowsSuite('rows in PostgreSQL', () => open())
else test('rows in PostgreSQL', { skip }, () => {})

/** Connects through toxiproxy, to a separate database. */
async function openBehind(t: Pick<TestContext, 'after'>) {
  const database = await server.createDatabase(template)
  const url = new URL(server.urlOf(database))
  const proxy = await startToxiproxy(t, Number(url.port))
  url.port = String(proxy.port)
  const own = createConnections({ url: url.href, size: 4, clock: systemClock })
  const other = connect(database)
  const elsewhere = createPostgresRows(other, systemClock)
  const rows = createPostgresRows(own, systemClock)
  return {
    proxy,
    rows,
    async writeElsewhere(statement: Statement) {
      await elsewhere.write([statement])
    },
    async close() {
      await Promise.all([own.close(), other.close()])
    },
  }
}

const behind = skip || missingToxiproxy()

if (behind === false) {
  rowsSuite('rows in PostgreSQL over a slow link', async () => {
    const stops: (() => unknown)[] = []
    const opened = await openBehind({ after: (stop) => void stops.push(stop as () => unknown) })
    await opened.proxy.slow(20)
    return {
      ...opened,
      async close() {
        await opened.close()
        for (const stop of stops) await stop()
      },
    }
  })
} else test('rows in PostgreSQL over a slow link', { skip: behind }, () => {})

test(
  'a cut link fails reads and writes with a fault, and they go on when it heals',
  { skip: behind },
  async (t) => {
    const { rows, proxy, close } = await openBehind(t)
    t.after(close)
    await rows.write([added])
    await proxy.cut()
    await assert.rejects(rows.first(names), isOverloaded)
    await assert.rejects(rows.write([raised]), isOverloaded)
    await proxy.heal()
    await until(async () => {
      assert.deepEqual(await rows.first(names), { created: 1 })
    })
    await rows.write([raised])
    assert.deepEqual(await rows.first(names), { created: 2 })
  },
)

test(
  'a silent link ends a read within its time, and no write counts twice',
  { skip: behind },
  async (t) => {
    const { rows, proxy, close } = await openBehind(t)
    t.after(close)
    await rows.write([added])
    await proxy.silence()
    const writing = rows.write([raised]).then(
      () => true,
      (error: unknown) => {
        assert.ok(isOverloaded(error))
        return null
      },
    )
    await assert.rejects(rows.first(names), isOverloaded)
    await proxy.heal()
    const wasWritten = await writing
    await until(async () => {
      const created = (await rows.first(names))?.created
      assert.ok(wasWritten === true ? created === 2 : created === 1 || created === 2)
    })
  },
)

const names = query<{ created: number }>('SELECT created FROM account')
const isOverloaded = (error: unknown): boolean => hasCode(error, 'overloaded')

const added: Statement = {
  sql: 'INSERT INTO account (id, name, created) VALUES (?, ?, ?)',
  parameters: ['a', 'a', 1],
}
const raised: Statement = {
  sql: 'UPDATE account SET created = created + 1 WHERE id = ?',
  parameters: ['a'],
  require: 'change',
}
const created = query<{ created: number }>('SELECT created FROM account WHERE id = ?', ['a'])
const id = 'b4f7a1de-3c3f-4b1c-9a52-0c5f3f6c6a01'

test('a write whose commit has no reply is applied once', { skip }, async () => {
  const cutter = await createReplyCutter(server.port)
  const database = await server.createDatabase(template)
  const url = `postgresql://postgres@127.0.0.1:${cutter.port}/${database}`
  const connections = createConnections({ url, size: 2, clock: systemClock })
  const rows = createPostgresRows(connections, systemClock)
  try {
    await rows.write([added])
    for (const lock of ['rows', 'none'] as const) {
      for (const statements of [[raised], [raised, raised]]) {
        const before = (await rows.first(created))?.created ?? 0
        const isAlone = statements.length === 1
        const lost = cutter.cutReplyTo(isAlone ? 'created + 1' : 'COMMIT')
        const changes = await rows.write(statements, { lock })
        assert.deepEqual(
          changes,
          statements.map(() => 1),
        )
        await lost
        assert.deepEqual(await rows.first(created), { created: before + statements.length })
      }
    }
  } finally {
    await connections.close()
    await cutter.close()
  }
})

test('a write that is lost before its commit is repeated', { skip }, async () => {
  const cutter = await createReplyCutter(server.port)
  const database = await server.createDatabase(template)
  const url = `postgresql://postgres@127.0.0.1:${cutter.port}/${database}`
  const connections = createConnections({ url, size: 2, clock: systemClock })
  const rows = createPostgresRows(connections, systemClock)
  try {
    await rows.write([added])
    const lost = cutter.cutReplyTo('created + 1')
    assert.deepEqual(await rows.write([raised, raised]), [1, 1])
    await lost
    assert.deepEqual(await rows.first(created), { created: 3 })
  } finally {
    await connections.close()
    await cutter.close()
  }
})

test(
  'a second write with the same ID changes nothing and has the same result',
  { skip },
  async () => {
    const { rows, close } = await open()
    try {
      await rows.write([added])
      assert.deepEqual(await rows.write([raised], { id }), [1])
      assert.deepEqual(await rows.write([raised], { id }), [1])
      assert.deepEqual(await rows.write([raised], { id, lock: 'none' }), [1])
      assert.deepEqual(await rows.first(created), { created: 2 })
    } finally {
      await close()
    }
  },
)

test('a write with an ID that failed can be repeated under it', { skip }, async () => {
  const { rows, close } = await open()
  try {
    await assert.rejects(rows.write([raised], { id }), NothingChanged)
    await rows.write([added])
    assert.deepEqual(await rows.write([raised], { id }), [1])
  } finally {
    await close()
  }
})

test('rows are found and written again after the server was killed', { skip }, async () => {
  const { rows, close } = await open()
  try {
    await rows.write([added])
    await server.kill()
    const began = systemClock.monotonic()
    const waiting = rows.write([raised])
    await server.start()
    assert.deepEqual(await waiting, [1])
    assert.deepEqual(await rows.first(created), { created: 2 })
    assert.ok(systemClock.monotonic() - began < 10_000)
  } finally {
    await close()
  }
})

test('reads and writes fail with overloaded while the server is away', { skip }, async () => {
  const cutter = await createReplyCutter(server.port)
  const database = await server.createDatabase(template)
  const url = `postgresql://postgres@127.0.0.1:${cutter.port}/${database}`
  const connections = createConnections({ url, size: 2, clock: systemClock })
  const rows = createPostgresRows(connections, systemClock)
  try {
    await rows.write([added])
    cutter.cut()
    const isAway = (error: unknown): boolean => hasCode(error, 'overloaded')
    await Promise.all([
      assert.rejects(rows.first(created), isAway),
      assert.rejects(rows.write([raised]), isAway),
    ])
    cutter.pass()
    assert.deepEqual(await rows.write([raised]), [1])
  } finally {
    await connections.close()
    await cutter.close()
  }
})

test('a statement that takes too long fails with overloaded', { skip }, async () => {
  const { rows, close } = await open(1000)
  try {
    await assert.rejects(rows.find(query('SELECT pg_sleep(60)')), (error) =>
      hasCode(error, 'overloaded'),
    )
  } finally {
    await close()
  }
})

test('a write that does not get its lock in time changes nothing', { skip }, async () => {
  const { database, rows, close } = await open(1000)
  const holder = connect(database)
  try {
    await holder.lend(async (connection) => {
      await connection.script(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0;
        SELECT pg_advisory_xact_lock(${advisoryLocks.rows})`)
      // Its first statement is sent before the lock is acquired, and needs no lock itself.
      await assert.rejects(rows.write([insertDone, insertDone]), { code: 'overloaded' })
      await connection.script('COMMIT')
    })
    const counted = query<{ readonly count: number }>('SELECT count(*) AS count FROM done')
    assert.equal((await rows.first(counted))?.count, 0)
    assert.deepEqual(await rows.write([insertDone]), [1])
  } finally {
    await holder.close()
    await close()
  }
})

const insertDone: Statement = {
  sql: `INSERT INTO done (id, changes, until) VALUES (gen_random_uuid(), '{}', now())`,
  parameters: [],
}

test('callers beyond the limit of the queue get overloaded at once', { skip }, async () => {
  const connections = connect(await server.createDatabase(template), 1)
  const { promise, resolve } = Promise.withResolvers<void>()
  try {
    const lent = Promise.withResolvers<void>()
    const lending = connections.lend(() => {
      lent.resolve()
      return promise
    })
    await lent.promise
    const waiting = Array.from({ length: 1000 }, () => connections.lend(async () => {}))
    const settled = Promise.allSettled(waiting)
    await assert.rejects(
      connections.lend(async () => {}),
      (error) => hasCode(error, 'overloaded'),
    )
    resolve()
    await lending
    const results = await settled
    assert.ok(results.every(({ status }) => status === 'fulfilled'))
  } finally {
    await connections.close()
  }
})

test('a standby is refused', { skip }, async () => {
  const standby = await startPostgres([], { standby: true })
  const connections = createConnections({
    url: standby.urlOf('postgres'),
    size: 1,
    clock: systemClock,
  })
  try {
    await assert.rejects(
      connections.lend(async () => {}),
      (error: unknown) =>
        hasCode(error, 'overloaded') && /standby/.test(String((error as Error).cause)),
    )
  } finally {
    await connections.close()
    await standby.stop()
  }
})

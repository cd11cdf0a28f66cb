// Real standbys: which of them a server start accepts, and that no acknowledged write is lost in a failover.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { missingPostgres, type Postgres, startPostgres } from '../../../test/engines/postgres.ts'
import { createReplyCutter } from '../../../test/engines/reply-cutter.ts'
import { pause, systemClock } from '../../base/clock.ts'
import { hasCode } from '../../base/fault.ts'
import { query } from '../rows.ts'
import { checkServer } from './check-server.ts'
import { createConnections } from './connections.ts'
import { migratePostgres } from './migrate.ts'
import { createPostgresRows } from './postgres-rows.ts'

const skip = missingPostgres()

type Pair = { readonly primary: Postgres; readonly standby: Postgres }

async function startPair(t: TestContext): Promise<Pair> {
  const primary = await startPostgres()
  t.after(() => primary.stop())
  const standby = await startPostgres([], { follows: primary })
  t.after(() => standby.stop())
  return { primary, standby }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const began = systemClock.monotonic()
  while (!(await isTrue())) {
    assert.ok(systemClock.monotonic() - began < 20_000)
    await pause(50)
  }
}

async function makeSynchronous({ primary }: Pair): Promise<void> {
  await primary.query('postgres', `ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await primary.query('postgres', 'SELECT pg_reload_conf()')
  const sql = `SELECT count(*) AS synced FROM pg_stat_replication WHERE sync_state = 'sync'`
  await until(async () => (await primary.query('postgres', sql))[0]?.['synced'] === '1')
}

test(
  'asynchronous standbys are refused unless the operator accepts them, synchronous ones are not',
  { skip },
  async (t) => {
    const pair = await startPair(t)
    const url = pair.primary.urlOf('postgres')
    const connections = createConnections({ url, size: 1, clock: systemClock })
    t.after(() => connections.close())
    const codes = (mayLoseCommits: boolean): Promise<readonly string[]> =>
      connections.lend(async (one) =>
        (await checkServer(one, { mayLoseCommits, clock: systemClock })).map(({ code }) => code),
      )
    await until(async () => (await codes(false)).length > 0)
    assert.deepEqual(await codes(false), ['database_may_lose_commits'])
    assert.deepEqual(await codes(true), [])
    await makeSynchronous(pair)
    assert.deepEqual(await codes(false), [])
  },
)

test(
  'when a synchronous standby takes over under load, no acknowledged write is lost and none is applied twice',
  { skip },
  async (t) => {
    const pair = await startPair(t)
    const { primary, standby } = pair
    await makeSynchronous(pair)
    const cutter = await createReplyCutter(primary.port)
    const url = `postgresql://postgres@127.0.0.1:${cutter.port}/postgres`
    const connections = createConnections({ url, size: 4, clock: systemClock })
    t.after(async () => {
      await connections.close()
      await cutter.close()
    })
    await migratePostgres(connections)
    const rows = createPostgresRows(connections, systemClock)
    const acknowledged: string[] = []
    const unknown: string[] = []
    let isOver = false

    async function write(client: number): Promise<void> {
      for (let at = 0; !isOver; at += 1) {
        const id = `${client}-${at}`
        const sql = `INSERT INTO account (id, name, created) VALUES (?, ?, 1)`
        try {
          await rows.write([{ sql, parameters: [id, id] }], { lock: 'none' })
          acknowledged.push(id)
        } catch (error) {
          // Any other error would mean that an insertion was applied twice.
          assert.ok(hasCode(error, 'overloaded'), String(error))
          unknown.push(id)
        }
      }
    }

    const writing = Promise.all([1, 2, 3, 4].map(write))
    await until(async () => acknowledged.length > 100)
    await primary.kill()
    await standby.promote()
    cutter.turnTo(standby.port)
    const before = acknowledged.length
    await until(async () => acknowledged.length > before + 100)
    isOver = true
    await writing
    const found = await rows.find(query<{ id: string }>('SELECT id FROM account'))
    const stored = new Set(found.map(({ id }) => id))
    assert.deepEqual(
      acknowledged.filter((id) => !stored.has(id)),
      [],
    )
    assert.ok(stored.size <= acknowledged.length + unknown.length)
  },
)

// The guarantees of every Rows (src/db/rows.ts). The test file of an implementation calls `rowsSuite` with a function
// that opens an empty, migrated database.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { query, type Rows } from '../../src/db/rows.ts'
import { NothingChanged, type Statement } from '../../src/db/writer.ts'

export type RowsFixture = {
  readonly rows: Rows
  /** A write of another process. */
  writeElsewhere(statement: Statement): Promise<void>
  close(): Promise<void>
}

const all = query<{ id: string; name: string }>('SELECT id, name FROM account ORDER BY id')
const counted = query<{ accounts: number }>('SELECT count(*) AS accounts FROM account')

function insert(id: string): Statement {
  return {
    sql: 'INSERT INTO account (id, name, created) VALUES (?, ?, ?)',
    parameters: [id, `account ${id}`, 1],
  }
}

function remove(id: string): Statement {
  return { sql: 'DELETE FROM account WHERE id = ?', parameters: [id], require: 'change' }
}

export function rowsSuite(name: string, create: () => Promise<RowsFixture>): void {
  const promise = (title: string, run: (fixture: RowsFixture) => Promise<void>): void => {
    test(title, async () => {
      const fixture = await create()
      try {
        await run(fixture)
      } finally {
        await fixture.close()
      }
    })
  }

  suite(name, () => {
    promise('a read that follows a write sees it', async ({ rows }) => {
      assert.deepEqual(await rows.find(all), [])
      assert.equal(await rows.first(all), null)
      assert.deepEqual(await rows.write([insert('b'), insert('a')]), [1, 1])
      assert.deepEqual(await rows.find(all), [
        { id: 'a', name: 'account a' },
        { id: 'b', name: 'account b' },
      ])
      assert.deepEqual(await rows.first(all), { id: 'a', name: 'account a' })
    })

    promise('a read that follows a write of another process sees it', async (fixture) => {
      await fixture.writeElsewhere(insert('a'))
      assert.deepEqual(await fixture.rows.first(counted), { accounts: 1 })
    })

    promise('a write changes all or nothing', async ({ rows }) => {
      await assert.rejects(rows.write([insert('a'), remove('b')]), NothingChanged)
      assert.deepEqual(await rows.find(all), [])
    })

    promise('a statement with rows runs once for each', async ({ rows }) => {
      const many = Array.from({ length: 250 }, (_, at) => [`id ${at}`, `name ${at % 240}`, at])
      const sql =
        'INSERT INTO account (id, name, created) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING'
      assert.deepEqual(await rows.write([{ sql, parameters: [], rows: many }]), [240])
      const rename = 'UPDATE account SET name = ? WHERE id = ? AND created = ?'
      const renamed = [
        ['id 1', 1],
        ['id 2', 2],
        ['id 3', 4],
      ]
      const changes = await rows.write([
        {
          sql: 'UPDATE account SET card = ? WHERE id = ? AND created = ?',
          parameters: [1],
          rows: renamed,
        },
        { sql: rename, parameters: [], rows: [] },
      ])
      assert.deepEqual(changes, [2, 0])
    })

    promise('values come back as they were written', async ({ rows }) => {
      const hash = Uint8Array.from({ length: 256 }, (_, at) => at)
      const name = `é 'quoted' ? $1 \u{1f5ff}`
      const created = 1_790_000_000_123
      await rows.write([
        insert('a'),
        {
          sql: `INSERT INTO api_key (id, account_id, name, prefix, key_hash, secret_hash, created)
            VALUES (?, ?, ?, ?, ?, ?, ?)`,
          parameters: ['k', 'a', name, '', hash, new Uint8Array(0), created],
        },
      ])
      const row = await rows.first(
        query<Record<string, unknown>>(
          `SELECT name, key_hash, secret_hash, created, expires, count(*) OVER () AS held,
            expires IS NULL AS "isEndless" FROM api_key WHERE created > ?`,
          [created - 1],
        ),
      )
      assert.deepEqual(row, {
        name,
        key_hash: hash,
        secret_hash: new Uint8Array(0),
        created,
        expires: null,
        held: 1,
        isEndless: 1,
      })
    })

    promise('texts are in the order of their bytes', async ({ rows }) => {
      await rows.write(['b', 'A', 'ä', 'a', 'B', '_'].map(insert))
      const found = await rows.find(all)
      assert.deepEqual(
        found.map(({ id }) => id),
        ['A', 'B', '_', 'a', 'b', 'ä'],
      )
    })

    promise('a condition holds while others write', async (fixture) => {
      const claim = (id: string): Statement => ({
        sql: `INSERT INTO account (id, name, created) SELECT ?1, ?2, 1
          WHERE (SELECT count(*) FROM account) < 3`,
        parameters: [id, id],
        require: 'change',
      })
      const writes = Array.from({ length: 12 }, (_, at) =>
        at % 2 === 0
          ? fixture.rows.write([claim(`${at}`)])
          : fixture.writeElsewhere(claim(`${at}`)),
      )
      const results = await Promise.allSettled(writes)
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 3)
      assert.deepEqual(await fixture.rows.first(counted), { accounts: 3 })
    })

    promise('the queries of a snapshot see one state', async ({ rows, writeElsewhere }) => {
      const writes = Array.from({ length: 20 }, (_, index) => writeElsewhere(insert(`${index}`)))
      for (let reads = 0; reads < 20; reads += 1) {
        const [list, [count]] = await rows.snapshot([all, counted])
        assert.equal(list.length, count?.accounts)
      }
      await Promise.all(writes)
      assert.deepEqual(await rows.first(counted), { accounts: 20 })
    })
  })
}

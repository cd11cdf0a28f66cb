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

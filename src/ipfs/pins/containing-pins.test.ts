// The pins that contain a block, on both engines.
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { usePostgres } from '../../../test/fakes/postgres-rows.ts'
import { cidOf, rawCodec } from '../../codec/ipld/cid.ts'
import { multihashOf } from '../../codec/ipld/multihash.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import type { Rows } from '../../db/rows.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { insertAccount } from '../../tables/accounts.ts'
import { findContainingPins } from './containing-pins.ts'

const postgres = usePostgres()

function cidAt(at: number): ReturnType<typeof cidOf> {
  return cidOf(1, rawCodec, multihashOf('sha2-256', Buffer.from(`pin ${at}`)))
}

/** Pins 0 to 8 of account `a`: each contains its own block; pins 1 to 7 also contain block 0. */
async function seed(rows: Rows): Promise<void> {
  await rows.write([insertAccount({ id: 'a', name: 'a', created: 0, cardMarked: false })])
  for (let at = 0; at < 9; at += 1) {
    const { multihash, bytes: cid } = cidAt(at)
    const blocks = at > 0 && at < 8 ? [at, 0] : [at]
    await rows.write([
      {
        sql: 'INSERT INTO block (id, hash, file, at, bytes, form, size, created) VALUES (?, ?, 1, 0, 1, 0, 1, 0)',
        parameters: [at + 1, multihash.bytes],
      },
      {
        sql: `INSERT INTO root (id, hash, codec, mode, blocks, bytes) VALUES (?, ?, ?, 'recursive', ?, ?)`,
        parameters: [at + 1, multihash.bytes, rawCodec, blocks.length, blocks.length],
      },
      ...blocks.map((block) => ({
        sql: 'INSERT INTO closure (root, block) VALUES (?, ?)',
        parameters: [at + 1, block + 1],
      })),
      {
        sql: `INSERT INTO pin (account_id, cid, mode, name, created, root) VALUES ('a', ?, 'recursive', ?, 0, ?)`,
        parameters: [cid, `pin ${at}`, at + 1],
      },
    ])
  }
}

function containingSuite(
  engine: string,
  open: (t: TestContext) => Promise<Rows>,
  skip: string | false = false,
): void {
  suite(engine, { skip }, () => {
    test('at most five pins are listed, and further ones are stated', async (t) => {
      const rows = await open(t)
      await seed(rows)
      const find = async (at: number, account = 'a', limits?: [number, number]) =>
        await findContainingPins(
          rows,
          account,
          cidAt(at).toString(),
          ...(limits === undefined ? [] : [{ examinedMax: limits[0], pageRows: limits[1] }]),
        )
      const all = await find(0)
      assert.equal(all.pins.length, 5)
      assert.equal(all.more, true)
      const names = all.pins.map(({ name }) => name)
      assert.equal(new Set(names).size, 5)
      assert.ok(!names.includes('pin 0') && !names.includes('pin 8'))
      const none = { pins: [], more: false, tree: false }
      assert.deepEqual(await find(3), none)
      assert.deepEqual(await find(0, 'b'), none)
      assert.deepEqual(await find(99), none)
      // Only the first four of nine pins are examined.
      const part = await find(0, 'a', [4, 2])
      assert.equal(part.more, true)
      assert.ok(part.pins.length >= 2 && part.pins.length <= 4)
      const few = await find(0, 'a', [100, 2])
      assert.deepEqual(few, all)
    })
  })
}

containingSuite('SQLite', async (t) => {
  const database = openDatabase(':memory:')
  migrate(database)
  t.after(() => database.close())
  return createSqliteRows(database, createInlineWriter(database))
})

containingSuite(
  'PostgreSQL',
  async (t) => (await postgres.openNode(t, await postgres.createDatabase())).rows,
  postgres.skip,
)

// Pages of keys on both engines.
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { usePostgres } from '../../../test/fakes/postgres-rows.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import type { Rows } from '../../db/rows.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { insertAccount } from '../../tables/accounts.ts'
import type { KeyFilter } from '../../tables/api-keys.ts'
import { readKeyNames, readKeyPage } from './key-pages.ts'

const postgres = usePostgres()

const any: KeyFilter = { accountIds: null, ids: null, search: null, state: null }
/** ID, account, name, time of creation, expiry, revocation. */
const seeds = [
  ['k1', 'b', 'Shop', 1, null, null],
  ['k2', 'a', 'shop_2', 2, 50, null],
  ['k3', 'a', '', 3, null, 9],
  ['k4', 'a', '100%', 3, 200, null],
  ['k5', 'b', 'web', 2, null, null],
] as const

async function seed(rows: Rows): Promise<void> {
  for (const id of ['a', 'b']) {
    await rows.write([insertAccount({ id, name: `account ${id}`, created: 0, cardMarked: false })])
  }
  await rows.write(
    seeds.map(([id, account, name, created, expires, revoked]) => ({
      sql: `INSERT INTO api_key (id, account_id, name, prefix, key_hash, secret_hash, created, expires, revoked)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      parameters: [
        id,
        account,
        name,
        `Pre${id}`,
        Buffer.from(id),
        Buffer.from(id),
        created,
        expires,
        revoked,
      ],
    })),
  )
}

function keyPagesSuite(
  engine: string,
  open: (t: TestContext) => Promise<Rows>,
  skip: string | false = false,
): void {
  suite(engine, { skip }, () => {
    test('keys are found, filtered and read page by page', async (t) => {
      const rows = await open(t)
      await seed(rows)
      const idsOf = async (filter: Partial<KeyFilter>, limit: number | null = null) => {
        const ids: string[] = []
        let from: string | null = null
        do {
          const page = await readKeyPage(rows, { ...any, ...filter }, { from, limit })
          assert.ok(page !== null)
          if (limit !== null) assert.ok(page.keys.length <= limit)
          ids.push(...page.keys.map(({ id }) => id))
          from = page.next
          if (from === null) assert.equal(page.found, ids.length)
        } while (from !== null)
        return ids
      }
      const all = ['k2', 'k3', 'k4', 'k1', 'k5']
      assert.deepEqual(await idsOf({}), all)
      assert.deepEqual(await idsOf({}, 1), all)
      assert.deepEqual(await idsOf({}, 2), all)
      assert.deepEqual(await idsOf({}, 5), all)
      assert.deepEqual(await idsOf({ accountIds: ['b'] }, 1), ['k1', 'k5'])
      assert.deepEqual(await idsOf({ accountIds: [] }), [])
      assert.deepEqual(await idsOf({ ids: ['k5', 'k3', 'none'] }), ['k3', 'k5'])
      assert.deepEqual(await idsOf({ search: 'SHOP' }), ['k2', 'k1'])
      assert.deepEqual(await idsOf({ search: '_' }), ['k2'])
      assert.deepEqual(await idsOf({ search: '%' }), ['k4'])
      assert.deepEqual(await idsOf({ search: 'prek3' }), ['k3'])
      assert.deepEqual(await idsOf({ search: 'rek3' }), [])
      assert.deepEqual(await idsOf({ search: 'k3' }), ['k3'])
      assert.deepEqual(await idsOf({ state: { active: true, at: 60 } }, 2), ['k4', 'k1', 'k5'])
      assert.deepEqual(await idsOf({ state: { active: false, at: 60 } }), ['k2', 'k3'])
      for (const from of ['', 'x', Buffer.from('["a",1]').toString('base64url')]) {
        assert.equal(await readKeyPage(rows, any, { from, limit: 1 }), null)
      }
      const names = await readKeyNames(rows, 'a')
      assert.deepEqual(
        [...names].toSorted(([one], [other]) => one.localeCompare(other)),
        [
          ['k2', 'shop_2'],
          ['k3', 'Prek3…'],
          ['k4', '100%'],
        ],
      )
    })
  })
}

keyPagesSuite('SQLite', async (t) => {
  const database = openDatabase(':memory:')
  migrate(database)
  t.after(() => database.close())
  return createSqliteRows(database, createInlineWriter(database))
})

keyPagesSuite(
  'PostgreSQL',
  async (t) => (await postgres.openNode(t, await postgres.createDatabase())).rows,
  postgres.skip,
)

// Lists of pins on both engines: the same pins, in the same order, page by page.
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
import { changePin, findListedPin, listPins, type PinPageRequest } from './pin-list.ts'

const postgres = usePostgres()

type Seed = { readonly name: string; readonly bytes: number; readonly created: number }

const seeds: readonly Seed[] = [
  { name: 'b.PNG', bytes: 30, created: 5 },
  { name: 'a.png', bytes: 30, created: 4 },
  { name: '', bytes: 9_000_000_000, created: 3 },
  { name: 'Z%_.json', bytes: 0, created: 3 },
  { name: 'site', bytes: 7, created: 2 },
  { name: 'É.mp4', bytes: 7, created: 1 },
]

function cidAt(at: number): ReturnType<typeof cidOf> {
  return cidOf(1, rawCodec, multihashOf('sha2-256', Buffer.from(`pin ${at}`)))
}

async function seed(rows: Rows): Promise<void> {
  await rows.write([insertAccount({ id: 'a', name: 'a', created: 0, cardMarked: false })])
  for (const [at, { name, bytes, created }] of seeds.entries()) {
    const { multihash, bytes: cid } = cidAt(at)
    await rows.write([
      {
        sql: `INSERT INTO root (hash, codec, mode, holders, blocks, bytes) VALUES (?, ?, 'recursive', 1, 1, ?)`,
        parameters: [multihash.bytes, rawCodec, bytes],
      },
      {
        sql: `INSERT INTO pin (account_id, cid, mode, name, created, root)
          SELECT 'a', ?, 'recursive', ?, ?, id FROM root WHERE hash = ?`,
        parameters: [cid, name, created, multihash.bytes],
      },
    ])
  }
}

function pinListSuite(
  engine: string,
  open: (t: TestContext) => Promise<Rows>,
  skip: string | false = false,
): void {
  suite(engine, { skip }, () => {
    test('each order has all pins, page by page, and its reverse is the other way round', async (t) => {
      const rows = await open(t)
      await seed(rows)
      const all = async (order: PinPageRequest['order'], more: Partial<PinPageRequest> = {}) => {
        const names: string[] = []
        let from: string | null = null
        do {
          const page = await listPins(rows, 'a', {
            from,
            search: null,
            type: null,
            announcement: null,
            keyId: null,
            order,
            limit: 2,
            ...more,
          })
          assert.ok(page !== null)
          names.push(...page.pins.map(({ name }) => name))
          assert.equal(page.count, seeds.length)
          from = page.next
        } while (from !== null)
        return names
      }
      const sorted = ['', 'a.png', 'b.PNG', 'site', 'Z%_.json']
      const byName = await all({ by: 'name', down: false })
      assert.deepEqual(
        byName.filter((name) => name !== 'É.mp4'),
        sorted,
      )
      for (const by of ['created', 'name', 'size'] as const) {
        const up = await all({ by, down: false })
        assert.equal(new Set(up).size, seeds.length, by)
        assert.deepEqual(await all({ by, down: true }), up.toReversed(), by)
      }
      const sizes = (await all({ by: 'size', down: true })).map(
        (name) => seeds.find((one) => one.name === name)?.bytes ?? 0,
      )
      assert.deepEqual(sizes, [9_000_000_000, 30, 30, 7, 7, 0])

      const newest = { by: 'created', down: true } as const
      assert.deepEqual(await all(newest, { type: 'image' }), ['b.PNG', 'a.png'])
      assert.deepEqual((await all(newest, { type: 'other' })).toSorted(), ['', 'site'])
      assert.deepEqual(await all(newest, { search: '%_' }), ['Z%_.json'])
      const prefix = cidAt(4).toString().slice(0, 18)
      assert.deepEqual(await all(newest, { search: prefix }), ['site'])
      assert.deepEqual(await all(newest, { search: cidAt(0).toString(), type: 'video' }), [])

      // The first pin is announced, the second waits, the third is private beside an announcement of another account.
      await rows.write(
        [9, null, 9].map((announced, at) => ({
          sql: 'INSERT INTO provide (multihash, roots, parts, due, tried, announced) VALUES (?, 1, 0, 0, 0, ?)',
          parameters: [cidAt(at).multihash.bytes, announced],
        })),
      )
      const find = (account: string, at: number) =>
        findListedPin(rows, account, cidAt(at).toString())
      const found = await find('a', 0)
      assert.deepEqual([found?.name, found?.provide, found?.announced], ['b.PNG', 'all', 9])
      assert.equal((await find('a', 1))?.announced, null)
      assert.equal(await find('b', 0), null)
      assert.equal(await findListedPin(rows, 'a', 'b.PNG'), null)
      const isPrivate = { provide: 'none' as const }
      await changePin(rows, { accountId: 'a', cid: cidAt(2).toString() }, isPrivate)
      const inState = (states: readonly ('announced' | 'waiting')[], not = false) =>
        all(newest, { announcement: { states, not } })
      assert.deepEqual(await inState(['announced']), ['b.PNG'])
      assert.deepEqual(await inState(['waiting']), ['a.png'])
      assert.deepEqual(await inState([]), [])
      assert.deepEqual((await inState(['announced', 'waiting'], true)).toSorted(), [
        '',
        'Z%_.json',
        'site',
        'É.mp4',
      ])
      assert.equal((await inState([], true)).length, seeds.length)
    })

    test('a place of another order and of no list is refused', async (t) => {
      const rows = await open(t)
      await seed(rows)
      const order = { by: 'size', down: true } as const
      const at = async (from: string) =>
        await listPins(rows, 'a', {
          from,
          search: null,
          type: null,
          announcement: null,
          keyId: null,
          order,
          limit: 2,
        })
      for (const from of ['', 'x', `abc-${cidAt(0).toString()}`, '7-', '7-zzz']) {
        assert.equal(await at(from), null, from)
      }
    })

    test('the date and the key of a pin are set, of this pin alone', async (t) => {
      const rows = await open(t)
      await seed(rows)
      const cid = cidAt(1).toString()
      const change = { created: 99, keyId: 'k' }
      assert.equal(await changePin(rows, { accountId: 'a', cid }, change), true)
      assert.equal(await changePin(rows, { accountId: 'b', cid }, change), false)
      const page = await listPins(rows, 'a', {
        from: null,
        search: null,
        type: null,
        announcement: null,
        keyId: null,
        order: { by: 'created', down: true },
        limit: 2,
      })
      const ofKey = await listPins(rows, 'a', {
        from: null,
        search: null,
        type: null,
        announcement: null,
        keyId: 'k',
        order: { by: 'name', down: false },
        limit: 2,
      })
      assert.deepEqual([ofKey?.pins.map((pin) => pin.cid), ofKey?.found], [[cid], 1])
      assert.deepEqual(
        page?.pins.map(({ created, keyId }) => [created, keyId]),
        [
          [99, 'k'],
          [5, null],
        ],
      )
    })
  })
}

pinListSuite('SQLite', async (t) => {
  const database = openDatabase(':memory:')
  migrate(database)
  t.after(() => database.close())
  return createSqliteRows(database, createInlineWriter(database))
})

pinListSuite(
  'PostgreSQL',
  async (t) => (await postgres.openNode(t, await postgres.createDatabase())).rows,
  postgres.skip,
)

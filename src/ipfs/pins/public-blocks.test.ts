// Which blocks are public and which are announced after any history of pins and settings, against a model, in both engines.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usePostgres } from '../../../test/fakes/postgres-rows.ts'
import { seeded } from '../../../test/fakes/seeded.ts'
import { pinProvideOf, type Provide, provideLevels } from '../../base/provide.ts'
import { toBareHex } from '../../base/hex.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { migrations } from '../../db/migrations.ts'
import { query, type Rows } from '../../db/rows.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import { type Database, openDatabase } from '../../db/sqlite.ts'
import { NothingChanged, type Statement } from '../../db/writer.ts'
import { insertAccount } from '../../tables/accounts.ts'
import { insertBlocks } from '../../tables/blocks.ts'
import { deleteLease, upsertLease } from '../../tables/leases.ts'
import { copyPin, deletePin, upsertPin } from '../../tables/pins.ts'
import { setProvideOfPin } from '../../tables/network/public-blocks.ts'
import { insertRoot, type RootName } from '../../tables/roots.ts'
import { stageBlocks, unstage } from '../../tables/staged.ts'
import { releaseStep } from '../collection/sweep.ts'
import { createPublicBlocks, type PublicBlocks } from './public-blocks.ts'

const postgres = usePostgres()
const { skip } = postgres

const accounts = ['a', 'b', 'c'] as const
type Account = (typeof accounts)[number]
const roots = 8
const blocks = 1300
const place = { file: 1, at: 0, bytes: 1, form: 0 as const }
const hashOf = (at: number): Uint8Array => Uint8Array.from([0x12, at >> 8, at & 255])
const cidOf = (at: number): Uint8Array => Uint8Array.from([2, at])

/** Blocks of root number `at`: neighbours share half of their blocks; number 0 is too large to be released in one commit. */
function blocksOf(at: number): readonly number[] {
  if (at === 0) return Array.from({ length: 1200 }, (_, block) => block)
  return Array.from({ length: 12 }, (_, block) => 1100 + at * 6 + block)
}

const nameOf = (at: number): RootName => ({
  hash: hashOf(blocksOf(at)[0] ?? 0),
  codec: 85,
  mode: 'recursive',
})

/** Creates the root, unless it exists, and the rows that refer to it. */
function withRoot(at: number, rows: readonly Statement[]): readonly Statement[] {
  const staged = blocksOf(at).map((block) => ({
    tree: 0,
    hash: hashOf(block),
    size: 10,
    place: null,
  }))
  return [
    stageBlocks('batch', staged),
    ...insertRoot(nameOf(at), { batch: 'batch', tree: 0 }),
    ...rows,
    unstage('batch'),
  ]
}

type ModelPin = { readonly root: number; readonly provide: Provide }

class Model {
  readonly settings = new Map<Account, Provide>()
  readonly pins = new Map<string, ModelPin>()
  /** Multihashes with a deny rule, in hexadecimal. */
  readonly denied = new Set<string>()

  #effective(): readonly { readonly root: number; readonly level: number }[] {
    return [...this.pins].flatMap(([key, { root, provide }]) => {
      const setting = this.settings.get(key[0] as Account) ?? 'none'
      const level = Math.min(provideLevels.indexOf(setting), provideLevels.indexOf(provide))
      return level === 0 ? [] : [{ root, level }]
    })
  }

  public(): ReadonlySet<number> {
    const reached = this.#effective().flatMap(({ root }) => blocksOf(root))
    return new Set(reached.filter((at) => !this.denied.has(toBareHex(hashOf(at)))))
  }

  announced(): readonly string[] {
    const found = this.#effective().flatMap(({ root, level }) =>
      level === 2 ? blocksOf(root) : blocksOf(root).slice(0, 1),
    )
    return [...new Set(found)].map((at) => toBareHex(hashOf(at))).toSorted()
  }
}

type Change = { readonly rows: readonly Statement[]; readonly model: (model: Model) => void }

function changeOf(below: (most: number) => number): Change {
  const account = accounts[below(3)] ?? 'a'
  const root = below(roots)
  const name = below(6)
  const key = `${account}${name}`
  const level = provideLevels[below(3)] ?? 'none'
  const own = { cid: cidOf(name), mode: 'recursive', name: '', created: 1 } as const
  switch (below(8)) {
    case 0:
    case 1: {
      const provide = pinProvideOf(level, [null, true, false][below(3)] ?? null)
      return {
        rows: withRoot(root, [upsertPin(account, { ...own, provide }, nameOf(root), false)]),
        model({ pins }) {
          const kept = provide.replaces ? undefined : pins.get(key)?.provide
          pins.set(key, { root, provide: kept ?? provide.provide })
        },
      }
    }
    case 2:
      return {
        rows: [deletePin(account, own.cid, true)],
        model: ({ pins }) => void pins.delete(key),
      }
    case 3:
      return {
        rows: [setProvideOfPin(account, own.cid, level)],
        model({ pins }) {
          const pin = pins.get(key)
          if (pin !== undefined) pins.set(key, { ...pin, provide: level })
        },
      }
    case 4:
      return {
        rows: withRoot(root, [upsertLease(account, nameOf(root), { expires: 9, wanted: null })]),
        model: () => {},
      }
    case 5:
      return { rows: [deleteLease(account, nameOf(root))], model: () => {} }
    case 6: {
      const to = below(6)
      return {
        rows: withRoot(root, [
          copyPin(account, { from: own.cid, to: cidOf(to), created: 2 }, nameOf(root), false),
        ]),
        model({ pins }) {
          const from = pins.get(key)
          if (from !== undefined) pins.set(`${account}${to}`, { root, provide: from.provide })
        },
      }
    }
    default:
      return {
        rows: [
          {
            sql: 'UPDATE account SET settings = ? WHERE id = ?',
            parameters: [JSON.stringify({ provide: level }), account],
          },
        ],
        model: ({ settings }) => void settings.set(account, level),
      }
  }
}

async function apply(rows: Rows, model: Model, change: Change): Promise<void> {
  try {
    await rows.write(change.rows)
  } catch (error) {
    if (error instanceof NothingChanged) return
    throw error
  }
  change.model(model)
}

async function prepare(rows: Rows): Promise<void> {
  await rows.write([
    ...accounts.map((id) => insertAccount({ id, name: id, created: 1, cardMarked: id === 'a' })),
    insertBlocks(
      Array.from({ length: blocks }, (_, at) => ({ ...place, hash: hashOf(at), size: 10 })),
      1,
    ),
  ])
}

async function compare(rows: Rows, content: PublicBlocks, model: Model, at: string) {
  const expected = model.public()
  const found = await content.arePublic(Array.from({ length: blocks }, (_, block) => hashOf(block)))
  const wrong = found.flatMap((is, block) => (is === expected.has(block) ? [] : [block]))
  assert.deepEqual(wrong, [], `${at}: blocks that are public and must not be, or the other way`)
  const rowsOfProvide = await rows.find(
    query<{ multihash: Uint8Array }>('SELECT multihash FROM provide ORDER BY multihash'),
  )
  assert.deepEqual(
    rowsOfProvide.map(({ multihash }) => toBareHex(multihash)),
    model.announced(),
    `${at}: announced`,
  )
}

async function runHistory(rows: Rows, db: Database | null, seed: number, rounds: number) {
  const model = new Model()
  const isDenied = (multihash: Uint8Array): boolean => model.denied.has(toBareHex(multihash))
  const content = createPublicBlocks({ rows, db, needsCard: anyCard, isDenied })
  const below = seeded(seed)
  let seen = 0
  for (let round = 0; round < rounds; round += 1) {
    await apply(rows, model, changeOf(below))
    if (below(4) === 0) await releaseStep(rows)
    const block = toBareHex(hashOf(1100 + below(80)))
    if (below(3) === 0 && !model.denied.delete(block)) model.denied.add(block)
    await compare(rows, content, model, `seed ${seed}, round ${round}`)
    if (model.public().size > 0) seen += 1
  }
  // All released roots are deleted in the end, and none of their blocks stays public.
  await rows.write([
    { sql: 'DELETE FROM pin', parameters: [] },
    { sql: 'DELETE FROM lease', parameters: [] },
  ])
  model.pins.clear()
  await compare(rows, content, model, `seed ${seed}, unpinned`)
  while (await releaseStep(rows));
  const [left] = await rows.find(
    query<{ count: number }>(
      'SELECT (SELECT count(*) FROM charge) + (SELECT count(*) FROM holding) AS count',
    ),
  )
  assert.equal(left?.count, 0)
  return seen
}

function openLocal(t: { after: (run: () => void) => void }) {
  const db = openDatabase(':memory:')
  t.after(() => db.close())
  migrate(db)
  return { db, rows: createSqliteRows(db, createInlineWriter(db)) }
}

const anyCard = (): boolean => false

test('a block is public if and only if a pin with a public setting reaches it, after any history', async (t) => {
  let rounds = 0
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const { db, rows } = openLocal(t)
    await prepare(rows)
    rounds += await runHistory(rows, db, seed, 60)
  }
  assert.ok(rounds > 100, `something was public in ${rounds} rounds`)
})

test('PostgreSQL makes the same blocks public', { skip }, async (t) => {
  const { rows } = await postgres.openNode(t, await postgres.createDatabase())
  await prepare(rows)
  assert.ok((await runHistory(rows, null, 5, 80)) > 20)
})

test('at the same time as its account ends it, a pin makes nothing public', { skip }, async (t) => {
  const database = await postgres.createDatabase()
  const [{ rows: one }, { rows: other }] = [
    await postgres.openNode(t, database),
    await postgres.openNode(t, database),
  ]
  await prepare(one)
  const content = createPublicBlocks({ rows: one, db: null, needsCard: anyCard })
  const set = (provide: Provide): readonly Statement[] => [
    {
      sql: 'UPDATE account SET settings = ? WHERE id = ?',
      parameters: [JSON.stringify({ provide }), 'a'],
    },
  ]
  for (let round = 0; round < 20; round += 1) {
    await one.write(set('roots'))
    const root = 1 + (round % 7)
    const pin = { cid: cidOf(root), mode: 'recursive', name: '', created: 1 } as const
    await Promise.all([
      one.write(withRoot(root, [upsertPin('a', pin, nameOf(root), false)]), { lock: 'none' }),
      other.write(set('none'), { lock: 'none' }),
    ])
    const all = Array.from({ length: blocks }, (_, block) => hashOf(block))
    assert.equal((await content.arePublic(all)).includes(true), false, `round ${round}`)
  }
})

test(
  'accounts that pin and unpin the same blocks at the same time neither fail nor lose a row',
  { skip },
  async (t) => {
    const database = await postgres.createDatabase()
    const nodes = [
      await postgres.openNode(t, database),
      await postgres.openNode(t, database),
    ] as const
    const [{ rows }] = nodes
    await prepare(rows)
    await rows.write([
      { sql: `UPDATE account SET settings = '{"provide":"all"}'`, parameters: [] },
      ...[1, 2, 3].flatMap((root) =>
        withRoot(root, [
          upsertPin(
            'c',
            { cid: cidOf(root), mode: 'recursive', name: '', created: 1 },
            nameOf(root),
            false,
          ),
        ]),
      ),
    ])
    const repeat = async (account: Account, own: Rows) => {
      const below = seeded(account.charCodeAt(0))
      for (let round = 0; round < 60; round += 1) {
        const root = 1 + below(3)
        const pin = { cid: cidOf(root), mode: 'recursive', name: '', created: 1 } as const
        await own.write([upsertPin(account, pin, nameOf(root), true)], { lock: 'none' })
        await own.write([deletePin(account, pin.cid, true)], { lock: 'none' })
      }
    }
    await Promise.all([repeat('a', nodes[0].rows), repeat('b', nodes[1].rows)])
    const model = new Model()
    model.settings.set('c', 'all')
    for (const root of [1, 2, 3]) model.pins.set(`c${root}`, { root, provide: 'all' })
    const content = createPublicBlocks({ rows, db: null, needsCard: anyCard })
    await compare(rows, content, model, 'after all')
  },
)

test('a deny rule and a missing card end access at once', async (t) => {
  const { db, rows } = openLocal(t)
  await prepare(rows)
  await rows.write([
    { sql: `UPDATE account SET settings = '{"provide":"roots"}'`, parameters: [] },
    ...(['a', 'b'] as const).flatMap((account, index) =>
      withRoot(index + 1, [
        upsertPin(
          account,
          { cid: cidOf(1), mode: 'recursive', name: '', created: 1 },
          nameOf(index + 1),
          false,
        ),
      ]),
    ),
  ])
  let needsCard = false
  let denied: Uint8Array | null = null
  const content = createPublicBlocks({
    rows,
    db,
    needsCard: () => needsCard,
    isDenied: (multihash) => denied !== null && Buffer.compare(multihash, denied) === 0,
  })
  const [own, others] = [hashOf(blocksOf(1)[0] ?? 0), hashOf(blocksOf(2)[11] ?? 0)]
  assert.deepEqual(await content.arePublic([own, others]), [true, true])
  denied = own
  assert.deepEqual(await content.arePublic([own, others]), [false, true])
  assert.equal(content.isPublic(own), false)
  needsCard = true
  denied = null
  assert.deepEqual(await content.arePublic([own, others]), [true, false])
})

test('accounts whose keys made their pins public stay so', (t) => {
  const db = openDatabase(':memory:')
  t.after(() => db.close())
  const before = migrations.findIndex((step) => step.some((sql) => sql.includes('provide')))
  migrate(db, migrations.slice(0, before))
  const key = `INSERT INTO api_key (id, account_id, name, prefix, key_hash, secret_hash, created, revoked, settings)
    VALUES (?, ?, '', '', ?, x'00', 0, ?, ?)`
  const open = '{"gatewayPublic":true,"files":true}'
  const rowsOfKeys = [
    ['open', null, open],
    ['revoked', 1, open],
    ['no-files', null, '{"gatewayPublic":true,"files":false}'],
    ['closed', null, '{}'],
    ['damaged', null, '{"gatewayPublic":'],
  ] as const
  for (const [at, [id, revoked, settings]] of rowsOfKeys.entries()) {
    db.run(`INSERT INTO account (id, name, created) VALUES (?, ?, 0)`, [id, id])
    db.run(key, [id, id, Uint8Array.of(at), revoked, settings])
  }
  db.exec(`INSERT INTO block (id, hash, file, at, bytes, form, size, created) VALUES (1, x'1201', 1, 0, 1, 0, 1, 0);
    INSERT INTO root (id, hash, codec, mode, blocks, bytes) VALUES (1, x'1201', 85, 'direct', 1, 1);
    INSERT INTO closure (root, block) VALUES (1, 1);
    INSERT INTO pin (account_id, cid, mode, created, root) VALUES ('open', x'01', 'direct', 0, 1)`)
  migrate(db)
  assert.deepEqual(db.all(`SELECT id, settings FROM account WHERE settings <> '{}'`), [
    { id: 'open', settings: '{"provide":"roots"}' },
  ])
  assert.deepEqual(db.all('SELECT settings FROM api_key ORDER BY id'), [
    { settings: '{}' },
    { settings: '{"gatewayPublic":' },
    { settings: '{"files":false}' },
    { settings: '{"files":true}' },
    { settings: '{"files":true}' },
  ])
  const rows = createSqliteRows(db, createInlineWriter(db))
  const content = createPublicBlocks({ rows, db, needsCard: anyCard })
  assert.equal(content.isPublic(Uint8Array.of(0x12, 1)), true)
})

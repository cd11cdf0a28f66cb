// Rows of SQLite that run everything in PostgreSQL too and fail if the results differ. Used only if `CAIRN_MIRROR` names a
// migrated, empty database to copy, as test/mirrored-rows.test.ts does.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after } from 'node:test'
import pg from 'pg'
import { systemClock } from '../../src/base/clock.ts'
import { type Connections, createConnections } from '../../src/db/postgres/connections.ts'
import { createPostgresRows } from '../../src/db/postgres/postgres-rows.ts'
import type { Query, Rows, RowsOf } from '../../src/db/rows.ts'
import { NothingChanged } from '../../src/db/writer.ts'

export function mirrored(local: Rows): Rows {
  const template = process.env['CAIRN_MIRROR']
  return template === undefined ? local : mirror(local, template)
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown }

async function outcomeOf<T>(run: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await run() }
  } catch (error) {
    return { error }
  }
}

/** Error texts differ between the engines, and so does the order of rows without ORDER BY. */
function comparable(outcome: Outcome<unknown>, isOrdered: boolean): unknown {
  if ('value' in outcome) return isOrdered ? outcome : inAnyOrder(outcome.value)
  const { error } = outcome
  return error instanceof NothingChanged ? `nothing changed by ${error.index}` : 'error'
}

function inAnyOrder(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  const named = value.map(inAnyOrder).map((one) => ({ one, name: JSON.stringify(one) }))
  return named.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(({ one }) => one)
}

function mirror(local: Rows, template: string): Rows {
  let opened: Connections | null = null
  const opening = copyOf(template).then((url) => {
    opened = createConnections({ url, size: 2, clock: systemClock })
    return createPostgresRows(opened, systemClock)
  })
  after(async () => {
    await opening
    await opened?.close()
  })
  let last: Promise<unknown> = opening

  /** Runs in both, one call after another, so that both have the same order. */
  function both<T>(what: string, run: (rows: Rows) => Promise<T>): Promise<T> {
    const mine = last.then(async () => {
      const one = await outcomeOf(() => run(local))
      const remote = await opening
      const other = await outcomeOf(() => run(remote))
      const isOrdered =
        !what.startsWith('snapshot') && (!what.startsWith('SELECT') || what.includes('ORDER BY'))
      assert.deepEqual(comparable(other, isOrdered), comparable(one, isOrdered), what)
      if ('error' in one) throw one.error
      return one.value
    })
    last = mine.catch(() => {})
    return mine
  }

  return {
    find: (one) => both(one.sql, (rows) => rows.find(one)),
    first: (one) => both(one.sql, (rows) => rows.first(one)),
    snapshot: <const Queries extends readonly Query<object>[]>(queries: Queries) =>
      both<RowsOf<Queries>>('snapshot', (rows) => rows.snapshot(queries)),
    write: (statements) =>
      both(statements.map(({ sql }) => sql).join('; '), (rows) => rows.write(statements)),
  }
}

async function copyOf(template: string): Promise<string> {
  const name = `mirror_${randomUUID().replaceAll('-', '')}`
  const admin = new URL(template)
  const from = admin.pathname.slice(1)
  admin.pathname = '/postgres'
  const client = new pg.Client({ connectionString: admin.href })
  await client.connect()
  try {
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY file_copy`)
  } finally {
    await client.end()
  }
  admin.pathname = `/${name}`
  return admin.href
}

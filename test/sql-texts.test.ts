// Prepares and plans in PostgreSQL every SQL text of src/tables/ that it must support, and runs each query on both engines.
// Collects the texts by calling every exported function, so that new ones are included.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { systemClock } from '../src/base/clock.ts'
import { migrate } from '../src/db/migrate.ts'
import { createConnections } from '../src/db/postgres/connections.ts'
import { toManyRows, toPostgres } from '../src/db/postgres/dialect.ts'
import { toRecorded } from '../src/db/postgres/done.ts'
import { migratePostgres } from '../src/db/postgres/migrate.ts'
import { openDatabase } from '../src/db/sqlite.ts'
import { missingPostgres, type Postgres, startPostgres } from './engines/postgres.ts'

/** Modules whose tables exist only in SQLite on each machine: chain content, and the files of one machine. */
const localModules: Readonly<Record<string, string>> = {
  'chain.ts': 'chain content',
  'content.ts': 'chain content',
  'database-checks.ts': 'of the SQLite database itself',
  'log-checkpoint.ts': 'of the segments of one machine',
  'quarantine.ts': 'of the segments of one machine',
  'segment-ends.ts': 'of the segments of one machine',
  'invalid-replies.ts': 'what the upstreams of one machine do',
  'upstream/light-clients.ts': 'what the light clients of one machine follow',
  'upstream-status.ts': 'what the upstreams of one machine do',
}

/** Functions of other modules that run only in SQLite. */
const localFunctions: Readonly<Record<string, string>> = {
  closureTableExists: 'asks for a table of SQLite',
  listPinsOfAll: 'for the repair of SQLite, without its indexes',
}

const pinFilters = [null, 'partial', 'ipartial', 'iexact', 'exact'].map((match) => ({
  cids: match === null ? [] : [new Uint8Array([1])],
  statuses: ['queued'],
  name:
    match === null
      ? null
      : { text: 'a', part: match.endsWith('partial'), folded: match.startsWith('i') },
  before: match === null ? null : 2,
  after: match === null ? null : 1,
  meta: match === null ? [] : [['a', 'b']],
}))

const cids = { from: new Uint8Array([1]), below: new Uint8Array([2]) }
const pinPages = (['created', 'name', 'size'] as const).flatMap((by) =>
  [null, cids].map((range) => [
    'a',
    {
      search: range === null ? null : { name: 'a', cids: range },
      endings: range === null ? null : { endings: ['a', 'b'], not: true },
      announcement: { states: range === null ? [] : ['announced', 'waiting'], not: true },
    },
    { by, down: range === null },
    { after: range === null ? null : [by === 'name' ? 'a' : 1, new Uint8Array([1])], limit: 1 },
  ]),
)

const auditFilter = {
  accountId: 'a',
  actor: 'p',
  actions: ['createKey'],
  from: 1,
  until: 2,
  texts: ['a', 'b'],
}
const noAuditFilter = Object.fromEntries(Object.keys(auditFilter).map((name) => [name, null]))

/** Arguments of functions that take one of a few words, or whose text depends on members of an argument. */
const argumentsOf: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  listAudit: [noAuditFilter, auditFilter].map((filter) => [filter, { from: 0, below: 9 }, 1]),
  listPinRequests: pinFilters.map((filter) => ['a', filter, 1]),
  countPinRequests: pinFilters.map((filter) => ['a', filter, 1]),
  listPinPage: pinPages,
  countPinsBy: pinPages,
  splitUsageByStart: ['network', 'method', 'status', 'reason', 'outcome'].map((by) => [
    'a',
    {},
    by,
  ]),
}

/** Limits that no caller passes. */
const noLimit = /(?:LIMIT|OFFSET) (?:null|-1)/

type Text = {
  readonly name: string
  readonly sql: string
  readonly postgres: string
  readonly isQuery: boolean
}

/** A value for any argument: an object with any member, a list of one, a text, a number. */
function anything(): unknown {
  const value: unknown = new Proxy(() => {}, {
    get(_, member) {
      if (member === Symbol.toPrimitive) return () => 1
      if (member === Symbol.iterator) return () => [value][Symbol.iterator]()
      if (member === 'map' || member === 'flatMap') {
        return (run: (one: unknown, at: number) => unknown) => [run(value, 0)]
      }
      if (member === 'length') return 1
      return value
    },
    has: () => true,
    apply: () => value,
  })
  return value
}

type Called = { readonly sql: unknown; readonly rows?: unknown; readonly postgres?: unknown }

function isText(value: unknown): value is Called {
  return typeof value === 'object' && value !== null && 'sql' in value && 'parameters' in value
}

function textOf(name: string, { sql, rows, postgres, ...other }: Called): Text[] {
  if (typeof sql !== 'string') return []
  const isQuery = /^\s*SELECT\b/.test(sql) && !('require' in other) && rows === undefined
  if (typeof postgres === 'object' && postgres !== null && 'unnest' in postgres) {
    return [{ name, sql, postgres: toPostgres(String(postgres.unnest)), isQuery }]
  }
  const own = typeof postgres === 'string' ? postgres : sql
  const many = rows === undefined || typeof postgres === 'string' ? null : toManyRows(sql, 2)
  return [own === sql ? toPostgres(sql) : toPostgres(own), ...(many === null ? [] : [many])].map(
    (text) => ({ name, sql, postgres: text, isQuery }),
  )
}

/** Texts for each combination of arguments and null, because null may select another text. */
function collect(name: string, run: (...values: unknown[]) => unknown): Text[] {
  const texts: Text[] = []
  const given = argumentsOf[name.split(' ')[1] ?? '']
  if (given !== undefined) return given.flatMap((values) => textOf(name, run(...values) as Called))
  const failures: unknown[] = []
  for (let nulls = 0; nulls < 16; nulls += 1) {
    const values = [0, 1, 2, 3].map((at) => ((nulls >> at) & 1 ? null : anything()))
    try {
      for (const made of [run(...values)].flat())
        if (isText(made)) texts.push(...textOf(name, made))
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length === 16) throw new Error(`${name} cannot be called`, { cause: failures[0] })
  return texts
}

async function collectAll(): Promise<readonly Text[]> {
  const folder = new URL('../src/tables/', import.meta.url)
  const found = await readdir(folder, { recursive: true })
  // The tables of an object store exist only in PostgreSQL.
  const files = found.filter((name) => name.endsWith('.ts') && !name.startsWith('objects/'))
  const texts = new Map<string, Text>()
  for (const file of files.filter((name) => !(name in localModules))) {
    const module = (await import(new URL(file, folder).href)) as Record<string, unknown>
    for (const [name, made] of Object.entries(module)) {
      if (typeof made !== 'function' || name in localFunctions) continue
      const run = made as (...values: unknown[]) => unknown
      for (const text of collect(`${file} ${name}`, run)) {
        if (!noLimit.test(text.sql)) texts.set(text.postgres + text.sql, text)
      }
    }
  }
  return [...texts.values()]
}

const skip = missingPostgres()
let server: Postgres
let texts: readonly Text[] = []

before(async () => {
  texts = await collectAll()
  if (skip === false) server = await startPostgres()
})
after(async () => {
  if (skip === false) await server.stop()
})

test('there are texts of every kind', () => {
  assert.ok(texts.length > 200, `${texts.length} texts`)
  assert.ok(texts.filter(({ isQuery }) => isQuery).length > 80)
})

test('a name with capital letters stands in quotation marks, without which PostgreSQL changes it', () => {
  const changed = texts.filter(({ postgres }) => /\bAS [a-z_]+[A-Z]/.test(postgres))
  assert.deepEqual(
    changed.map(({ name }) => name),
    [],
  )
})

test('SQLite prepares every text, and runs each query', () => {
  const db = openDatabase(':memory:')
  migrate(db)
  for (const { name, sql, isQuery } of texts) {
    try {
      const values = Array.from({ length: parametersOf(toPostgres(sql)) }, () => 1)
      if (isQuery) db.all(sql, values)
      else db.all(`EXPLAIN ${sql}`, values)
    } catch (error) {
      throw new Error(`${name}: ${sql}`, { cause: error })
    }
  }
  db.close()
})

test('PostgreSQL plans every text, and runs each query', { skip }, async () => {
  const url = server.urlOf(await server.createDatabase())
  const connections = createConnections({ url, size: 1, clock: systemClock })
  const failures: string[] = []
  try {
    await migratePostgres(connections)
    await connections.lend(async ({ script }) => {
      for (const { name, postgres, isQuery } of [...texts, ...recordedTexts()]) {
        try {
          await script(`PREPARE one AS ${postgres}`)
          const { rows } = await script(
            `SELECT array_to_string(parameter_types, ';') AS types FROM pg_prepared_statements WHERE name = 'one'`,
          )
          const types = rows[0]?.['types'] as string
          const values = types === '' ? [] : types.split(';').map(sampleOf)
          const run = values.length === 0 ? 'EXECUTE one' : `EXECUTE one (${values.join(', ')})`
          await script(isQuery ? run : `EXPLAIN ${run}`)
        } catch (error) {
          failures.push(`${name}: ${(error as Error).message}\n  ${postgres}`)
        }
        await script('DEALLOCATE ALL')
      }
    })
  } finally {
    await connections.close()
  }
  assert.deepEqual(failures, [])
})

/** The texts of writes of one statement. */
function recordedTexts(): readonly Text[] {
  const recorded = texts.flatMap((text) => {
    const postgres = toRecorded(text.postgres, parametersOf(text.postgres), 'change')
    return postgres === null ? [] : [{ ...text, postgres }]
  })
  assert.ok(recorded.length > 100, `${recorded.length} texts`)
  return recorded
}

function parametersOf(postgres: string): number {
  return Math.max(0, ...[...postgres.matchAll(/\$(\d+)/g)].map(([, at]) => Number(at)))
}

function sampleOf(type: string): string {
  if (type.endsWith('[]')) return `'{}'::${type}`
  if (type === 'text') return `'[]'`
  if (type === 'bytea') return `'\\x00'`
  if (type === 'boolean') return 'true'
  if (type === 'uuid') return 'gen_random_uuid()'
  if (type === 'interval') return `'1 day'`
  return `1::${type}`
}

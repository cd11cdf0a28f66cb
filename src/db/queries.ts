// Typed SQL: Kysely builds and compiles, it never runs anything. Reads go to a Database, writes become
// Statements for the Writer.
import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Compilable,
} from 'kysely'
import type { Schema } from './schema.ts'
import type { Database } from './sqlite.ts'
import type { SqlValue, Statement } from './writer.ts'

export type Queries = Kysely<Schema>

export function createQueries(): Queries {
  return new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
}

/** The query as a Statement for `Writer.write`. */
export function toStatement(query: Compilable, require?: 'change'): Statement {
  const { sql, parameters } = query.compile()
  return {
    sql,
    parameters: parameters.map(sqlValue),
    ...(require === undefined ? {} : { require }),
  }
}

export function findAll<Shape extends object>(db: Database, query: Compilable<Shape>): Shape[] {
  const { sql, parameters } = toStatement(query)
  return db.all<Shape>(sql, parameters)
}

export function findOne<Shape extends object>(
  db: Database,
  query: Compilable<Shape>,
): Shape | null {
  const { sql, parameters } = toStatement(query)
  return db.get<Shape>(sql, parameters)
}

function sqlValue(value: unknown): SqlValue {
  if (value === null || value instanceof Uint8Array) return value
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    return value
  }
  throw new TypeError(`not an SQL value: ${typeof value}`)
}

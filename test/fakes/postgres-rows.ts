// A migrated PostgreSQL database for each test, on one server per test file.
import { after, before, type TestContext } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { type OpenPostgres, openPostgres } from '../../src/db/postgres/open-postgres.ts'
import { createReplyCutter, type ReplyCutter } from '../engines/reply-cutter.ts'
import { missingPostgres, type Postgres, startPostgres } from '../engines/postgres.ts'

export type PostgresNode = OpenPostgres & { readonly cutter: ReplyCutter }

export type PostgresFixture = {
  /** False, or the reason to skip. */
  readonly skip: string | false
  readonly server: () => Postgres
  /** Returns the name of a migrated, empty database. */
  createDatabase(): Promise<string>
  /** Opens rows as a machine does, through a connection that a test can cut. */
  openNode(t: TestContext, database: string): Promise<PostgresNode>
}

function open(url: string, size: number): Promise<OpenPostgres> {
  return openPostgres({
    url,
    size,
    mayLoseCommits: false,
    secretHash: null,
    clock: systemClock,
    log: silentLog,
  })
}

/** Call at the top of a test file. */
export function usePostgres(): PostgresFixture {
  const skip = missingPostgres()
  let server: Postgres | null = null
  let template = ''
  before(async () => {
    if (skip !== false) return
    server = await startPostgres()
    template = await server.createDatabase()
    const url = server.urlOf(template)
    await (await open(url, 1)).close()
  })
  after(() => server?.stop())

  function started(): Postgres {
    if (server === null) throw new Error('PostgreSQL is not started')
    return server
  }

  return {
    skip,
    server: started,
    createDatabase: () => started().createDatabase(template),
    async openNode(t, database) {
      const cutter = await createReplyCutter(started().port)
      const url = `postgresql://postgres@127.0.0.1:${cutter.port}/${database}`
      const opened = await open(url, 4)
      t.after(async () => {
        cutter.pass()
        await opened.close()
        await cutter.close()
      })
      return { ...opened, cutter }
    },
  }
}

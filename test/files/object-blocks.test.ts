// File blocks in objects, with their rows in a real PostgreSQL.
import { after, before } from 'node:test'
import { missingPostgres, type Postgres, startPostgres } from '../engines/postgres.ts'
import { openObjectFixture } from '../fakes/files/object-fixture.ts'
import { blockStoreSuite } from '../suites/block-store.suite.ts'

const skip = missingPostgres()
let server: Postgres

before(async () => {
  if (skip === false) server = await startPostgres()
})
after(async () => {
  if (skip === false) await server.stop()
})

for (const cacheBytes of [0, 64 * 1024 * 1024]) {
  blockStoreSuite(
    `objects and PostgreSQL, cache of ${cacheBytes} bytes`,
    async () => {
      const fixture = await openObjectFixture(server)
      const { store } = await fixture.machine({ cacheBytes })
      return { store, accountNames: fixture.accountNames, close: fixture.close }
    },
    { skip },
  )
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usePostgres } from '../../../test/fakes/postgres-rows.ts'
import type { RevisionFeed, RevisionName } from './revision-feed.ts'

const postgres = usePostgres()
const { skip } = postgres

/** Resolves at the next notification. */
function next(feed: RevisionFeed, name: RevisionName): Promise<void> {
  return new Promise((resolve) => {
    const stop = feed.onRevision(name, () => {
      stop()
      resolve()
    })
  })
}

const added = (id: string) => ({
  sql: 'INSERT INTO account (id, name, created) VALUES (?, ?, 1)',
  parameters: [id, id],
})

test('a change by one machine is announced on another', { skip }, async (t) => {
  const database = await postgres.createDatabase()
  const one = await postgres.openNode(t, database)
  const other = await postgres.openNode(t, database)
  // The first notification shows that it is listening.
  await next(other.revisions, 'accounts')
  const revision = next(other.revisions, 'accounts')
  await one.rows.write([added('a')])
  await revision
})

test(
  'after a lost connection a change is announced again, as one may be lost',
  { skip },
  async (t) => {
    const database = await postgres.createDatabase()
    const node = await postgres.openNode(t, database)
    await next(node.revisions, 'accounts')
    const again = next(node.revisions, 'accounts')
    node.cutter.cut()
    node.cutter.pass()
    await again
    const revision = next(node.revisions, 'accounts')
    await node.rows.write([added('a')])
    await revision
  },
)

test('the last use of a key raises no revision, and a revocation does', { skip }, async (t) => {
  const node = await postgres.openNode(t, await postgres.createDatabase())
  await node.rows.write([
    added('a'),
    {
      sql: `INSERT INTO api_key (id, account_id, name, prefix, key_hash, secret_hash, created)
        VALUES ('k', 'a', '', '', ?, ?, 1)`,
      parameters: [new Uint8Array(32), new Uint8Array(32)],
    },
  ])
  const revision = async (): Promise<unknown> =>
    (
      await node.rows.find({
        sql: `SELECT number FROM revision WHERE name = 'accounts'`,
        parameters: [],
      })
    )[0]
  const before = await revision()
  await node.rows.write([
    { sql: `UPDATE api_key SET last_used_day = '2026-01-31'`, parameters: [] },
  ])
  assert.deepEqual(await revision(), before)
  await node.rows.write([{ sql: 'UPDATE api_key SET revoked = 2', parameters: [] }])
  assert.notDeepEqual(await revision(), before)
})

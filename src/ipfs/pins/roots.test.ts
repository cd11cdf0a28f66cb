// Roots, their references and the resulting storage, on rows only: blocks are rows without bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { CID } from 'multiformats/cid'
import { cidOf, dagPbCodec } from '../../codec/ipld/cid.ts'
import { multihashOf } from '../../codec/ipld/multihash.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { NothingChanged, type Statement } from '../../db/writer.ts'
import { readStorage } from './account-storage.ts'
import { deleteExpiredLeases } from '../../tables/leases.ts'
import { deletePin } from '../../tables/pins.ts'
import { leaseStatements } from './leases.ts'
import { movePinStatements, pinStatements, rootOf } from './pin-rows.ts'
import { releaseStep } from '../collection/sweep.ts'

const accounts = ['alice', 'bob'] as const
type AccountId = (typeof accounts)[number]
/** The blocks that each root reaches; the last root is released in steps. */
const closures: readonly (readonly number[])[] = [
  [0],
  [1, 0],
  [2, 1, 0],
  [3, 1, 5, 6],
  [7],
  [4, 0, ...Array.from({ length: 1500 }, (_, index) => 10 + index)],
]
const blockBytes = (index: number): number => 100 + index

function createRows(t: { after: (run: () => void) => void }) {
  const database = openDatabase(':memory:')
  migrate(database)
  t.after(() => database.close())
  for (const id of accounts) {
    database.run('INSERT INTO account (id, name, created, card) VALUES (?, ?, 0, 1)', [id, id])
  }
  const writer = createInlineWriter(database)
  const rows = createSqliteRows(database, writer)
  const cids = new Map<number, CID>()
  const cidAt = (index: number): CID => {
    const known = cids.get(index)
    if (known !== undefined) return known
    const cid = cidOf(0, dagPbCodec, multihashOf('sha2-256', Buffer.from(`block ${index}`)))
    cids.set(index, cid)
    return cid
  }
  let batches = 0

  /** The effect of a batch's commit: inserts blocks, then rows, then clears the staged blocks. */
  async function commit(
    root: number,
    rows: (put: { batch: string; tree: number }) => readonly Statement[],
  ) {
    batches += 1
    const put = { batch: `batch ${batches}`, tree: 1 }
    const hashes = (closures[root] ?? []).map((index) => ({
      hash: cidAt(index).multihash.bytes,
      size: blockBytes(index),
    }))
    await writer.write([
      ...hashes.map(({ hash, size }) => ({
        sql: 'INSERT INTO staged (batch, tree, hash, size) VALUES (?, ?, ?, ?)',
        parameters: [put.batch, put.tree, hash, size],
      })),
      ...hashes.map(({ hash, size }) => ({
        sql: `INSERT INTO block (hash, file, at, bytes, form, size, created) VALUES (?, 1, 0, ?, 0, ?, 0)
          ON CONFLICT (hash) DO NOTHING`,
        parameters: [hash, size, size],
      })),
      ...rows(put),
      { sql: 'DELETE FROM staged WHERE batch = ?', parameters: [put.batch] },
    ])
  }

  const rootCid = (root: number): CID => cidAt(closures[root]?.[0] ?? 0)
  return { database, writer, rows, commit, rootCid, cidAt }
}

/** The expected count, recomputed from the distinct blocks of the roots that pins and leases refer to. */
function recount(database: ReturnType<typeof openDatabase>, accountId: AccountId) {
  return database.get<{ blocks: number; bytes: number }>(
    `SELECT count(*) AS blocks, coalesce(sum(size), 0) AS bytes FROM block WHERE id IN (
       SELECT block FROM closure WHERE root IN (SELECT root FROM pin WHERE account_id = ?1
         UNION SELECT root FROM lease WHERE account_id = ?1))`,
    [accountId],
  )
}

const operation = fc.oneof(
  fc.record({
    kind: fc.constant('pin' as const),
    account: fc.constantFrom(...accounts),
    root: fc.nat(5),
  }),
  fc.record({
    kind: fc.constant('pin-v0' as const),
    account: fc.constantFrom(...accounts),
    root: fc.nat(5),
  }),
  fc.record({
    kind: fc.constant('direct' as const),
    account: fc.constantFrom(...accounts),
    root: fc.nat(5),
  }),
  fc.record({
    kind: fc.constant('unpin' as const),
    account: fc.constantFrom(...accounts),
    root: fc.nat(5),
  }),
  fc.record({
    kind: fc.constant('move' as const),
    account: fc.constantFrom(...accounts),
    root: fc.nat(5),
    to: fc.nat(5),
  }),
  fc.record({
    kind: fc.constant('lease' as const),
    account: fc.constantFrom(...accounts),
    root: fc.nat(5),
  }),
  fc.record({ kind: fc.constant('expire' as const) }),
  fc.record({ kind: fc.constant('step' as const) }),
)

test('the storage of an account counts each block of its pins and leases once, after any history', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { minLength: 20, maxLength: 60, size: 'max' }),
      async (operations) => {
        const world = createRows({ after: () => {} })
        const { database, writer, rows, commit, rootCid } = world
        try {
          for (const [at, one] of operations.entries()) {
            try {
              if (one.kind === 'pin' || one.kind === 'direct') {
                const mode = one.kind === 'pin' ? 'recursive' : 'direct'
                const pin = { cid: rootCid(one.root), mode, name: '' } as const
                const root = one.kind === 'pin' ? one.root : 0
                if (one.kind === 'direct' && one.root !== 0) continue
                await commit(root, (put) => pinStatements(one.account, pin, put, at))
              } else if (one.kind === 'pin-v0') {
                // Another name of the same root.
                const cid = rootCid(one.root)
                const other = cidOf(1, cid.code, cid.multihash.bytes)
                await commit(one.root, (put) =>
                  pinStatements(one.account, { cid: other, mode: 'recursive', name: 'x' }, put, at),
                )
              } else if (one.kind === 'unpin') {
                await writer.write([deletePin(one.account, rootCid(one.root).bytes, true)])
              } else if (one.kind === 'move') {
                const move = { from: rootCid(one.root), to: rootCid(one.to), unpin: true }
                await commit(one.to, (put) => movePinStatements(one.account, move, put, at))
              } else if (one.kind === 'lease') {
                await commit(one.root, (put) =>
                  leaseStatements(one.account, rootOf(rootCid(one.root), 'recursive'), put, {
                    expires: at + 5,
                  }),
                )
              } else if (one.kind === 'expire') await writer.write([deleteExpiredLeases(at, 10)])
              else await releaseStep(rows)
            } catch (thrown) {
              if (!(thrown instanceof NothingChanged)) throw thrown
            }
          }
          while (await releaseStep(rows));
          for (const account of accounts) {
            assert.deepEqual({ ...(await readStorage(rows, account)) }, recount(database, account))
          }
          // No rows of unreferenced roots remain.
          const count = (sql: string) => database.getValue<number>(`SELECT count(*) FROM ${sql}`)
          assert.equal(count('root WHERE id NOT IN (SELECT root FROM holding)'), 0)
          assert.equal(count('closure WHERE root NOT IN (SELECT id FROM root)'), 0)
          assert.equal(count('charge WHERE roots < 1'), 0)
          assert.equal(count('holding WHERE claims < 1'), 0)
          assert.equal(count('releasing'), 0)
        } finally {
          database.close()
        }
      },
    ),
    { numRuns: 20 },
  )
})

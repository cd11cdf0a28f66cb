// Two machines with one database: one announces at a time, and the other continues where it stopped.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usePostgres } from '../../test/fakes/postgres-rows.ts'
import { until } from '../../test/fakes/until.ts'
import { systemClock } from '../base/clock.ts'
import { toBareHex } from '../base/hex.ts'
import { silentLog } from '../base/log.ts'
import { createFencedRows } from '../db/fenced-rows.ts'
import { fence } from '../db/postgres/postgres-leases.ts'
import { openProvidePlan } from './open-provide-plan.ts'

const postgres = usePostgres()
const { skip } = postgres

test('of two machines one announces, and the other takes over', { skip }, async (t) => {
  const database = await postgres.createDatabase()
  const nodes = [await postgres.openNode(t, database), await postgres.openNode(t, database)]
  const announced = new Map<string, number[]>()
  const open = async (at: number) => {
    const { rows, leases } = nodes[at] ?? assert.fail()
    return await openProvidePlan({
      rows,
      leases,
      fenced: (lease, token) => createFencedRows(rows, fence(lease, token)),
      async announce(multihashes) {
        for (const multihash of multihashes) {
          const key = toBareHex(multihash)
          announced.set(key, [...(announced.get(key) ?? []), at])
        }
        return multihashes.map(() => 0)
      },
      isDenied: () => false,
      settings: () => ({ strategy: 'roots', intervalMs: 79_200_000, cidsMax: 50_000 }),
      clock: systemClock,
      log: silentLog,
    })
  }
  const insert = async (from: number) => {
    const sql = 'INSERT INTO provide (multihash, roots, parts, due, tried) VALUES (?, 1, 0, 0, 0)'
    await nodes[0]?.rows.write(
      Array.from({ length: 150 }, (_, at) => ({
        sql,
        parameters: [Uint8Array.of(0x12, from, at)],
      })),
    )
  }
  await insert(1)
  const [first, second] = [await open(0), await open(1)]
  t.after(() => Promise.all([first.stop(), second.stop()]))
  await until(async () => assert.equal((await second.stat()).planned, 150), 30_000)
  const machines = () => new Set([...announced.values()].flat())
  assert.equal(machines().size, 1)
  const [holder, other] = machines().has(0) ? [first, second] : [second, first]
  assert.equal((await holder.stat()).done, 150)
  assert.equal((await other.stat()).done, 0)
  await holder.stop()
  await insert(2)
  await until(async () => assert.equal((await other.stat()).done, 150), 30_000)
  assert.equal(machines().size, 2)
  assert.deepEqual(
    [...announced.values()].filter(({ length }) => length !== 1),
    [],
  )
})

// Usage of several minutes in one write to PostgreSQL, as after an outage.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { latencyColumns } from '../../src/db/migrations.ts'
import { query } from '../../src/db/rows.ts'
import { sumVerified } from '../../src/tables/usage.ts'
import { addUsage, type CallGroup } from '../../src/tables/usage-additions.ts'
import { usePostgres } from '../fakes/postgres-rows.ts'

const postgres = usePostgres()
const minuteMs = 60_000

test('calls of two minutes are written at once', { skip: postgres.skip }, async (t) => {
  const { rows } = await postgres.openNode(t, await postgres.createDatabase())
  const groups = [0, minuteMs].map((minute): CallGroup => ['k', 'acc', minute, 'rpc', 'dev', 'm'])
  await rows.write(
    addUsage({
      usage: groups.map((group) => [...group, 'ok', '', 200, 1, 80, 1, 2]),
      latencies: groups.map((group) => [...group, 0, ...latencyColumns.map(() => 1)]),
      verified: groups.map(([key, account, minute]) => [key, account, minute, 'dev', 'proof', 3]),
      transfers: [],
      keyUses: [],
    }),
    { lock: 'usage' },
  )
  const sums = await rows.find(
    query<{ sum: number }>(
      "SELECT sum(requests) AS sum FROM usage WHERE holder = 'k' GROUP BY span ORDER BY span",
    ),
  )
  assert.deepEqual(
    sums.map(({ sum }) => sum),
    [2, 2, 2],
  )
  const range = { span: 60, from: 0, until: null }
  assert.deepEqual(await rows.find(sumVerified('@acc', range)), [
    { network: 'dev', level: 'proof', requests: 6 },
  ])
})

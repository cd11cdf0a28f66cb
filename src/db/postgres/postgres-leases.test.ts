import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingToxiproxy, startToxiproxy } from '../../../test/engines/toxiproxy.ts'
import { type PostgresNode, usePostgres } from '../../../test/fakes/postgres-rows.ts'
import { acquireLease, leasesSuite } from '../../../test/suites/leases.suite.ts'
import { systemClock } from '../../base/clock.ts'
import type { Leases } from '../../base/leases.ts'
import { NothingChanged } from '../writer.ts'
import { createConnections } from './connections.ts'
import { createPostgresLeases, fence } from './postgres-leases.ts'

const postgres = usePostgres()
const { skip } = postgres
const times = { lifeMs: 1000, periodMs: 100 }

function leasesOf({ connections }: PostgresNode): Leases {
  return createPostgresLeases({ connections, clock: systemClock, onError: () => {}, times })
}

if (skip === false) {
  leasesSuite(
    'leases in PostgreSQL',
    async (t, count) => {
      const database = await postgres.createDatabase()
      const nodes = await Promise.all(
        Array.from({ length: count }, () => postgres.openNode(t, database)),
      )
      return { processes: nodes.map(leasesOf), close: async () => {} }
    },
    { isShared: true },
  )
} else test('leases in PostgreSQL', { skip }, () => {})

test(
  'a holder that is cut off ends its work before another holds the lease, and its writes fail',
  { skip },
  async (t) => {
    const database = await postgres.createDatabase()
    const one = await postgres.openNode(t, database)
    const other = await postgres.openNode(t, database)
    const first = acquireLease(leasesOf(one), 'a')
    const { token, signal } = await first.held
    await one.rows.write([fence('a', token)])
    one.cutter.cut()
    const second = acquireLease(leasesOf(other), 'a')
    const later = await second.held
    assert.equal(signal.aborted, true)
    assert.ok(later.token > token)
    one.cutter.pass()
    await assert.rejects(one.rows.write([fence('a', token)]), NothingChanged)
    await other.rows.write([fence('a', later.token)])
    await Promise.all([first.stop(), second.stop()])
  },
)

test(
  'a holder whose link falls silent ends its work before another holds the lease',
  { skip: skip || missingToxiproxy() },
  async (t) => {
    const database = await postgres.createDatabase()
    const other = await postgres.openNode(t, database)
    const proxy = await startToxiproxy(t, postgres.server().port)
    const url = `postgresql://postgres@127.0.0.1:${proxy.port}/${database}`
    const connections = createConnections({ url, size: 2, clock: systemClock })
    t.after(() => connections.close())
    const silent = createPostgresLeases({
      connections,
      clock: systemClock,
      onError: () => {},
      times,
    })
    const first = acquireLease(silent, 'a')
    const { token, signal } = await first.held
    await proxy.silence()
    const second = acquireLease(leasesOf(other), 'a')
    const later = await second.held
    assert.equal(signal.aborted, true)
    assert.ok(later.token > token)
    await proxy.heal()
    await Promise.all([first.stop(), second.stop()])
  },
)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leasesSuite } from '../../test/suites/leases.suite.ts'
import { createLocalLeases } from './leases.ts'

leasesSuite(
  'leases of a single process',
  async () => ({ processes: [createLocalLeases(() => {})], close: async () => {} }),
  { isShared: false },
)

test('an error of the work is reported', async () => {
  const errors: unknown[] = []
  const leases = createLocalLeases((name, error) => errors.push([name, (error as Error).message]))
  await leases.hold('a', async () => {
    throw new Error('no')
  })()
  assert.deepEqual(errors, [['a', 'no']])
})

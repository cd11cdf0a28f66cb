// Filters in a real Valkey.
import { pause } from '../../src/base/clock.ts'
import { createValkeyFilters } from '../../src/valkey/valkey-filters.ts'
import { missingValkey, startValkey } from '../engines/valkey.ts'
import { testFilterStore } from '../suites/filter-store.suite.ts'
import { openConnection } from './open-node.ts'

testFilterStore(
  'valkey',
  async (t, limits) => {
    const { url } = await startValkey(t)
    const open = async () => createValkeyFilters(await openConnection(t, url), limits)
    return { one: await open(), other: await open(), pass: (ms) => pause(ms) }
  },
  { skip: missingValkey() },
)

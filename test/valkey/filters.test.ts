// Filters in a real Valkey, also behind a slow link.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pause } from '../../src/base/clock.ts'
import { type FiltersLimits, defaultFiltersLimits } from '../../src/rpc/filters/filter-store.ts'
import { createValkeyFilters } from '../../src/valkey/valkey-filters.ts'
import { missingToxiproxy, startToxiproxy } from '../engines/toxiproxy.ts'
import { missingValkey, startValkey } from '../engines/valkey.ts'
import { until } from '../fakes/until.ts'
import { testFilterStore } from '../suites/filter-store.suite.ts'
import { openConnection } from './open-node.ts'

const skip = missingValkey()

async function openFilters(t: TestContext, port: number, limits: FiltersLimits) {
  const open = async () =>
    createValkeyFilters(await openConnection(t, `valkey://127.0.0.1:${port}`), limits)
  return { one: await open(), other: await open(), pass: (ms: number) => pause(ms) }
}

testFilterStore(
  'valkey',
  async (t, limits) => openFilters(t, (await startValkey(t)).port, limits),
  { skip },
)

testFilterStore(
  'valkey with 20 ms to it',
  async (t, limits) => {
    const proxy = await startToxiproxy(t, (await startValkey(t)).port)
    await proxy.slow(20)
    return openFilters(t, proxy.port, limits)
  },
  { skip: skip || missingToxiproxy() },
)

for (const harm of ['cut', 'silence'] as const) {
  test(
    `behind a link that is ${harm}, a filter is refused in time, and found when the link is back`,
    { skip: skip || missingToxiproxy() },
    async (t) => {
      const proxy = await startToxiproxy(t, (await startValkey(t)).port)
      const connection = await openConnection(t, `valkey://127.0.0.1:${proxy.port}`, {
        deadlineMs: 200,
      })
      const store = createValkeyFilters(connection, defaultFiltersLimits)
      const filter = { keyId: 'k', network: 'dev', query: null, place: 'a' }
      await store.add('1', filter)
      await proxy[harm]()
      for (let n = 0; n < 10; n++) {
        await assert.rejects(async () => store.find('1'), { code: 'overloaded' })
      }
      await proxy.heal()
      await until(async () => assert.deepEqual(await store.find('1'), filter))
    },
  )
}

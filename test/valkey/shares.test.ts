// Rate shares and shared counters in a real Valkey.
import { pause, systemClock } from '../../src/base/clock.ts'
import { createValkeyCounters } from '../../src/valkey/valkey-counters.ts'
import { createValkeyShares } from '../../src/valkey/valkey-shares.ts'
import { missingToxiproxy, startToxiproxy } from '../engines/toxiproxy.ts'
import { missingValkey, startValkey } from '../engines/valkey.ts'
import { testRateShares } from '../suites/rate-shares.suite.ts'
import { testSharedCounters } from '../suites/shared-counters.suite.ts'
import { openConnection } from './open-node.ts'
import type { TestContext } from 'node:test'

const skip = missingValkey()

async function openShares(t: TestContext, port: number) {
  const nodes = await Promise.all(
    [0, 1].map(async () =>
      createValkeyShares({
        connection: await openConnection(t, `valkey://127.0.0.1:${port}`),
        nodes: () => 2,
        alone: () => 'divide',
        clock: systemClock,
      }),
    ),
  )
  const [one, other] = nodes as [(typeof nodes)[0], (typeof nodes)[0]]
  return { one, other, pass: (ms: number) => pause(ms) }
}

testRateShares(
  'valkey',
  async (t) => {
    const { port } = await startValkey(t)
    return openShares(t, port)
  },
  { skip },
)

testRateShares(
  'valkey with 30 ms to it',
  async (t) => {
    const { port } = await startValkey(t)
    const proxy = await startToxiproxy(t, port)
    await proxy.slow(30)
    return openShares(t, proxy.port)
  },
  { skip: skip || missingToxiproxy() },
)

testSharedCounters(
  'valkey',
  async (t) => {
    const { url } = await startValkey(t)
    return createValkeyCounters(await openConnection(t, url))
  },
  { skip },
)

// A node's view of Valkey, for tests.
import type { TestContext } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import {
  type ValkeyLimits,
  connectValkey,
  defaultValkeyLimits,
} from '../../src/valkey/connection.ts'
import { silentLog } from '../../src/base/log.ts'
import { until } from '../fakes/until.ts'

/** Connected. `limits`: the default deadline is long, so that a busy machine does not cause a timeout. */
export async function openConnection(
  t: Pick<TestContext, 'after'>,
  url: string,
  limits: Partial<ValkeyLimits> = { deadlineMs: 2_000 },
) {
  const connection = connectValkey({
    url,
    clock: systemClock,
    log: silentLog,
    limits: { ...defaultValkeyLimits, ...limits },
  })
  t.after(() => connection.close())
  await connection.ready(10_000)
  await until(async () => {
    await connection.call((client) => client.ping())
  })
  return connection
}

// Queries the Valkey of the settings, without a server.
// Tested by src/cli/doctor/shared-checks.test.ts
import { systemClock } from '../base/clock.ts'
import type { Config } from '../config/settings.ts'
import type { ExaminedValkey } from '../valkey/examine.ts'

/** Null: none is configured. Takes at most a few seconds. */
export async function queryShared({
  shared: { url },
}: Pick<Config, 'shared'>): Promise<ExaminedValkey | null> {
  if (url === null) return null
  const { examineValkey } = await import('../valkey/examine.ts')
  return await examineValkey(url, systemClock)
}

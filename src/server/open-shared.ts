// Opens the state that several nodes share over Valkey. Without `shared.url`, loads nothing.
// Tested by test/server/two-nodes.test.ts
import { hostname } from 'node:os'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/settings.ts'
import type { OpenValkey } from '../valkey/open-valkey.ts'

export async function openShared({
  config,
  settings,
  clock,
  log,
}: {
  /** Settings at the start. */
  readonly config: Pick<Config, 'shared' | 'node'>
  /** Current settings. */
  readonly settings: { readonly now: Pick<Config, 'limits'> }
  readonly clock: Clock
  readonly log: Log
}): Promise<OpenValkey | null> {
  const { url } = config.shared
  if (url === null) return null
  const { openValkey } = await import('../valkey/open-valkey.ts')
  return await openValkey({
    url,
    name: config.node.name,
    host: hostname(),
    alone: () => settings.now.limits.alone,
    clock,
    log,
  })
}

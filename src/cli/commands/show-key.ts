// An API key as text for people and as JSON for programs.
// Tested by test/cli/cli.test.ts
import type { ApiKey } from '../../access/accounts/accounts.ts'
import type { KeySettings } from '../../access/accounts/key-settings.ts'
import { systemClock } from '../../base/clock.ts'
import { showTime } from '../open-data.ts'
import { table } from '../report.ts'

/** An ApiKey for programs. Contains no secret. */
export function showKey(key: ApiKey): object {
  return {
    ...key,
    created: showTime(key.created),
    expires: showTime(key.expires),
    revoked: showTime(key.revoked),
    earlierSecretExpires: showTime(key.earlierSecretExpires),
  }
}

/** Settings and rotations of a key, one per line. */
export function describeSettings(key: ApiKey): string {
  const settings = Object.entries(key.settings).map(([name, value]) => [
    name,
    (value === null ? asNull[name] : isEmpty(value) ? asEmpty[name] : undefined) ??
      showSetting(value),
  ])
  const rotations = [
    ...(key.rotatedFrom === null ? [] : [['replaces', key.rotatedFrom]]),
    ...(key.earlierSecretExpires === null
      ? []
      : [['earlier secret', ending(key.earlierSecretExpires)]]),
  ]
  return table(['setting', 'value'], [...settings, ...rotations], '')
}

/** The meaning of null, for settings where it is not "no limit". */
const asNull: Readonly<Record<string, string>> = {
  importProfile: 'setting of the server',
  filesUploads: 'setting of the server',
  networks: 'all',
}
/** The meaning of an empty list, for settings where it is not "all". */
const asEmpty: Readonly<Record<string, string>> = {
  jwtAudiences: 'infura.io and the host names of the server',
  networks: 'none',
}

export function showSetting(value: KeySettings[keyof KeySettings]): string {
  if (value === null) return 'no limit'
  if (typeof value !== 'object') return String(value)
  return value.length === 0 ? 'all' : value.join(', ')
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Text for a past or future end. `time`: milliseconds since 1970 UTC. */
export function ending(time: number): string {
  return `${time > systemClock.now() ? 'ends' : 'ended'} ${showTime(time)}`
}

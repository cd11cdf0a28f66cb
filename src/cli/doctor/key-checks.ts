// Accounts and API keys: settings that cannot work, keys that expire soon, and keys that are too open for a public address.
// Tested by src/cli/doctor/doctor.test.ts
import { isLoopback } from '../../base/addresses.ts'
import type { ApiKey } from '../../access/accounts/accounts.ts'
import { type Config, networkNames } from '../../config/settings.ts'
import type { Data } from '../open-data.ts'
import { listKeyIds } from '../../tables/api-keys.ts'
import { keyRatesOf } from '../../server/open-gateway.ts'
import {
  warning,
  problem,
  type CommandLine,
  type Problem,
} from '../../server/network-checks/problem.ts'

const dayMs = 86_400_000
const soonMs = 7 * dayMs
const unusedMs = 90 * dayMs
/** Maximum number of warnings of one kind; the rest is only counted. */
const namedMax = 5

type Parts = {
  readonly data: Pick<Data, 'accounts' | 'rows'>
  readonly config: Config
  readonly now: number
  readonly command: CommandLine
}

export async function* checkKeys({ data, config, now, command }: Parts): AsyncGenerator<Problem> {
  const served = networkNames(config)
  const keys: ApiKey[] = []
  for (const { id } of await data.rows.find(listKeyIds())) {
    try {
      keys.push(await data.accounts.getKey(id))
    } catch {
      yield problem(
        'key_unreadable',
        `the settings of API key ${id} cannot be read: Cairn refuses the key`,
        command(`keys revoke ${id}`),
      )
    }
  }
  const works = (key: ApiKey) => key.revoked === null && (key.expires === null || key.expires > now)
  const working = keys.filter(works)
  if (keys.length > 0 && working.length === 0) {
    yield problem(
      'no_working_key',
      'every API key is revoked or has expired',
      command('keys create'),
    )
  }
  if (keys.length === 0 && (await data.accounts.listAccounts()).length > 0) {
    yield warning('no_key', 'no API keys', command('keys create'))
  }
  if (keys.some((key) => key.created > now + dayMs)) {
    yield problem(
      'clock_went_back',
      'the creation time of an API key is more than a day in the future: the system clock is or was wrong',
      'timedatectl set-ntp true; date -u shows the time',
    )
  }
  const replaced = new Set(working.map((key) => key.rotatedFrom))
  yield* some(working, (key) => {
    if (key.expires === null || key.expires > now + soonMs || replaced.has(key.id)) return null
    const at = new Date(key.expires).toISOString()
    return warning('key_ends_soon', `API key ${name(key)} expires ${at}`, command('keys create'))
  })
  yield* some(working, (key) => {
    if (key.lastUsedDay !== null || key.created > now - unusedMs) return null
    return warning(
      'key_never_used',
      `API key ${name(key)} is older than 90 days and was never used`,
      command(`keys revoke ${key.id}`),
    )
  })
  yield* some(working, (key) => {
    const unknown = key.settings.networks?.filter((network) => !served.includes(network)) ?? []
    if (unknown.length === 0) return null
    const text = `API key ${name(key)} permits only networks that are not served: ${unknown.join(', ')}`
    return problem(
      'key_unknown_network',
      text,
      command(`keys create --networks ${served.join(',')}`),
    )
  })
  yield* some(working, (key) => {
    const { unitsPerSecond, unitsPerDay } = key.settings
    if (unitsPerSecond !== 0 && unitsPerDay !== 0) return null
    return warning(
      'key_limit_zero',
      `API key ${name(key)} has a limit of 0: every request is refused`,
      command(`keys revoke ${key.id}`),
    )
  })
  if (config.card.adapter !== 'none') {
    yield* some(await data.accounts.listAccounts(), (account) => {
      if (account.hasCard || !working.some((key) => key.accountId === account.id)) return null
      const text = `account ${account.name} has no billing card: the IPFS API returns 402 for its keys`
      return warning('no_card', text, command(`card set ${account.name}`))
    })
  }
  if (!isLoopback(config.http.host)) yield* checkPublicKeys(working, config, command)
}

function* checkPublicKeys(
  working: readonly ApiKey[],
  config: Config,
  command: CommandLine,
): Generator<Problem> {
  const { http } = config
  const open = working.filter((key) => !key.settings.secretRequired).length
  if (open > 0) {
    yield warning(
      'no_secret_required',
      `${open} of ${working.length} API keys do not require their secret, and ${http.host} is public`,
      command('keys create --secret-required'),
    )
  }
  const endless = working.filter(
    ({ settings }) =>
      (settings.unitsPerSecond ?? keyRatesOf(config).unitsPerSecond) === null &&
      settings.unitsPerDay === null,
  ).length
  if (endless > 0) {
    yield warning(
      'no_limits',
      `${endless} of ${working.length} API keys have no limit, and ${http.host} is public`,
      command('keys create --units-per-second 500 --units-per-day 10000000'),
    )
  }
}

function* some<Row>(rows: readonly Row[], check: (row: Row) => Problem | null): Generator<Problem> {
  const found = rows.flatMap((row) => check(row) ?? [])
  yield* found.slice(0, namedMax)
  const more = found.length - namedMax
  const last = found.at(-1)
  if (more > 0 && last !== undefined) {
    yield { ...last, text: `${last.text}; ${more} more` }
  }
}

function name({ id, name: label }: ApiKey): string {
  return label === '' ? id : `${id} (${label})`
}

// Accounts and API keys: what cannot work, what ends soon, what is too open for a public address.
// Tested by src/cli/doctor/doctor.test.ts
import { isLoopback } from '../../base/loopback.ts'
import type { ApiKey } from '../../accounts/accounts.ts'
import { type Config, networkNames } from '../../config/settings.ts'
import type { Data } from '../open-data.ts'
import { keyRatesOf } from '../../key-rates.ts'
import { advice, problem, type CommandLine, type Problem } from './problem.ts'

const dayMs = 86_400_000
const soonMs = 7 * dayMs
const unusedMs = 90 * dayMs
/** Of one kind of advice; more are counted only. */
const namedMax = 5

type Parts = {
  readonly data: Pick<Data, 'accounts' | 'db'>
  readonly config: Config
  readonly now: number
  readonly command: CommandLine
}

export function* checkKeys({ data, config, now, command }: Parts): Generator<Problem> {
  const served = networkNames(config)
  const keys: ApiKey[] = []
  for (const { id } of data.db.all<{ id: string }>('SELECT id FROM api_key ORDER BY id')) {
    try {
      keys.push(data.accounts.getKey(id))
    } catch {
      yield problem(
        'key_unreadable',
        `the settings of the API key ${id} cannot be read: it is refused`,
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
  if (keys.length === 0 && data.accounts.listAccounts().length > 0) {
    yield advice('no_key', 'there is no API key yet', command('keys create'))
  }
  if (keys.some((key) => key.created > now + dayMs)) {
    yield problem(
      'clock_went_back',
      'an API key was made more than a day in the future: the clock of this machine is wrong, or was',
      'timedatectl set-ntp true; date -u shows the time',
    )
  }
  const replaced = new Set(working.map((key) => key.rotatedFrom))
  yield* some(working, (key) => {
    if (key.expires === null || key.expires > now + soonMs || replaced.has(key.id)) return null
    const at = new Date(key.expires).toISOString()
    return advice('key_ends_soon', `the API key ${name(key)} ends ${at}`, command('keys create'))
  })
  yield* some(working, (key) => {
    if (key.lastUsedDay !== null || key.created > now - unusedMs) return null
    return advice(
      'key_never_used',
      `the API key ${name(key)} was never used in 90 days`,
      command(`keys revoke ${key.id}`),
    )
  })
  yield* some(working, (key) => {
    const unknown = key.settings.networks?.filter((network) => !served.includes(network)) ?? []
    if (unknown.length === 0) return null
    const text = `the API key ${name(key)} is for the network ${unknown.join(', ')}, which is not served here`
    return problem(
      'key_unknown_network',
      text,
      command(`keys create --networks ${served.join(',')}`),
    )
  })
  yield* some(working, (key) => {
    const { unitsPerSecond, unitsPerDay } = key.settings
    if (unitsPerSecond !== 0 && unitsPerDay !== 0) return null
    return advice(
      'key_limit_zero',
      `the API key ${name(key)} has a limit of 0 and answers nothing`,
      command(`keys revoke ${key.id}`),
    )
  })
  if (config.card.adapter !== 'none') {
    yield* some(data.accounts.listAccounts(), (account) => {
      if (account.hasCard || !working.some((key) => key.accountId === account.id)) return null
      const text = `the account ${account.name} has no card: the file face answers 402 to its keys`
      return advice('no_card', text, command(`card set ${account.name}`))
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
    yield advice(
      'no_secret_required',
      `${open} of ${working.length} API keys work without their secret on ${http.host}`,
      command('keys create --secret-required'),
    )
  }
  const endless = working.filter(
    ({ settings }) =>
      (settings.unitsPerSecond ?? keyRatesOf(config).unitsPerSecond) === null &&
      settings.unitsPerDay === null,
  ).length
  if (endless > 0) {
    yield advice(
      'no_limits',
      `${endless} of ${working.length} API keys have no limit on ${http.host}`,
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
    yield { ...last, text: `${last.text}; so it is with ${more} more` }
  }
}

function name({ id, name: given }: ApiKey): string {
  return given === '' ? id : `${id} (${given})`
}

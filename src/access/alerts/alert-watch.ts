// Checks the limits of accounts with recent usage and sends one alert per limit, level and period: at 75, 85 and 100 % of a key's
// daily units, and of storage and transfer of accounts and keys. Writes the row of an alert before sending it.
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Rows } from '../../db/rows.ts'
import { insertSentLevels, deleteOldSentLevels, listSentLevels } from '../../tables/alerts.ts'
import type { KeyQuotas } from '../limits/transfer-meters.ts'
import { startOfMonth } from '../usage/transfer-counts.ts'
import { dayMs } from '../usage/usage-row.ts'
import type { Usage } from '../usage/usage.ts'
import type { AlertTargetRows, AlertTargets } from './alert-targets.ts'

type AlertLimit =
  | 'unitsPerDay'
  | 'filesStoredBytes'
  | 'filesUploadBytesPerMonth'
  | 'filesDownloadBytesPerMonth'

export type Alert = {
  readonly accountId: string
  readonly accountName: string
  /** Null: the limit belongs to the account. */
  readonly key: { readonly id: string; readonly name: string } | null
  readonly limit: AlertLimit
  /** Percent. */
  readonly level: Level
  readonly used: number
  readonly max: number
  /** Start of the day or month in UTC, milliseconds since 1970. */
  readonly period: number
  readonly time: number
}

type AccountQuotas = Omit<KeyQuotas, 'filesBodyBytes' | 'filesUploads'>

/** An account with its limits, and those of its keys; null = no limit. */
export type WatchedAccount = {
  readonly name: string
  readonly settings: AccountQuotas
  readonly keys: readonly {
    readonly id: string
    readonly name: string
    readonly settings: AccountQuotas & { readonly unitsPerDay: number | null }
  }[]
}

export type AlertWatch = {
  /** Checks the accounts that are due. Never rejects. */
  check(): Promise<void>
  stop(): void
}

const levels = [75, 85, 100] as const
type Level = (typeof levels)[number]

const periodMs = 5000
/** Maximum number of accounts per round; the rest waits for the next round. */
const accountsMax = 200
const sentRowsMaxAgeMs = 400 * dayMs

export function createAlertWatch(parts: {
  readonly usage: Pick<Usage, 'onFlush' | 'unitsToday' | 'bytesThisMonth'>
  readonly targets: Pick<AlertTargetRows, 'get'>
  /** Null: there is no such account. */
  readonly findAccount: (accountId: string) => Promise<WatchedAccount | null>
  readonly storedBytes: (accountId: string) => number | Promise<number>
  readonly send: (alert: Alert, targets: AlertTargets) => void
  readonly rows: Rows
  readonly clock: Clock
  readonly log: Log
}): AlertWatch {
  const { usage, targets, rows, clock, log } = parts
  // Account ID -> quotas that refused requests because they were full, as `what` of a limit.
  const due = new Map<string, Set<string>>()
  let checking: Promise<void> | null = null

  const unsubscribe = usage.onFlush((rows) => {
    for (const row of rows) {
      const refused = due.get(row.accountId) ?? new Set<string>()
      due.set(row.accountId, refused)
      if (row.outcome === 'over_quota' && row.reason === '') refused.add(row.keyId)
    }
  })

  async function checkAccount(accountId: string, refused: ReadonlySet<string>): Promise<void> {
    const recipients = await targets.get(accountId)
    if (recipients.emails.length + recipients.webhooks.length === 0) return
    const account = await parts.findAccount(accountId)
    if (account === null) return
    for (const measured of await measure(accountId, account, refused)) {
      const level = await newLevel(accountId, measured)
      if (level === null) continue
      const { limit, key, used, max, period } = measured
      const named = { accountId, accountName: account.name, key, limit }
      parts.send({ ...named, level, used, max, period, time: clock.now() }, recipients)
    }
  }

  async function measure(
    accountId: string,
    account: WatchedAccount,
    refused: ReadonlySet<string>,
  ): Promise<readonly Measured[]> {
    const now = clock.now()
    const month = startOfMonth(now)
    const stored = await parts.storedBytes(accountId)
    const found: Measured[] = []
    const add = (one: Omit<Measured, 'max' | 'full'>, max: number | null, full = false): void => {
      if (max !== null && max > 0) found.push({ ...one, max, full })
    }
    const addBytes = async (
      key: Alert['key'],
      keyIds: readonly string[],
      limits: AccountQuotas,
    ): Promise<void> => {
      const { filesStoredBytes, filesUploadBytesPerMonth, filesDownloadBytesPerMonth } = limits
      const shared = { key, period: month }
      add({ ...shared, limit: 'filesStoredBytes', used: stored }, filesStoredBytes)
      if (filesUploadBytesPerMonth === null && filesDownloadBytesPerMonth === null) return
      const { up, down } = await usage.bytesThisMonth(keyIds)
      add({ ...shared, limit: 'filesUploadBytesPerMonth', used: up }, filesUploadBytesPerMonth)
      add(
        { ...shared, limit: 'filesDownloadBytesPerMonth', used: down },
        filesDownloadBytesPerMonth,
      )
    }
    await addBytes(
      null,
      account.keys.map(({ id }) => id),
      account.settings,
    )
    for (const { id, name, settings } of account.keys) {
      const key = { id, name }
      await addBytes(key, [id], settings)
      if (settings.unitsPerDay === null) continue
      const used = await usage.unitsToday(id)
      const today = { key, limit: 'unitsPerDay', used, period: now - (now % dayMs) } as const
      // A call that exceeds the limit is refused, so the day's quota is full although some units remain.
      add(today, settings.unitsPerDay, refused.has(id))
    }
    return found
  }

  /** The highest reached level without an alert. Writes its row before it returns. */
  async function newLevel(accountId: string, measured: Measured): Promise<Level | null> {
    const { used, max, full, period } = measured
    const reached = levels.filter((level) => used * 100 >= level * max || (full && level <= 100))
    if (reached.length === 0) return null
    const what = `${measured.limit} ${measured.key?.id ?? ''}`.trim()
    const alertKey = { accountId, what, period }
    const sent = await rows.find(listSentLevels(alertKey))
    const sentLevels = new Set(sent.map(({ level }) => level))
    const unsentLevels = reached.filter((level) => !sentLevels.has(level))
    const highest = unsentLevels.at(-1)
    if (highest === undefined) return null
    const now = clock.now()
    const [added] = await rows.write([
      insertSentLevels(alertKey, [highest], now),
      insertSentLevels(alertKey, unsentLevels, now),
      deleteOldSentLevels(accountId, now - sentRowsMaxAgeMs),
    ])
    // Another process wrote the row first and sends the alert.
    if (added === 0) return null
    // No alert for a level below the last one that was sent.
    return highest > Math.max(0, ...sentLevels) ? highest : null
  }

  function check(): Promise<void> {
    checking ??= checkAll().finally(() => (checking = null))
    return checking
  }

  async function checkAll(): Promise<void> {
    try {
      for (const [accountId, refused] of [...due].slice(0, accountsMax)) {
        due.delete(accountId)
        try {
          await checkAccount(accountId, refused)
        } catch (error) {
          // Queue it last, so that an account that can never be read does not block the others.
          due.set(accountId, new Set([...refused, ...(due.get(accountId) ?? [])]))
          throw error
        }
      }
    } catch (error) {
      log('error', 'alerts_not_looked_at', { error })
    }
  }

  const stopChecking = clock.every(periodMs, () => void check())
  return {
    check,
    stop() {
      stopChecking()
      unsubscribe()
    },
  }
}

type Measured = Pick<Alert, 'key' | 'limit' | 'used' | 'max' | 'period'> & {
  /** The quota has refused a request. */
  readonly full: boolean
}

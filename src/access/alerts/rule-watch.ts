// Checks the rules of accounts on errors and latency against the usage of the last minutes, and sends one alert when an incident
// starts and one when it ends. A rule is violated above its limit, with a minimum number of calls; the incident ends at 80 % of the
// limit, or without calls: a value that moves around the limit is one incident. The row of an incident is written before its alert
// is sent, so several processes and a restart send it only once.
// Tested by src/access/alerts/rule-watch.test.ts, test/admin/admin-alerts.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { outcomeClassOf } from '../../base/outcome-class.ts'
import { latencyColumns } from '../../db/migrations.ts'
import type { Rows } from '../../db/rows.ts'
import {
  deleteIncident,
  insertIncident,
  listAlertRules,
  listIncidents,
} from '../../tables/alerts.ts'
import { countLatencyByStart, holders, spans, sumUsageByOutcome } from '../../tables/usage.ts'
import { minuteMs, Tally } from '../usage/usage-row.ts'
import { startOf } from '../usage/usage-window.ts'
import { type AlertRule, type AlertTargets, ruleName, settingsOf } from './alert-targets.ts'

export type RuleAlert = {
  readonly accountId: string
  readonly accountName: string
  /** Null: the rule applies to all calls of the account. */
  readonly key: { readonly id: string; readonly name: string } | null
  readonly rule: AlertRule
  readonly state: 'open' | 'resolved'
  /** Percent of calls, or milliseconds; null: there were no calls. */
  readonly value: number | null
  /** Number of calls in the window. */
  readonly calls: number
  /** Start of the incident, milliseconds since 1970. */
  readonly since: number
  readonly time: number
}

/** An account and its keys, except revoked ones. */
type NamedAccount = {
  readonly name: string
  readonly keys: readonly { readonly id: string; readonly name: string }[]
}

export type RuleWatch = {
  /** Checks the rules of the next accounts. Never rejects. */
  check(): Promise<void>
  stop(): void
}

const periodMs = 10_000
/** Accounts with rules per query; a round reads several pages. */
const pageRows = 200
/** Maximum number of accounts per round; the rest waits for the next one. */
const accountsMax = 2_000
/** Minimum number of calls to violate a rule: otherwise one failure of three would be an incident. */
const callsMin = 20
const resolveShare = 0.8

export function createRuleWatch(parts: {
  /** Null: the account does not exist. */
  readonly findAccount: (accountId: string) => Promise<NamedAccount | null>
  readonly send: (alert: RuleAlert, targets: AlertTargets) => void
  readonly rows: Rows
  readonly clock: Clock
  readonly log: Log
}): RuleWatch {
  const { rows, clock, log } = parts
  /** ID of the account that was checked last; empty: start with the first. */
  let cursor = ''
  let checking: Promise<void> | null = null

  async function measure(
    accountId: string,
    { measure: measured, minutes, key }: AlertRule,
  ): Promise<{ readonly value: number | null; readonly calls: number }> {
    const holder = key ?? holders.account(accountId)
    const from = startOf(spans.minute, clock.now()) - minutes * minuteMs
    const range = { span: spans.minute, from, until: null }
    if (measured === 'p95' || measured === 'p99') {
      const tally = new Tally()
      for (const { counts, part } of await rows.find(countLatencyByStart(holder, range))) {
        tally.addLatency(JSON.parse(counts) as number[], part * latencyColumns.length)
      }
      const { latency } = tally.part()
      const value = measured === 'p95' ? latency?.p95Ms : latency?.p99Ms
      return { value: value ?? null, calls: latency?.calls ?? 0 }
    }
    let calls = 0
    let wrong = 0
    for (const { outcome, requests } of await rows.find(sumUsageByOutcome(holder, range))) {
      calls += requests
      const isWrong =
        measured === 'errors' ? outcome !== 'ok' : outcomeClassOf(outcome) === 'failed'
      if (isWrong) wrong += requests
    }
    return { value: calls === 0 ? null : (wrong / calls) * 100, calls }
  }

  async function checkAccount(
    accountId: string,
    rules: readonly AlertRule[],
    targets: AlertTargets,
  ): Promise<void> {
    const account = await parts.findAccount(accountId)
    if (account === null) return
    const incidents = new Map(
      (await rows.find(listIncidents(accountId))).map(({ what, since }) => [what, since]),
    )
    for (const rule of rules) {
      const name = ruleName(rule)
      const since = incidents.get(name) ?? null
      const key = account.keys.find(({ id }) => id === rule.key) ?? null
      // A revoked key has no calls, so its rule is skipped; its incident is removed below.
      if (rule.key !== null && key === null) continue
      incidents.delete(name)
      const { value, calls } = await measure(accountId, rule)
      const now = clock.now()
      const isOpening = since === null && calls >= callsMin && (value ?? 0) > rule.above
      const isResolved = since !== null && (value === null || value <= rule.above * resolveShare)
      if (!isOpening && !isResolved) continue
      const [changed] = await rows.write([
        isOpening ? insertIncident(accountId, name, now) : deleteIncident(accountId, name),
      ])
      // Another process wrote the row first and sends the alert.
      if (changed === 0) continue
      parts.send(
        {
          accountId,
          accountName: account.name,
          key: key === null ? null : { id: key.id, name: key.name },
          rule,
          state: isOpening ? 'open' : 'resolved',
          value,
          calls,
          since: since ?? now,
          time: now,
        },
        targets,
      )
    }
    // Incidents of rules that were removed or changed, or whose key was revoked.
    const orphaned = [...incidents.keys()].map((what) => deleteIncident(accountId, what))
    if (orphaned.length > 0) await rows.write(orphaned)
  }

  async function checkAll(): Promise<void> {
    try {
      for (let checked = 0; checked < accountsMax;) {
        const page = await rows.find(listAlertRules(cursor, pageRows))
        for (const row of page) {
          const { rules, ...targets } = settingsOf(row)
          // Advance first: an account that can never be read must not block the others.
          cursor = row.account_id
          const hasTargets = targets.emails.length + targets.webhooks.length > 0
          // Without recipients no rule is checked, so all incidents end.
          await checkAccount(row.account_id, hasTargets ? rules : [], targets)
        }
        checked += page.length
        if (page.length < pageRows) {
          cursor = ''
          return
        }
      }
    } catch (error) {
      log('error', 'alert_rules_not_checked', { error })
    }
  }

  function check(): Promise<void> {
    checking ??= checkAll().finally(() => (checking = null))
    return checking
  }

  const stop = clock.every(periodMs, () => void check())
  return { check, stop }
}

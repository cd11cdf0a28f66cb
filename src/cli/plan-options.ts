// Options of `keys create` and `keys set` other than settings (plan and expiry), and the account of a key by the key's ID.
// Tested by test/cli/cli-keys.test.ts
import type { Command } from 'commander'
import { type PlanName, plans } from '../access/accounts/plans.ts'
import { systemClock } from '../base/clock.ts'
import type { AdminAccess } from './admin-access.ts'
import { parseDuration } from './duration.ts'
import { UsageError } from './usage-error.ts'

export type PlanOptions = {
  readonly plan?: PlanName
  /** Milliseconds since 1970. Commander treats null as an absent value. */
  readonly expires?: number | 'never'
}

const planNames = Object.keys(plans).join(', ')

export function addPlanOptions(command: Command): Command {
  return command
    .option('--plan <name>', `preset of limits: ${planNames}`, parsePlan)
    .option(
      '--expires <time>',
      'expiry: a duration such as 90d or 12h, a date such as 2030-01-31, or never',
      parseEnd,
    )
}

/** The path parameters of operations on one key. Throws if no key has this ID. */
export async function placeOf(
  admin: AdminAccess,
  id: string,
): Promise<{ readonly account: string; readonly key: string }> {
  const { key } = await admin.call('GET /keys/{key}', { key: id })
  return { account: key.accountId, key: key.id }
}

function parsePlan(text: string): PlanName {
  if (Object.hasOwn(plans, text)) return text as PlanName
  throw new UsageError(`--plan is "${text}", expected one of ${planNames}`)
}

/** The expiry in the form that operations take. */
export function endOf({ expires }: PlanOptions): number | null | undefined {
  return expires === 'never' ? null : expires
}

function parseEnd(text: string): number | 'never' {
  if (text === 'never') return text
  const day = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/.test(text)
  const time = day ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return time
  return systemClock.now() + parseDuration('--expires', text)
}

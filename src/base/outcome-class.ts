// Classifies the outcome of a call: answered, error of the caller, refused by a rule, or failed on the server side. Pure.
// Tested by src/base/outcome-class.test.ts

/** Order of the chart, from the bottom. */
export const outcomeClasses = ['answered', 'caller', 'refused', 'failed'] as const

export type OutcomeClass = (typeof outcomeClasses)[number]

/** Refused by credentials, settings of the key, limits or deny lists. */
const refused: ReadonlySet<string> = new Set([
  'no_credential',
  'bad_key',
  'bad_secret',
  'bad_token',
  'no_card',
  'refused_by_setting',
  'browser_refused',
  'over_rate',
  'over_quota',
  'over_burst',
  'denied',
  'denied_legally',
])

/** Failures of the server, its store or its upstreams. */
const failed: ReadonlySet<string> = new Set([
  'command_failed',
  'unprovable',
  'unverified',
  'no_upstream',
  'deadline',
  'overloaded',
  'shutting_down',
  'no_space',
  'damaged',
  'internal',
])

/** `outcome`: `ok` or a code of the error table. */
export function outcomeClassOf(outcome: string): OutcomeClass {
  if (outcome === 'ok') return 'answered'
  if (refused.has(outcome)) return 'refused'
  return failed.has(outcome) ? 'failed' : 'caller'
}

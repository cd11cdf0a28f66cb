// Words for outcomes of calls: who is responsible, and a title for each code. Pure.
// Tested by dashboard/app/outcome.test.ts
import { type OutcomeClass, outcomeClassOf } from '../../src/base/outcome-class.ts'
import type { Tone } from '../ui/badge.tsx'

export const classTitles: Readonly<Record<OutcomeClass, string>> = {
  answered: 'Answered',
  caller: 'Caller errors',
  refused: 'Refused',
  failed: 'Failed',
}

/** Who is responsible for the outcome of a call. */
export const responsibility: Readonly<Record<OutcomeClass, string>> = {
  answered: 'Answered',
  caller: 'Caller',
  refused: 'Refused',
  failed: 'Failed',
}

const tones: Readonly<Record<OutcomeClass, Tone>> = {
  answered: 'good',
  caller: 'warn',
  refused: 'plain',
  failed: 'bad',
}

const titles: Readonly<Record<string, string>> = {
  ok: 'Answered',
  bad_json: 'Invalid JSON',
  bad_envelope: 'Invalid request',
  too_large: 'Body too large',
  no_credential: 'No key',
  bad_key: 'Unknown key',
  bad_secret: 'Wrong secret',
  bad_token: 'Invalid JWT',
  no_card: 'No card',
  browser_refused: 'Browser refused',
  no_network: 'Unknown network',
  no_command: 'Unknown command',
  command_not_offered: 'Command not available',
  method_not_offered: 'Method not available',
  no_method: 'Unknown method',
  over_rate: 'Rate limit reached',
  over_quota: 'Limit used up',
  over_burst: 'Too many units at once',
  over_range: 'Too many results',
  bad_params: 'Invalid params',
  bad_argument: 'Invalid argument',
  command_failed: 'Command failed',
  denied: 'On the deny list',
  reverted: 'Reverted',
  execution_failed: 'Execution failed',
  unknown_block: 'Unknown block',
  no_state: 'State not available',
  pruned: 'History pruned',
  unprovable: 'Cannot be proved',
  unverified: 'No valid reply',
  upstream_said: 'Error of the upstream',
  no_upstream: 'No upstream',
  deadline: 'Timed out',
  hung_up: 'Caller disconnected',
  overloaded: 'Overloaded',
  shutting_down: 'Shutting down',
  no_space: 'Disk full',
  internal: 'Internal error',
}

const settings: Readonly<Record<string, string>> = {
  origin: 'Site not allowed for this key',
  allowOrigins: 'Site not allowed for this key',
  allowMethods: 'Method not allowed for this key',
  allowAddresses: 'Contract not allowed for this key',
  allowIps: 'Address not allowed for this key',
  allowUserAgents: 'User agent not allowed for this key',
  networks: 'Network not allowed for this key',
  secretRequired: 'Secret missing',
  jwtRequired: 'JWT missing',
  files: 'IPFS API not allowed for this key',
}

/** `outcome`: `ok` or a code; `reason`: for a refusal, the setting. */
export function outcomeTitle(outcome: string, reason: string | null = null): string {
  if (outcome === 'refused_by_setting') {
    return settings[reason ?? ''] ?? 'Not allowed for this key'
  }
  return titles[outcome] ?? sentence(outcome)
}

export function outcomeTone(outcome: string): Tone {
  return tones[outcomeClassOf(outcome)]
}

/** `nonce_too_low` becomes `Nonce too low`. */
function sentence(code: string): string {
  const text = code.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

// Maps a refusal to the setting that caused it and to the owner of that setting, so that the user can find and change it.
// Tested by src/admin/dry-run.test.ts
import type { Caller } from '../access/accounts/caller.ts'
import type { Fault, FaultCode } from '../base/fault.ts'
import type { CommandClass } from '../kubo/kubo-command.ts'

/**
 * `setting`: as in KeySettings, AccountSettings or the claims of a JWT, or a dotted server setting; also `revoked`, `expires`,
 * `secret`, `publicKeys` and `card`, which are not settings. `of`: the owner of the setting; `request`: the caller.
 */
export type DenyReason = {
  readonly setting: string
  readonly of: 'key' | 'account' | 'server' | 'jwt' | 'request'
}

export type RefusedAt = {
  /** Null: the request was not authenticated. */
  readonly caller: Caller | null
  readonly face: 'rpc' | 'files'
  /** Class of an IPFS command. */
  readonly commandClass: CommandClass | null
  /** The exhausted quota belongs to the account, not to the key. */
  readonly ofAccount: boolean
}

/** Null: no setting caused the refusal; the message describes the error in the request. */
export function denyReasonOf(fault: Fault, at: RefusedAt): DenyReason | null {
  const { reason = '' } = (typeof fault.data === 'object' ? fault.data : {}) as { reason?: string }
  return rules[fault.code]?.(reason, at, fault) ?? null
}

const rules: Readonly<
  Partial<Record<FaultCode, (reason: string, at: RefusedAt, fault: Fault) => DenyReason | null>>
> = {
  bad_key: (reason) => ({ setting: reason === 'expired' ? 'expires' : 'revoked', of: 'key' }),
  bad_secret: () => ({ setting: 'secret', of: 'request' }),
  no_credential: () => ({ setting: 'secret', of: 'request' }),
  bad_token: (reason) => tokenRules[reason] ?? { setting: 'jwt', of: 'request' },
  refused_by_setting: settingRule,
  method_not_offered: (reason) =>
    reason === 'dev_methods' ? { setting: 'devMethods', of: 'key' } : null,
  no_card: () => ({ setting: 'card', of: 'account' }),
  no_network: () => ({ setting: 'networks', of: 'server' }),
  over_burst: () => ({ setting: 'unitsPerSecond', of: 'key' }),
  over_rate: rateRule,
  over_quota: quotaRule,
  too_large: () => ({ setting: 'filesBodyBytes', of: 'key' }),
}

const tokenRules: Readonly<Record<string, DenyReason>> = {
  required: { setting: 'jwtRequired', of: 'key' },
  kid: { setting: 'publicKeys', of: 'key' },
  algorithm: { setting: 'publicKeys', of: 'key' },
  signature: { setting: 'publicKeys', of: 'key' },
  audience: { setting: 'jwtAudiences', of: 'key' },
  expired: { setting: 'exp', of: 'jwt' },
  not_yet: { setting: 'nbf', of: 'jwt' },
  lifetime: { setting: 'exp', of: 'jwt' },
}

/** By reason: the allowlist of the key, and the JWT claim that replaces it. */
const lists: Readonly<Record<string, readonly [setting: string, claim: string]>> = {
  ip: ['allowIps', 'allowIps'],
  origin: ['allowOrigins', 'origins'],
  user_agent: ['allowUserAgents', 'user_agents'],
  method: ['allowMethods', 'methods'],
  address: ['allowAddresses', 'addresses'],
}

function settingRule(reason: string, { caller, commandClass }: RefusedAt): DenyReason | null {
  const list = lists[reason]
  if (list !== undefined) {
    const [setting, claim] = list
    return caller?.jwt?.bringsLists === true
      ? { setting: claim, of: 'jwt' }
      : { setting, of: 'key' }
  }
  if (reason === 'secret_required') return { setting: 'secretRequired', of: 'key' }
  if (reason === 'network') return { setting: 'networks', of: 'key' }
  if (reason !== 'files') return null
  // The IPFS API is disabled for the key, or its rate is 0.
  return caller?.settings.files === false
    ? { setting: 'files', of: 'key' }
    : { setting: fileRate(commandClass), of: 'key' }
}

function rateRule(
  _reason: string,
  { face, caller, commandClass }: RefusedAt,
  fault: Fault,
): DenyReason {
  if (face === 'rpc') return { setting: 'unitsPerSecond', of: 'key' }
  // Either a rate limit, or a limit of concurrent requests.
  if (typeof fault.data === 'object' && fault.data['rate'] !== undefined) {
    return { setting: fileRate(commandClass), of: 'key' }
  }
  return caller?.settings.filesUploads === null
    ? { setting: 'files.uploadsPerKeyMax', of: 'server' }
    : { setting: 'filesUploads', of: 'key' }
}

function quotaRule(_reason: string, { face, ofAccount }: RefusedAt, fault: Fault): DenyReason {
  if (face === 'rpc') return { setting: 'unitsPerDay', of: 'key' }
  const stored = fault.message.includes('storage')
  const setting = stored ? 'filesStoredBytes' : 'filesUploadBytesPerMonth'
  return { setting, of: ofAccount ? 'account' : 'key' }
}

function fileRate(commandClass: CommandClass | null): string {
  return commandClass === 'write' ? 'filesWritesPerSecond' : 'filesReadsPerSecond'
}

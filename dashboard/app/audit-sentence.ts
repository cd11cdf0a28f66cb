// Records of the audit log in words: what was done to what, and the values that were set. Pure.
// Tested by dashboard/app/audit-sentence.test.ts
import type { AdminReply } from '../../src/admin/client.ts'
import { formatDay, formatNumber } from './format.ts'

export type AuditRecord = AdminReply<'GET /accounts/{account}/audit'>['records'][number]

/** `{actor} {words} {target}`; `details`: names and new values. */
type AuditSentence = {
  readonly actor: string
  readonly words: string
  /** Null: the words say everything. */
  readonly target: string | null
  /** Path below the dashboard of the target, if it has a page. */
  readonly to: string | null
  readonly details: readonly (readonly [name: string, value: string])[]
}

/** The words before the target, by operation. */
const actions: Readonly<Record<string, string>> = {
  beginBackup: 'started a backup',
  addDenial: 'blocked',
  removeDenial: 'unblocked',
  unlinkIdentityOf: 'removed the OpenID identity of',
  linkIdentity: 'linked an OpenID identity',
  unlinkIdentity: 'removed their OpenID identity',
  addNetwork: 'added network',
  changeNetwork: 'changed network',
  removeNetwork: 'removed network',
  addPasskey: 'added a passkey',
  removePasskey: 'removed a passkey',
  enrolTotp: 'started to set up an authenticator',
  confirmTotp: 'turned on the authenticator',
  removeTotp: 'turned off the authenticator',
  createToken: 'created an access token',
  revokeToken: 'revoked an access token',
  changePassword: 'changed their password',
  changeMe: 'changed their profile',
  endSession: 'ended a session',
  endOtherSessions: 'ended their other sessions',
  changePin: 'changed the pin',
  markCard: 'changed the card mark',
  removeCard: 'removed the card',
  refreshCard: 'updated the card from Stripe',
  beginCard: 'opened the card form',
  signIn: 'signed in',
  signInWithPasskey: 'signed in with a passkey',
  signInWithOpenId: 'signed in with OpenID',
  signOut: 'signed out',
  removePinRequest: 'removed a request to pin',
  exportIpnsKey: 'exported the IPNS key',
  clearRequests: 'cleared the recorded requests of key',
  replayRequest: 'ran a recorded request again with key',
  leaveAccount: 'left the account',
  addMember: 'added member',
  changeMember: 'changed the role of',
  removeMember: 'removed member',
  changeAlerts: 'changed the alerts',
  createKey: 'created key',
  changeKey: 'changed key',
  revokeKey: 'revoked key',
  rotateKey: 'rotated key',
  rotateSecret: 'rotated the secret of key',
  addPublicKey: 'added a public key to key',
  removePublicKey: 'removed a public key',
  createAccount: 'created account',
  changeAccount: 'changed the account',
  setProvide: 'changed who can read the pins',
  signUpByInvitation: 'signed up',
  acceptInvitation: 'accepted an invitation',
  invite: 'invited',
  inviteAnyone: 'invited',
  withdrawInvitation: 'withdrew an invitation',
  withdrawAnyInvitation: 'withdrew an invitation',
  endSessionsOf: 'ended the sessions of',
  setPassword: 'set the password of',
  resetTotp: 'reset the authenticator of',
  changePerson: 'changed',
}

/** Operations whose target is left out, because the words name it or it is a bare ID. */
const withoutTarget =
  /^(beginBackup|linkIdentity|unlinkIdentity|.*Passkey|.*Totp|.*Token|changePassword|changeMe|end(Session|OtherSessions)|.*Card|signIn.*|signOut|removePinRequest|leaveAccount|changeAlerts|removePublicKey|changeAccount|setProvide|signUpByInvitation|acceptInvitation|withdraw.*)$/

const fields: Readonly<Record<string, string>> = {
  unitsPerDay: 'Daily limit',
  unitsPerSecond: 'Rate',
  expires: 'Expires',
  networks: 'Networks',
  secretRequired: 'Secret required',
  jwtRequired: 'JWT required',
  files: 'IPFS API',
  inspect: 'Recording',
  inspectBodies: 'Params and results',
  inspectAddresses: 'Caller addresses',
  allowOrigins: 'Allowed sites',
  allowMethods: 'Allowed methods',
  allowIps: 'Allowed addresses',
  allowAddresses: 'Allowed contracts',
  allowUserAgents: 'Allowed user agents',
  hasCard: 'Card',
  provide: 'Readers',
  role: 'Role',
  email: 'Email',
  name: 'Name',
  isOperator: 'Operator',
  disabled: 'Disabled',
  overlapMs: 'The old one works for',
}

/** `nameOf`: names of keys and people by their IDs. */
export function auditSentence(
  { action, actor, actorName, target, changes }: AuditRecord,
  nameOf: ReadonlyMap<string, string>,
): AuditSentence {
  const unnamed = actor === 'local' ? 'Command line' : actor
  const who = nameOf.get(actor) ?? (actorName === '' ? unnamed : actorName)
  const known = target === null ? undefined : nameOf.get(target)
  const email = changes['email']
  const invited = action.startsWith('invite') && typeof email === 'string' ? email : null
  const isKey = /key/i.test(action) && known !== undefined
  const shown = invited ?? known ?? shortened(target)
  return {
    actor: who,
    words: actions[action] ?? sentence(action),
    target: withoutTarget.test(action) ? null : shown,
    to: isKey && target !== null ? `/keys/${target}` : null,
    details: detailsOf(changes).filter(([name]) => invited === null || name !== 'Email'),
  }
}

/** The beginning of an ID that has no name; other targets are names. */
function shortened(target: string | null): string | null {
  if (target === null) return null
  return /^[0-9a-f]{8}-[0-9a-f]{4}-/.test(target) ? `${target.slice(0, 8)}…` : target
}

const detailsMax = 6

function detailsOf(
  changes: Readonly<Record<string, unknown>>,
): readonly (readonly [string, string])[] {
  const flat = Object.entries(changes).flatMap(([name, value]): [string, unknown][] =>
    name === 'settings' && typeof value === 'object' && value !== null
      ? Object.entries(value)
      : [[name, value]],
  )
  return flat
    .filter(([, value]) => value !== '' && value !== undefined)
    .slice(0, detailsMax)
    .map(([name, value]) => [fields[name] ?? sentence(name), valueOf(name, value)])
}

function valueOf(name: string, value: unknown): string {
  if (value === null) return name === 'expires' ? 'never' : 'no limit'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'number') {
    if (name === 'expires') return formatDay(value)
    if (name.endsWith('Ms')) return durationOf(value)
    return `${formatNumber(value)}${name.startsWith('units') ? ' units' : ''}`
  }
  if (Array.isArray(value)) return value.length === 0 ? 'all' : value.map(textOf).join(', ')
  return textOf(value)
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, inner]) => `${sentence(name).toLowerCase()} ${textOf(inner)}`)
    .join(', ')
}

const hourMs = 3_600_000

function durationOf(ms: number): string {
  if (ms === 0) return 'no longer'
  return ms >= 24 * hourMs ? `${ms / (24 * hourMs)} d` : `${ms / hourMs} h`
}

/** `createKey` becomes `create key`. */
function sentence(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

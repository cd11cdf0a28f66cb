// Records of the audit log in words: what was done to what, and the old and new values. Pure.
// Tested by dashboard/app/audit-sentence.test.ts
import type { AdminReply } from '../../src/admin/client.ts'
import { type AuditDetail, detailsOf, fields } from './audit-details.ts'

export type AuditRecord = AdminReply<'GET /accounts/{account}/audit'>['records'][number]

/** `{actor} {verb} {target}` */
type AuditSentence = {
  readonly actor: string
  readonly verb: string
  /** Null: the verb needs no target. */
  readonly target: string | null
  /** Path below the dashboard of the target, if it has a page. */
  readonly to: string | null
  readonly details: readonly AuditDetail[]
}

/** The words before the target, by operation. */
const actions: Readonly<Record<string, string>> = {
  beginBackup: 'started a backup',
  sendTestMail: 'sent a test mail',
  sendTestAlert: 'sent a test alert',
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
  announcePin: 'requested an announcement of the pin',
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
  showSecondFactor: 'showed a second factor',
  applySignInRule: 'got or lost a role by a sign-in rule:',
}

/** Filters of the log: the first whose form the ID of an operation matches. */
const groups = [
  { name: 'networks', title: 'networks', form: /Network$/ },
  { name: 'signIn', title: 'sign-ins', form: /^(sign(In|Out)|showSecond)/ },
  {
    name: 'credentials',
    title: 'passwords, passkeys, tokens',
    form: /pass(key|word)|totp|token|session|identity/i,
  },
  {
    name: 'people',
    title: 'people and members',
    form: /invit|member|person|leave|changeMe|Rule$/i,
  },
  { name: 'files', title: 'files', form: /pin|ipns|denial|provide/i },
  { name: 'keys', title: 'API keys', form: /key|secret|request/i },
  { name: 'account', title: 'accounts and billing', form: /account|card|alert/i },
  { name: 'server', title: 'server', form: /backup|mail/i },
] as const

/** `actions`: IDs of operations, as the filter of the API takes them. */
export const auditGroups: readonly {
  readonly name: string
  readonly title: string
  readonly actions: string
}[] = groups.map(({ name, title, form }) => ({
  name,
  title,
  actions: Object.keys(actions)
    .filter((action) => groups.find((one) => one.form.test(action))?.form === form)
    .join(),
}))

const unnamedActors: readonly (readonly [actor: string, title: string])[] = [
  ['local', 'Command line'],
  ['anyone', 'Signed-out client'],
]

/** Maximum number of lines that the API accepts. */
const linesMax = 20

/**
 * Converts `typed` to a search text for the API: records contain IDs, members and numbers where the page shows names, titles and
 * grouped digits. `nameOf`: as for `auditSentence`.
 */
export function auditSearch(typed: string, nameOf: ReadonlyMap<string, string>): string {
  const text = typed.trim().toLowerCase()
  const digits = /^\d{1,3}(,\d{3})+$/.test(text) ? [text.replaceAll(',', '')] : []
  const shown = [...nameOf, ...unnamedActors, ...Object.entries(fields), ...Object.entries(actions)]
    .filter(([, words]) => words.toLowerCase().includes(text))
    .map(([recorded]) => recorded)
  return [...new Set([typed.trim(), ...digits, ...shown])].slice(0, linesMax).join('\n')
}

/** Operations whose target is omitted, because the words name it or it is only an ID. */
const withoutTarget =
  /^(beginBackup|sendTestMail|sendTestAlert|linkIdentity|unlinkIdentity|.*Passkey|.*Totp|.*Token|changePassword|changeMe|end(Session|OtherSessions)|.*Card|signIn.*|signOut|showSecondFactor|removePinRequest|leaveAccount|changeAlerts|removePublicKey|changeAccount|setProvide|signUpByInvitation|acceptInvitation)$/

/** `nameOf`: names of keys, people and accounts by ID. For other IDs, the name in the record is used. */
export function auditSentence(
  record: AuditRecord,
  nameOf: ReadonlyMap<string, string>,
): AuditSentence {
  const { action, actor, actorName, target, targetName, changes } = record
  const unnamed = unnamedActors.find(([name]) => name === actor)?.[1] ?? actor
  const isPerson = actorName !== '' && actorName !== actor
  const actorText = nameOf.get(actor) ?? (isPerson ? actorName : unnamed)
  const known = target === null ? undefined : (nameOf.get(target) ?? targetName ?? undefined)
  const email = changes['email']
  const invited = action.startsWith('invite') && typeof email === 'string' ? email : null
  const details = detailsOf(record, nameOf)
  return {
    actor: actorText,
    verb: verbOf(record),
    target: withoutTarget.test(action) ? null : (invited ?? known ?? shortened(target)),
    to: pageOf(record, known !== undefined),
    details: details.filter(({ name }) => invited === null || name !== 'Email'),
  }
}

const limits = /^(units|files[A-Z])/
const lists = /^allow/

function verbOf({ action, changes, previous }: AuditRecord): string {
  const changed = previous === null ? [] : Object.keys({ ...previous, ...changes })
  if (action === 'changeKey' && changed.length > 0) {
    if (changed.every((name) => limits.test(name))) return 'changed the limits of key'
    if (changed.every((name) => lists.test(name))) return 'changed the allowlists of key'
    if (changed.join() === 'inspect') {
      return `turned ${changes['inspect'] === true ? 'on' : 'off'} request recording for key`
    }
  }
  return actions[action] ?? sentence(action)
}

function pageOf({ action, target }: AuditRecord, isNamed: boolean): string | null {
  if (action.endsWith('Network')) return '/networks'
  const isKey = /key/i.test(action) && !/passkey|ipns/i.test(action)
  return isKey && isNamed && target !== null ? `/keys/${target}` : null
}

/** The start of an ID without a name; other targets are names. */
function shortened(target: string | null): string | null {
  if (target === null) return null
  return /^[0-9a-f]{8}-[0-9a-f]{4}-/.test(target) ? `${target.slice(0, 8)}…` : target
}

/** `createKey` becomes `create key`. */
function sentence(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

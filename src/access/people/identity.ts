// Composes sign-in and rights: people, memberships, credentials, sessions, and the audit log.
// Tested by src/access/people/sign-in.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Rows } from '../../db/rows.ts'
import { type AuditLog, createAuditLog } from './audit-log.ts'
import {
  type Confirmations,
  type SessionTimes,
  type Sessions,
  createConfirmations,
  createSessions,
} from './sessions.ts'
import { createTokenAuthenticator, type TokenAuthenticator } from './token-authenticator.ts'
import type { MailInvitation } from './invitation-mail.ts'
import { createInvitations, type Invitations } from './invitations.ts'
import { createKnownDevices, type KnownDevices } from './known-devices.ts'
import { createMemberships, type Memberships } from './memberships.ts'
import { createPasswords, type Passwords } from './passwords.ts'
import { createChallenges } from './passkey-challenges.ts'
import { createPasskeySignIn, type PasskeySignIn } from './passkey-sign-in.ts'
import { createPasskeys, type Passkeys } from './passkeys.ts'
import { createPeople, type People } from './people.ts'
import { createSecretEncryption } from './secret-encryption.ts'
import { type SecondFactor, createSecondFactor } from './second-factor.ts'
import {
  type BeginAttempt,
  type OnSignInRefused,
  type SignIn,
  createSignIn,
  createSignInAttempts,
} from './sign-in.ts'
import { createAccessTokens, type AccessTokens, type TokenLife } from './access-tokens.ts'
import { createRoleRules } from './oidc/apply-rules.ts'
import { createFlows } from './oidc/flows.ts'
import { createOidcSignIn, type OidcSettings, type OidcSignIn } from './oidc/oidc-sign-in.ts'
import { createProvider } from './oidc/provider.ts'
import { needsSecondFactor, type SecondFactorPolicy } from './second-factor-policy.ts'

export type Identity = {
  readonly people: People
  readonly memberships: Memberships
  readonly sessions: Sessions
  readonly confirmations: Confirmations
  readonly devices: KnownDevices
  readonly tokens: AccessTokens
  readonly invitations: Invitations
  readonly secondFactor: SecondFactor
  readonly signIn: SignIn
  readonly passkeys: Passkeys
  readonly passkeySignIn: PasskeySignIn
  readonly openId: OidcSignIn
  readonly tokenAuthenticator: TokenAuthenticator
  readonly audit: AuditLog
  /** May owners invite people? Otherwise only operators. */
  readonly ownersInvite: () => boolean
  /** Are passwords accepted? */
  readonly passwordsAccepted: () => boolean
  /** Maximum lifetime of a new token, in milliseconds; null: none. */
  readonly tokenMsMax: () => number | null
  /** Must this person use a second factor? */
  readonly needsSecondFactor: (person: { readonly isOperator: boolean }) => boolean
  /** Mails the token of an invitation as a link; false: not mailed. */
  mailInvitation(invitation: Parameters<MailInvitation>[0], token: string): Promise<boolean>
  /** Deletes expired sessions, invitations and audit rows. */
  sweep(): Promise<void>
}

export type IdentitySettings = SessionTimes & {
  readonly passwordsAccepted: boolean
  readonly secondFactor: SecondFactorPolicy
  /** Null: sign-in with OpenID is disabled. */
  readonly openId: OidcSettings | null
  readonly token: TokenLife
  readonly ownersInvite: boolean
  readonly auditKeepMs: number
  /** May addresses of sign-ins be stored? */
  readonly keepAddresses: boolean
}

/** `settings`: read at each use. `sealSecret`: of the server, at least 32 bytes that do not change. */
export function createIdentity(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly log: Log
  readonly settings: () => IdentitySettings
  readonly sealSecret: () => Uint8Array
  readonly beginTry: BeginAttempt
  readonly mailInvitation: MailInvitation
  /** The link that opens a token in the dashboard. */
  readonly linkOf: (token: string) => string
  readonly onSignInRefused?: OnSignInRefused
  readonly passwords?: Passwords
}): Identity {
  const { clock, log, settings, beginTry, onSignInRefused } = parts
  const passwords = parts.passwords ?? createPasswords()
  const shared = { rows: parts.rows, clock, passwords, times: settings }
  const keepAddresses = (): boolean => settings().keepAddresses
  const sessions = createSessions({ ...shared, keepAddresses })
  const secondFactor = createSecondFactor({
    ...shared,
    seal: createSecretEncryption(parts.sealSecret),
  })
  const invitations = createInvitations(shared)
  const tries = createSignInAttempts({
    beginTry,
    log,
    keepAddresses,
    ...(onSignInRefused === undefined ? {} : { onRefused: onSignInRefused }),
  })
  const devices = createKnownDevices({ clock, secret: parts.sealSecret })
  const challenges = createChallenges({ clock })
  const audit = createAuditLog({ ...shared, keepMs: () => settings().auditKeepMs })
  const people = createPeople(shared)
  const memberships = createMemberships(shared)
  const roleRules = createRoleRules({ rows: parts.rows, people, memberships, audit, log })
  return {
    people,
    memberships,
    sessions,
    confirmations: createConfirmations({ clock }),
    devices,
    tokens: createAccessTokens({ ...shared, life: () => settings().token }),
    invitations,
    secondFactor,
    signIn: createSignIn({
      ...shared,
      sessions,
      secondFactor,
      tries,
      devices,
      isOpen: () => settings().passwordsAccepted,
    }),
    passkeys: createPasskeys({ ...shared, challenges }),
    passkeySignIn: createPasskeySignIn({ ...shared, sessions, challenges, tries }),
    openId: createOidcSignIn({
      ...shared,
      settings: () => settings().openId,
      provider: createProvider({ clock, log }),
      flows: createFlows({ clock }),
      roleRules,
      people,
      sessions,
      invitations,
      tries,
    }),
    tokenAuthenticator: createTokenAuthenticator({ ...shared, log }),
    audit,
    mailInvitation: (invitation, token) => parts.mailInvitation(invitation, parts.linkOf(token)),
    ownersInvite: () => settings().ownersInvite,
    passwordsAccepted: () => settings().passwordsAccepted,
    tokenMsMax: () => settings().token.msMax,
    needsSecondFactor: (person) => needsSecondFactor(settings().secondFactor, person),
    async sweep() {
      await sessions.sweep()
      await invitations.sweep()
      await audit.sweep()
    },
  }
}

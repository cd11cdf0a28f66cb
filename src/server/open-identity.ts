// Opens the identity of people under the current settings, for the server and for commands on the data folder.
// Tested by test/people.test.ts
import type { Accounts } from '../access/accounts/accounts.ts'
import { obtainFirstAccount } from '../access/accounts/first-account.ts'
import { createInvitationMail } from '../access/people/invitation-mail.ts'
import { createIdentity, type Identity } from '../access/people/identity.ts'
import { obtainSealSecret } from '../access/accounts/server-identity.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/settings.ts'
import type { Rows } from '../db/rows.ts'
import type { Principal } from '../admin/principal.ts'
import type { AdminCredential } from '../admin/http/admin-handler.ts'
import { reachedUrl } from './reached-url.ts'
import { createMailer } from '../access/alerts/send-mail.ts'
import { createFailedSignIns } from '../access/limits/failed-sign-ins.ts'

/** `expires`: milliseconds since 1970 UTC. */
export type FirstRun = { readonly link: string; readonly expires: number }

const dayMs = 86_400_000
const sweepMs = 3_600_000

export function openIdentity(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly log: Log
  /** Current settings. */
  readonly settings: { readonly now: Pick<Config, 'dataDir' | 'admin' | 'http' | 'log' | 'mail'> }
}): Identity {
  const { settings, clock } = parts
  const { dataDir } = settings.now
  const failed = createFailedSignIns({
    clock,
    perHour: () => settings.now.admin.failedSignInsPerHour,
  })
  return createIdentity({
    ...parts,
    settings: () => {
      const { admin, log } = settings.now
      return {
        idleMs: admin.sessionIdleMs,
        longestMs: admin.sessionMs,
        ownersInvite: admin.signUp === 'invitation',
        auditKeepMs: admin.auditKeepDays * dayMs,
        keepAddresses: log.addresses,
      }
    },
    sealSecret: () => obtainSealSecret(dataDir),
    beginTry: failed.begin,
    mailInvitation: createInvitationMail({
      ...createMailer(() => settings.now.mail),
      log: parts.log,
    }),
    linkOf: (token) => welcomeLink(dashboardUrl(settings.now), token),
  })
}

/** The first configured host name, otherwise the listen address. */
export function dashboardUrl({ admin, http }: Pick<Config, 'admin' | 'http'>): string {
  const [name] = admin.hosts?.split(',') ?? []
  if (name !== undefined) return `https://${name.trim()}`
  return reachedUrl(admin.host === null ? http : { host: admin.host, port: admin.port })
}

/** Authenticates a request to the admin API. */
export async function findPrincipal(
  { tokenAuthenticator }: Pick<Identity, 'tokenAuthenticator'>,
  { session, token }: AdminCredential,
): Promise<Principal | null> {
  if (token === null && session === null) return null
  const found =
    token === null
      ? await tokenAuthenticator.findSession(session ?? '')
      : await tokenAuthenticator.findToken(token)
  if (found === null) return null
  const { person, isOperator, roles, by } = found
  const { id: personId, email } = person
  return { kind: 'person', personId, email, operator: isOperator, roles, via: by }
}

/** Removes expired sessions, links and audit rows, now and once an hour; returns the stop function. */
export function sweepPeople(identity: Pick<Identity, 'sweep'>, clock: Clock, log: Log): () => void {
  let isOver = false
  const sweep = (): void => {
    identity.sweep().catch((error: unknown) => {
      // A stopping server refuses the writes: the next start sweeps again.
      if (!isOver) log('error', 'people_not_swept', { error })
    })
  }
  sweep()
  const stop = clock.every(sweepMs, sweep)
  return () => {
    isOver = true
    stop()
  }
}

/**
 * Link for the first operator, who then owns the first account; null if an operator exists. `adminUrl`: URL of
 * the dashboard; null: none.
 */
export async function createFirstRunLink(
  { people, invitations }: Pick<Identity, 'people' | 'invitations'>,
  accounts: Accounts,
  adminUrl: string | null,
): Promise<FirstRun | null> {
  if (adminUrl === null || (await people.hasOperator())) return null
  const account = await obtainFirstAccount(accounts)
  const { token, invitation } = await invitations.createFirst(account.id)
  return { link: welcomeLink(adminUrl, token), expires: invitation.expires }
}

/** URL of a one-time link. The token is in the fragment, which browsers do not send, so no log contains it. */
export function welcomeLink(adminUrl: string, token: string): string {
  return `${adminUrl}/dashboard/welcome#${token}`
}

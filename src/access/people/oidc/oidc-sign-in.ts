// Sign-in with OpenID. A person is bound to issuer and subject at the first sign-in. Only a person can link an identity to
// themselves: signed in, or with an invitation for their verified address. So a provider cannot take over a person by reporting an
// email address.
// Tested by test/admin/openid.test.ts
import { Fault } from '../../../base/fault.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Rows } from '../../../db/rows.ts'
import {
  deleteIdentities,
  findIdentity,
  insertIdentity,
  type IdentityRow,
  useIdentity,
} from '../../../tables/identities.ts'
import { endCredentials } from '../../../tables/sessions.ts'
import { AccountsRefusal } from '../../accounts/account-rules.ts'
import { conditionalWrite } from '../conditional-write.ts'
import type { Invitations } from '../invitations.ts'
import type { People } from '../people.ts'
import type { Session, Sessions } from '../sessions.ts'
import type { From, SignInAttempts } from '../sign-in.ts'
import type { RoleRules } from './apply-rules.ts'
import type { Flow, Flows } from './flows.ts'
import { type IdentityClaims, readClaims } from './identity-claims.ts'
import type { Provider, ProviderSettings } from './provider.ts'
import { applyRules, isOfDomain, type SignInRule } from './sign-in-rules.ts'

export type OidcSettings = ProviderSettings & {
  /** Email domains that may sign in; null: all. */
  readonly domains: readonly string[] | null
  readonly signUp: 'invitation' | 'rule' | 'closed'
  readonly groupsClaim: string
  /** Values of `amr` and `acr` that count as a second factor. */
  readonly secondFactorValues: readonly string[]
  readonly rules: readonly SignInRule[]
}

/** The URL at which the browser signs in, and the seal that must return with the response. */
type Begun = { readonly location: string; readonly seal: string }

/** The provider's response: the query of its redirect to the dashboard. */
type OidcAnswer = { readonly seal: string; readonly query: string }

type Signed = { readonly id: string; readonly session: string }

/**
 * `page`: origin of the dashboard. Changes are durable when a method resolves. Throws AccountsRefusal `challenge_over`,
 * `bad_identity`, `identity_taken`, `no_identity`; `no_upstream` if the provider does not respond; `bad_sign_in`; `over_rate`;
 * `absent` if no provider is configured.
 */
export type OidcSignIn = {
  /** Name of the provider; null: none is configured. */
  name(): string | null
  /** `session`: the session that links an identity; null: a sign-in. */
  begin(page: string, session: string | null): Promise<Begun>
  /** Confirms this session: the provider requests the credentials again. */
  beginConfirmation(page: string, session: string): Promise<Begun>
  /** `link`: token of an invitation that admits a new person. Opens a new session. */
  signIn(
    answer: OidcAnswer,
    link: string | null,
    from: From,
  ): Promise<{
    readonly personId: string
    readonly token: string
    readonly session: Session
    /** True: this sign-in bound the identity. */
    readonly isNew: boolean
  }>
  /** Links the identity of the response to the person of this session. */
  link(person: Signed, answer: OidcAnswer): Promise<void>
  /** Checks that the response belongs to the session's person; returns true if it includes a second factor. */
  confirm(person: Signed, answer: OidcAnswer, from: Pick<From, 'address'>): Promise<boolean>
  /** Unlinks the person from all providers and ends their sessions except `keepSession`. */
  unlink(personId: string, keepSession: string | null): Promise<void>
}

export function createOidcSignIn(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly settings: () => OidcSettings | null
  readonly provider: Provider
  readonly flows: Flows
  readonly roleRules: RoleRules
  readonly people: People
  readonly sessions: Sessions
  readonly invitations: Invitations
  readonly tries: SignInAttempts
}): OidcSignIn {
  const { rows, clock, provider, flows, roleRules, people, sessions, invitations, tries } = parts

  function settingsNow(): OidcSettings {
    const settings = parts.settings()
    if (settings === null) {
      throw new Fault('absent', { detail: 'no OpenID provider is configured (signIn.oidc.issuer)' })
    }
    return settings
  }

  async function beginFor(purpose: string, page: string, isFresh: boolean): Promise<Begun> {
    const settings = settingsNow()
    const { flow, seal } = flows.create(useOf(purpose, settings), redirectUri(page))
    return { location: await provider.authorize(settings, { ...flow, isFresh }), seal }
  }

  async function claimsOf(
    { seal, query }: OidcAnswer,
    purpose: string,
    { isFresh = false }: { readonly isFresh?: boolean } = {},
  ): Promise<IdentityClaims> {
    const settings = settingsNow()
    const flow = flows.consume(seal, useOf(purpose, settings))
    const order = { ...flow, query, maxAgeSeconds: isFresh ? ageOf(flow) : null }
    const wanted = ['email', ...(settings.rules.length > 0 ? [settings.groupsClaim] : [])]
    const claims = readClaims(await provider.redeem(settings, order, wanted), settings)
    const { domains, name } = settings
    if (domains !== null && !isOfDomain(claims.email, domains)) {
      const problem = claims.email === null ? 'no verified email address' : 'another domain'
      throw refused(`${name} reports ${problem}: an address of ${domains.join(' or ')} is required`)
    }
    return claims
  }

  /** Seconds since the flow started: the sign-in at the provider must be more recent. */
  function ageOf({ began }: Flow): number {
    return Math.ceil((clock.monotonic() - began) / 1000)
  }

  /** Runs `work` as one attempt of this address. */
  async function asAttempt<T>(
    answer: OidcAnswer,
    from: Pick<From, 'address'>,
    work: () => Promise<T>,
  ): Promise<T> {
    const refund = await tries.begin(from.address, `openid ${answer.seal.slice(0, 32)}`)
    try {
      const done = await work()
      refund()
      return done
    } catch (error) {
      // The server or the provider failed, not the person.
      if (isRefusal(error)) tries.refused(error, from)
      else if (!(error instanceof AccountsRefusal)) refund()
      else if (error.reason === 'bad_identity') {
        // The error code that the client receives.
        tries.refused(new Fault('not_allowed'), from)
      }
      throw error
    }
  }

  function rowOf(claims: IdentityClaims, personId: string): Omit<IdentityRow, 'last_used'> {
    const { issuer, subject, email } = claims
    return { issuer, subject, person_id: personId, email, created: clock.now() }
  }

  /** The person of the claims; binds them now if the settings or the invitation permit it. */
  async function bind(claims: IdentityClaims, link: string | null): Promise<string> {
    const { email } = claims
    const { name, signUp, rules } = settingsNow()
    if (email === null) {
      throw refused(`${name} reports no verified email address, which a new person needs`)
    }
    const existing = await people.findByEmail(email)
    if (link !== null && signUp !== 'closed') {
      if (existing !== null)
        return await bindByInvitation(claims, { link, email, person: existing })
      const person = { email, name: claims.name || email, password: null }
      return await invitations.acceptAsNew(link, person, (id) => insertIdentity(rowOf(claims, id)))
    }
    if (existing !== null) {
      throw refused(
        `a person with the address ${email} exists: sign in by other means and link ${name} under Profile, or open an invitation for this address`,
      )
    }
    if (signUp === 'rule' && applyRules(rules, claims).applies) {
      return await people.add({ email, name: claims.name || email }, (id) =>
        insertIdentity(rowOf(claims, id)),
      )
    }
    throw refused(`no person here has this identity of ${name}: ask an operator for an invitation`)
  }

  /** An invitation for a person's address is sufficient proof, unless it grants less than the person has. */
  async function bindByInvitation(
    claims: IdentityClaims,
    order: {
      readonly link: string
      readonly email: string
      readonly person: { readonly id: string; readonly isOperator: boolean }
    },
  ): Promise<string> {
    const { link, email, person } = order
    const invitation = await invitations.get(link)
    const mayLink = invitation.email === email
    if (!mayLink || (person.isOperator && invitation.role !== 'operator')) {
      throw refused(
        `a person with the address ${email} exists: sign in by other means first, then open the link again`,
      )
    }
    await invitations.acceptAs(
      link,
      { id: person.id, email },
      insertIdentity(rowOf(claims, person.id)),
    )
    return person.id
  }

  return {
    name: () => parts.settings()?.name ?? null,

    begin: (page, session) => beginFor(purposeOf(session), page, false),

    beginConfirmation: (page, session) => beginFor(`confirming in ${session}`, page, true),

    signIn: (answer, link, from) =>
      asAttempt(answer, from, async () => {
        const claims = await claimsOf(answer, purposeOf(null))
        const found = await rows.first(findIdentity(claims))
        const personId = found?.person_id ?? (await bind(claims, link))
        const person = await people.get(personId)
        if (person.disabled !== null) throw mayNot()
        await roleRules.apply(person, claims, settingsNow().rules)
        // In one transaction with the session: an identity that was unlinked in the meantime opens none.
        const use = useIdentity(rowOf(claims, personId), clock.now())
        const opened = await sessions.open(personId, from, use, claims.isStrong)
        if (opened === null) throw mayNot()
        return { personId, ...opened, isNew: found === null }
      }),

    async link(person, answer) {
      const claims = await claimsOf(answer, purposeOf(person.session))
      await conditionalWrite(rows, [insertIdentity(rowOf(claims, person.id))], async () => {
        const found = await rows.first(findIdentity(claims))
        return found === null || found.person_id === person.id
          ? new AccountsRefusal('identity_taken', 'an identity of this provider is linked already')
          : new AccountsRefusal('identity_taken', 'this identity belongs to another person here')
      })
    },

    confirm: (person, answer, from) =>
      asAttempt(answer, from, async () => {
        const claims = await claimsOf(answer, `confirming in ${person.session}`, { isFresh: true })
        const found = await rows.first(findIdentity(claims))
        if (found?.person_id !== person.id) throw refused('this is not your identity')
        return claims.isStrong
      }),

    async unlink(personId, keepSession) {
      await conditionalWrite(
        rows,
        [deleteIdentities(personId), ...endCredentials(personId, keepSession)],
        () => new AccountsRefusal('no_identity', 'no identity of an OpenID provider is linked'),
      )
    },
  }
}

/** The dashboard path to which the provider redirects. */
export function redirectUri(page: string): string {
  return `${page}/dashboard/openid`
}

function purposeOf(session: string | null): string {
  return session === null ? 'signing in' : `linking in ${session}`
}

/** A flow must end with the provider that it started with. */
function useOf(purpose: string, { issuer, clientId }: OidcSettings): string {
  return JSON.stringify([purpose, issuer, clientId])
}

function isRefusal(error: unknown): error is Fault {
  return error instanceof Fault && error.code === 'bad_sign_in'
}

function refused(message: string): AccountsRefusal {
  return new AccountsRefusal('bad_identity', message)
}

function mayNot(): Fault {
  return new Fault('bad_sign_in', { detail: 'this person may not sign in here' })
}

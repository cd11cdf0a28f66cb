// Opens the parts of `access/` that have settings: sign-in and rights with the first-run link, billing cards, alerts.
// Tested by test/admin/admin-people.test.ts
import type { Accounts } from '../access/accounts/accounts.ts'
import { obtainFirstAccount } from '../access/accounts/first-account.ts'
import { createInvitationMail } from '../access/people/invitation-mail.ts'
import { type Identity, createIdentity } from '../access/people/identity.ts'
import type { OnSignInRefused } from '../access/people/sign-in.ts'
import type { OidcSettings } from '../access/people/oidc/oidc-sign-in.ts'
import { obtainSealSecret } from '../access/accounts/server-identity.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/settings.ts'
import type { Rows } from '../db/rows.ts'
import type { Principal } from '../admin/principal.ts'
import type { AdminCredential } from '../admin/http/admin-handler.ts'
import { createMailer } from '../access/alerts/send-mail.ts'
import type { RateShares } from '../access/limits/rate-shares.ts'
import { createFailedSignIns } from '../access/limits/failed-attempts.ts'
import { faults } from '../base/fault.ts'
import type { TlsFiles } from '../http/tls-certificate.ts'
import type { CardCheck } from '../pipeline/authenticate-request.ts'
import type { PaymentProvider } from '../access/cards/payment-provider.ts'
import { type Cards, type CardsDeps, createCards } from '../access/cards/cards.ts'
import { openStripe } from '../access/cards/stripe-provider.ts'
import { networkOf } from '../base/addresses.ts'
import { createCardRateLimit } from '../access/limits/rate-limit.ts'
import { createHmac } from 'node:crypto'
import type { AlertsView } from '../admin/resources/alerts/alerts-view.ts'
import { createAlertTargetRows } from '../access/alerts/alert-targets.ts'
import { createAlertWatch, type WatchedAccount } from '../access/alerts/alert-watch.ts'
import { createRuleWatch } from '../access/alerts/rule-watch.ts'
import { listIncidents } from '../tables/alerts.ts'
import { createNetworkAlert } from '../access/alerts/network-alert.ts'
import { createOutboundPost } from '../access/alerts/outbound-post.ts'
import { parseTarget } from '../base/outbound.ts'
import { createAlertSender } from '../access/alerts/send-alerts.ts'
import type { Usage } from '../access/usage/usage.ts'

type Place = { readonly host: string; readonly port: number }

/** `host`: the listen address; an address that means all interfaces becomes loopback. */
export function reachedUrl({ host, port }: Place, isSecure: boolean): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return urlOf({ host: reached, port }, isSecure)
}

export function urlOf({ host, port }: Place, isSecure: boolean): string {
  const scheme = isSecure ? 'https' : 'http'
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** `expires`: milliseconds since 1970 UTC. */
export type FirstRun = { readonly link: string; readonly expires: number }

const dayMs = 86_400_000
const sweepMs = 3_600_000

export function openIdentity(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly log: Log
  /** Current settings. */
  readonly settings: {
    readonly now: Pick<
      Config,
      'dataDir' | 'secretsFile' | 'admin' | 'http' | 'log' | 'mail' | 'signIn'
    >
  }
  readonly onSignInRefused?: OnSignInRefused
  /** Rate shares of several nodes; absent: no other nodes. */
  readonly shares?: RateShares | undefined
}): Identity {
  const { settings, clock } = parts
  const { dataDir, secretsFile } = settings.now
  const failed = createFailedSignIns({
    clock,
    perHour: () => settings.now.admin.failedSignInsPerHour,
    shares: parts.shares ?? null,
  })
  return createIdentity({
    ...parts,
    settings: () => {
      const { admin, log, signIn } = settings.now
      return {
        passwordsAccepted: signIn.password,
        secondFactor: signIn.secondFactor,
        openId: openIdOf(signIn),
        token: {
          ms: admin.tokenDays * dayMs,
          msMax: admin.tokenDaysMax === null ? null : admin.tokenDaysMax * dayMs,
        },
        idleMs: admin.sessionIdleMs,
        longestMs: admin.sessionMs,
        ownersInvite: admin.signUp === 'invitation',
        auditKeepMs: admin.auditKeepDays * dayMs,
        keepAddresses: log.addresses,
      }
    },
    sealSecret: () => obtainSealSecret({ dataDir, secretsFile }),
    beginTry: failed.begin,
    mailInvitation: createInvitationMail({
      ...createMailer(() => settings.now.mail),
      log: parts.log,
    }),
    linkOf: (token) => welcomeLink(dashboardUrl(settings.now), token),
  })
}

/** Null: no provider is configured. */
export function openIdOf({ oidc }: Config['signIn']): OidcSettings | null {
  const { issuer, clientId, domains, secondFactorValues } = oidc
  // The settings require both or none.
  if (issuer === null || clientId === null) return null
  return {
    ...oidc,
    issuer,
    clientId,
    domains: domains === null ? null : listOf(domains),
    secondFactorValues: listOf(secondFactorValues),
  }
}

/** Entries of a setting with several values, separated by commas. */
export function listOf(text: string | null): readonly string[] {
  return text === null ? [] : text.split(',').map((entry) => entry.trim())
}

/** The first configured host name, otherwise the listen address. */
export function dashboardUrl({ admin, http }: Pick<Config, 'admin' | 'http'>): string {
  const [name] = admin.hosts?.split(',') ?? []
  if (name !== undefined) return `https://${name.trim()}`
  const place = admin.host === null ? http : { host: admin.host, port: admin.port }
  return reachedUrl(place, tlsFilesOf(http) !== null)
}

/** The files of the listeners' certificate; null: they speak plain HTTP. */
export function tlsFilesOf({ tls }: Pick<Config['http'], 'tls'>): TlsFiles | null {
  const { certificateFile, keyFile } = tls
  return certificateFile === null || keyFile === null ? null : { certificateFile, keyFile }
}

/** Authenticates a request to the admin API. */
export async function findPrincipal(
  {
    tokenAuthenticator,
    needsSecondFactor,
  }: Pick<Identity, 'tokenAuthenticator' | 'needsSecondFactor'>,
  { session, token }: AdminCredential,
): Promise<Principal | null> {
  if (token === null && session === null) return null
  const found =
    token === null
      ? await tokenAuthenticator.findSession(session ?? '')
      : await tokenAuthenticator.findToken(token)
  if (found === null) return null
  const { person, isOperator, roles, by, isStrong } = found
  const { id: personId, email } = person
  const mustEnrol = !isStrong && needsSecondFactor(person)
  return { kind: 'person', personId, email, operator: isOperator, roles, via: by, mustEnrol }
}

/** Removes expired sessions, links and audit rows, now and every hour. Returns the stop function. */
export function sweepPeople(identity: Pick<Identity, 'sweep'>, clock: Clock, log: Log): () => void {
  let isOver = false
  const sweep = (): void => {
    identity.sweep().catch((error: unknown) => {
      // A stopping server refuses these writes; the next start repeats them.
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
 * Creates a link for the first operator, who then owns the first account; null if an operator exists. `adminUrl`: URL of the
 * dashboard; null: none.
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

/** Some accounts share an address, so the limit per address is higher. */
const addressShare = 3
const daySeconds = 86_400
/** Requests to the payment provider per account and minute. */
const readsPerMinute = 20

export type OpenCards = {
  readonly cards: Cards
  /** Rejects with a sentence for the operator if the configured adapter cannot be used. */
  check(): Promise<void>
}

export function openCards(
  parts: Pick<CardsDeps, 'rows' | 'clock'> & {
    /** Current settings. */
    readonly settings: { readonly now: Pick<Config, 'card'> }
  },
): OpenCards {
  const { settings, clock } = parts
  const admitAddress = createCardRateLimit({
    clock,
    most: () => addressShare * settings.now.card.stripe.formsPerDayMax,
    seconds: daySeconds,
    details: (most) => `this address may begin to add a card ${most} times a day`,
  })
  let opened: { readonly by: string; readonly paymentProvider: Promise<PaymentProvider> } | null =
    null

  function paymentProvider(): Promise<PaymentProvider> {
    const { secretKey, publishableKey, webhookSecret, apiUrl } = settings.now.card.stripe
    const by = JSON.stringify([secretKey, publishableKey, webhookSecret, apiUrl])
    if (opened?.by === by) return opened.paymentProvider
    if (secretKey === null || publishableKey === null || webhookSecret === null) {
      // The settings are refused if one of these values is missing.
      throw new Error('card.stripe lacks a key')
    }
    const fresh = openStripe({ secretKey, publishableKey, webhookSecret, apiUrl })
    opened = { by, paymentProvider: fresh }
    // A retry may succeed, because the operator may have installed the library.
    fresh.catch(() => {
      if (opened?.paymentProvider === fresh) opened = null
    })
    return fresh
  }

  return {
    cards: createCards({
      ...parts,
      adapter: () => settings.now.card.adapter,
      paymentProvider,
      formsPerDayMax: () => settings.now.card.stripe.formsPerDayMax,
      admitAddress: (address) => admitAddress(networkOf(address)),
      admitRead: createCardRateLimit({
        clock,
        most: () => readsPerMinute,
        seconds: 60,
        details: (most) => `an account may have its card looked up ${most} times a minute`,
      }),
    }),
    async check() {
      if (settings.now.card.adapter === 'stripe') await paymentProvider()
    },
  }
}

/** The card check under these settings; null: no card is required. */
export function cardGateOf(config: Config): CardCheck {
  const { adapter } = config.card
  if (adapter === 'none') return null
  if (adapter === 'manual') return { detail: noMark }
  return config.admin.enabled
    ? { detail: `${faults.no_card.message} at ${dashboardUrl(config)}/dashboard/card` }
    : {}
}

/** With `card.adapter: manual` an account owner cannot add a card. */
const noMark =
  'billing card required: this server takes no cards, so its operator has to mark the account: "cairn card set <account>", or the Card page of the dashboard'

/** `sealSecret`: unchanged for the life of the data folder; webhook secrets are derived from it. */
export function openAlertsView(parts: {
  readonly rows: Rows
  readonly sealSecret: () => Uint8Array
  readonly settings: { readonly now: Config }
}): AlertsView {
  const { rows, settings } = parts
  return {
    ...createAlertTargetRows(parts),
    incidents: (accountId) => rows.find(listIncidents(accountId)),
    secretOf: (accountId) =>
      `cairnw_${createHmac('sha256', parts.sealSecret()).update(`webhook ${accountId}`).digest('base64url')}`,
    sendsMail: createMailer(() => settings.now.mail).canSend,
    validate: (url) => void parseTarget(url, settings.now.alerts.webhooksAnywhere),
    test: null,
  }
}

export type OpenAlerts = {
  readonly view: AlertsView
  /** The IPFS network is down, for this reason. */
  readonly networkDown: (reason: string) => Promise<void>
  stop(): void
}

/** `sealSecret`: as in `openAlertsView`. */
export function openAlerts(parts: {
  readonly accounts: Accounts
  readonly usage: Usage
  readonly sealSecret: () => Uint8Array
  readonly settings: { readonly now: Config }
  /** Bytes that an account stores. */
  readonly storedBytes: (accountId: string) => number | Promise<number>
  readonly rows: Rows
  readonly clock: Clock
  readonly log: Log
}): OpenAlerts {
  const { accounts, usage, settings, clock, log } = parts
  const view = openAlertsView(parts)
  const anywhere = () => settings.now.alerts.webhooksAnywhere
  const mailer = createMailer(() => settings.now.mail)
  const sender = createAlertSender({
    outward: createOutboundPost({ clock, anywhere }),
    mailer,
    secretOf: view.secretOf,
    clock,
    log,
  })
  const findAccount = async (accountId: string): Promise<WatchedAccount> => {
    const { name, settings: limits } = await accounts.getAccountById(accountId)
    const ofAccount = await accounts.listKeysOf(accountId)
    const keys = ofAccount.filter(({ revoked }) => revoked === null)
    return { name, settings: limits, keys }
  }
  const watch = createAlertWatch({
    ...parts,
    targets: view,
    findAccount,
    send: sender.send,
    usage,
  })
  const rules = createRuleWatch({ ...parts, findAccount, send: sender.send })
  return {
    view: { ...view, test: sender.test },
    networkDown: createNetworkAlert({ rows: parts.rows, mailer, clock, log }),
    stop() {
      watch.stop()
      rules.stop()
      sender.stop()
    },
  }
}

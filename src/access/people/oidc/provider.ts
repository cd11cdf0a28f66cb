// The OpenID provider, through openid-client: authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0,
// RFC 7636, RFC 9207). Verifies the signature of each ID token. Discovery happens at the first use and is cached for ten
// minutes; signing keys are requested at each sign-in, so a rotation needs no restart.
// Tested by src/access/people/oidc/provider.test.ts
import type * as Client from 'openid-client'
import type { Clock } from '../../../base/clock.ts'
import { Fault } from '../../../base/fault.ts'
import type { Log } from '../../../base/log.ts'
import { createProviderFetch, ProviderTrouble } from './provider-fetch.ts'

export type ProviderSettings = {
  readonly issuer: string
  readonly clientId: string
  /** Null: a public client. */
  readonly clientSecret: string | null
  /** Displayed name. */
  readonly name: string
  /** Separated by spaces. */
  readonly scopes: string
}

/** Claims of the ID token, completed by those of userinfo. */
export type Claims = Readonly<Record<string, unknown>> & {
  readonly iss: string
  readonly sub: string
}

type AuthorizationOrder = {
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** The person must enter their credentials again, even if signed in at the provider. */
  readonly isFresh: boolean
}

type CallbackOrder = Omit<AuthorizationOrder, 'isFresh'> & {
  /** Query of the redirect. */
  readonly query: string
  /** Maximum age of the sign-in at the provider in seconds; null: none. */
  readonly maxAgeSeconds: number | null
}

/** Throws `no_upstream` if the provider does not respond, `bad_sign_in` if its response is invalid. */
export type Provider = {
  /** The URL at the provider where the person signs in. */
  authorize(settings: ProviderSettings, order: AuthorizationOrder): Promise<string>
  /** Redeems the code of a redirect. `neededClaims`: claims to request from userinfo if the ID token lacks them. */
  redeem(
    settings: ProviderSettings,
    order: CallbackOrder,
    neededClaims: readonly string[],
  ): Promise<Claims>
  /** Discovers the provider and checks its metadata. Resolves with the reason why sign-in would fail, or null. */
  check(settings: ProviderSettings): Promise<string | null>
}

const cachedMs = 600_000
/** Pause after a failed discovery. */
const pauseMs = 3_000
const timeoutSeconds = 5
const clockToleranceSeconds = 30
const neededMetadata = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

type CachedMetadata = {
  readonly key: string
  readonly metadata: Promise<Client.ServerMetadata>
  readonly expires: number
}

export function createProvider(parts: { readonly clock: Clock; readonly log: Log }): Provider {
  const { clock, log } = parts
  const fetch = createProviderFetch(clock)
  let cached: CachedMetadata | null = null

  async function discover(settings: ProviderSettings): Promise<Client.ServerMetadata> {
    const client = await import('openid-client')
    const { issuer, clientId } = settings
    const found = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
      timeout: timeoutSeconds,
      [client.customFetch]: fetch,
      execute: isPlain(issuer) ? [client.allowInsecureRequests] : [],
    })
    const metadata = found.serverMetadata()
    // The library accepts templates of some hosts, which would permit sign-in from any tenant.
    if (metadata.issuer.replace(/\/$/, '') !== issuer.replace(/\/$/, '')) {
      throw new ProviderTrouble(`its metadata name another issuer, ${metadata.issuer}`)
    }
    return metadata
  }

  /** One discovery at a time, shared by all callers. */
  function metadataOf(settings: ProviderSettings): Promise<Client.ServerMetadata> {
    const key = JSON.stringify([settings.issuer, settings.clientId])
    const now = clock.monotonic()
    if (cached?.key === key && now < cached.expires) return cached.metadata
    const metadata = discover(settings)
    const fresh = { key, metadata, expires: now + cachedMs }
    cached = fresh
    metadata.catch(() => {
      if (cached === fresh) cached = { ...fresh, expires: clock.monotonic() + pauseMs }
    })
    return metadata
  }

  async function configure(settings: ProviderSettings): Promise<Client.Configuration> {
    const client = await import('openid-client')
    const { issuer, clientId, clientSecret } = settings
    const metadata = await metadataOf(settings)
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const authenticate =
      clientSecret === null
        ? client.None()
        : methods.includes('client_secret_basic')
          ? client.ClientSecretBasic(clientSecret)
          : client.ClientSecretPost(clientSecret)
    // A new configuration for each use, because the library caches signing keys in it.
    const configuration = new client.Configuration(
      metadata,
      clientId,
      { [client.clockTolerance]: clockToleranceSeconds },
      authenticate,
    )
    configuration.timeout = timeoutSeconds
    configuration[client.customFetch] = fetch
    if (isPlain(issuer)) client.allowInsecureRequests(configuration)
    client.enableNonRepudiationChecks(configuration)
    return configuration
  }

  async function withFaults<T>(settings: ProviderSettings, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (thrown) {
      throw toFault(thrown, settings, log)
    }
  }

  return {
    authorize: (settings, { redirectUri, state, nonce, verifier, isFresh }) =>
      withFaults(settings, async () => {
        const client = await import('openid-client')
        const configuration = await configure(settings)
        const url = client.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: settings.scopes,
          state,
          nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...(isFresh ? { prompt: 'login', max_age: '0' } : {}),
        })
        return url.href
      }),

    redeem: (
      settings,
      { redirectUri, query, state, nonce, verifier, maxAgeSeconds },
      neededClaims,
    ) =>
      withFaults(settings, async () => {
        const client = await import('openid-client')
        const configuration = await configure(settings)
        const url = new URL(redirectUri)
        url.search = query
        const tokens = await client.authorizationCodeGrant(configuration, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
          ...(maxAgeSeconds === null ? {} : { maxAge: maxAgeSeconds }),
        })
        const claims = tokens.claims()
        if (claims === undefined) throw new ProviderTrouble('its answer has no ID token')
        const isComplete = neededClaims.every((name) => claims[name] !== undefined)
        if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) {
          return claims
        }
        const { access_token: accessToken } = tokens
        return {
          ...(await client.fetchUserInfo(configuration, accessToken, claims.sub)),
          ...claims,
        }
      }),

    async check(settings) {
      try {
        const metadata = await metadataOf(settings)
        const missing = neededMetadata.filter((name) => typeof metadata[name] !== 'string')
        if (missing.length > 0) return `its metadata lack ${missing.join(', ')}`
        const methods = metadata.code_challenge_methods_supported
        return methods === undefined || methods.includes('S256') ? null : 'it lacks PKCE with S256'
      } catch (thrown) {
        const reason = causeOf(thrown)?.message
        return reason ?? `its discovery document is not valid (${messageOf(thrown)})`
      }
    },
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

function isPlain(issuer: string): boolean {
  return issuer.startsWith('http:')
}

/** Messages of the library and of the provider are only logged. */
function toFault(thrown: unknown, { name }: ProviderSettings, log: Log): Fault {
  if (thrown instanceof Fault) return thrown
  const trouble = causeOf(thrown)
  if (trouble !== null) {
    const detail = `${name} cannot be reached (${trouble.message}): sign in by other means, or try again later`
    return new Fault('no_upstream', { detail, cause: thrown })
  }
  const { code, error, cause } = (thrown ?? {}) as {
    code?: unknown
    error?: unknown
    cause?: unknown
  }
  log('warn', 'openid_refused', {
    code: typeof code === 'string' ? code : 'unknown',
    ...(typeof error === 'string' ? { error: error.slice(0, 100) } : {}),
    reason: (cause instanceof Error ? cause.message : String(thrown)).slice(0, 200),
  })
  if (error === 'access_denied') {
    return new Fault('bad_sign_in', { detail: `${name} did not sign you in`, cause: thrown })
  }
  const detail = `the answer of ${name} is not valid: try again; the log of the server has the reason`
  return new Fault('bad_sign_in', { detail, cause: thrown })
}

/** The library wraps request errors. */
function causeOf(thrown: unknown): ProviderTrouble | null {
  let at = thrown
  for (let depth = 0; depth < 4 && at instanceof Error; depth++) {
    if (at instanceof ProviderTrouble) return at
    at = at.cause
  }
  return null
}

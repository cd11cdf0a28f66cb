// A real OpenID provider (oidc-provider) on loopback: people and their claims are test data, and its sign-in page requires only a
// name. `signInAt` simulates a browser without scripts: it follows redirects, stores cookies, and submits that page.
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { Provider } from 'oidc-provider'

/** Claims of a person; the sign-in sets `amr`. */
export type ProviderPerson = {
  email?: string
  email_verified?: boolean
  name?: string
  groups?: readonly string[]
  amr?: readonly string[]
}

export type OpenIdProvider = {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** By subject; can be changed at any time. */
  readonly people: Map<string, ProviderPerson>
  /** Accepts this dashboard from now on, with new signing keys. */
  serve(dashboard: string): void
  /** Stops replies until `serve`. */
  stop(): void
  /** Number of shown sign-in pages. */
  readonly pagesShown: () => number
}

/** `idTokenClaims`: the ID token contains all claims; else only userinfo does. */
export async function startOpenIdProvider(
  t: Pick<TestContext, 'after'>,
  { idTokenClaims = true } = {},
): Promise<OpenIdProvider> {
  const people = new Map<string, ProviderPerson>()
  const clientId = 'cairn'
  const clientSecret = 'a secret of the client, with : and %'
  let provider: Provider | null = null
  let pagesShown = 0
  const server = createServer((request, response) => {
    const current = provider
    if (current === null) {
      request.socket.destroy()
      return
    }
    if (!request.url?.startsWith('/interaction/')) {
      void current.callback()(request, response)
      return
    }
    if (request.method !== 'POST') {
      pagesShown++
      response.setHeader('content-type', 'text/html')
      response.end(
        '<!doctype html><title>Provider</title><form method="post"><label>Login <input name="login"></label><button>Continue</button></form>',
      )
      return
    }
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const accountId = new URLSearchParams(text).get('login') ?? ''
      const { amr } = people.get(accountId) ?? {}
      const login = { accountId, ...(amr === undefined ? {} : { amr }) }
      void current.interactionFinished(request, response, { login })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    clientId,
    clientSecret,
    people,
    pagesShown: () => pagesShown,
    stop() {
      provider = null
      server.closeAllConnections()
    },
    serve(dashboard) {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const made = new Provider(issuer, {
        clients: [
          {
            client_id: clientId,
            client_secret: clientSecret,
            redirect_uris: [`${dashboard}/dashboard/openid`],
            id_token_signed_response_alg: 'ES256',
          },
        ],
        jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' }] },
        cookies: { keys: ['a key of the test'] },
        claims: {
          openid: ['sub', 'amr'],
          email: ['email', 'email_verified'],
          profile: ['name'],
          groups: ['groups'],
        },
        conformIdTokenClaims: !idTokenClaims,
        pkce: { required: () => true },
        features: { devInteractions: { enabled: false } },
        interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
        ttl: {
          AccessToken: 600,
          AuthorizationCode: 60,
          Grant: 600,
          IdToken: 600,
          Interaction: 600,
          Session: 600,
        },
        findAccount: (_ctx: unknown, id: string) => ({
          accountId: id,
          claims: () => {
            const { amr: _, ...claims } = people.get(id) ?? {}
            return { sub: id, ...claims }
          },
        }),
        async loadExistingGrant(ctx: { oidc: { session: { accountId: string } } }) {
          const grant = new made.Grant({ accountId: ctx.oidc.session.accountId, clientId })
          grant.addOIDCScope('openid email profile groups')
          await grant.save()
          return grant
        },
      })
      provider = made
    },
  }
}

/** Settings of a server that uses this provider. */
export function providerSettings(
  provider: OpenIdProvider,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    CAIRN_SIGN_IN_OIDC_ISSUER: provider.issuer,
    CAIRN_SIGN_IN_OIDC_CLIENT_ID: provider.clientId,
    CAIRN_SIGN_IN_OIDC_CLIENT_SECRET: provider.clientSecret,
    CAIRN_SIGN_IN_OIDC_NAME: 'Example ID',
    CAIRN_SIGN_IN_OIDC_SCOPES: 'openid email profile groups',
    ...more,
  }
}

/** A browser of a person, with its cookies at the provider. */
export type ProviderBrowser = {
  /** Opens the provider, signs in if required; resolves with the query of the redirect to the dashboard. */
  signInAt(location: string, login: string): Promise<string>
}

const stepsMax = 12

export function openProviderBrowser(provider: OpenIdProvider): ProviderBrowser {
  const cookies = new Map<string, string>()
  async function fetchPage(
    url: string,
    form?: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1)
      const at = pair.indexOf('=')
      if (at + 1 === pair.length) cookies.delete(pair.slice(0, at))
      else cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return response
  }
  return {
    async signInAt(location, login) {
      let url = location
      for (let step = 0; step < stepsMax; step++) {
        if (!url.startsWith(provider.issuer)) return new URL(url).search.slice(1)
        let response = await fetchPage(url)
        if (response.status === 200) response = await fetchPage(url, { login })
        const next = response.headers.get('location')
        if (next === null) throw new Error(`${response.status} at ${url}: ${await response.text()}`)
        url = new URL(next, url).href
      }
      throw new Error(`more than ${stepsMax} redirects`)
    },
  }
}

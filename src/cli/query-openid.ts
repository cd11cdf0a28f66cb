// Discovers the OpenID provider of the settings, without a server.
// Tested by src/cli/doctor/openid-checks.test.ts
import { createProvider } from '../access/people/oidc/provider.ts'
import { redirectUri } from '../access/people/oidc/oidc-sign-in.ts'
import { systemClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import type { Config } from '../config/settings.ts'
import { dashboardUrl, openIdOf } from '../server/open-access.ts'

export type QueriedOpenId = {
  readonly name: string
  readonly issuer: string
  /** The redirect URI to register at the provider. */
  readonly redirectUri: string
  /** Why sign-in would fail; null: discovery succeeded. */
  readonly failure: string | null
}

/** Null: no provider is configured. Takes at most a few seconds. */
export async function queryOpenId(
  config: Pick<Config, 'signIn' | 'admin' | 'http'>,
): Promise<QueriedOpenId | null> {
  const settings = openIdOf(config.signIn)
  if (settings === null || !config.admin.enabled) return null
  const { name, issuer } = settings
  const provider = createProvider({ clock: systemClock, log: silentLog })
  const failure = await provider.check(settings)
  return { name, issuer, redirectUri: redirectUri(dashboardUrl(config)), failure }
}

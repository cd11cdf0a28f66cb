// A key may permit networks that are added later, so a misspelt name is accepted too: the command warns about it.
// Tested by test/cli/cli-keys.test.ts
import { networkNames } from '../config/settings.ts'
import { oneOf } from '../config/describe-issue.ts'
import type { AdminOptions } from './admin-access.ts'
import type { Context } from './context.ts'
import { settingsOf } from './shared-options.ts'
import { findStoredNetworks } from './stored-networks.ts'

/**
 * Warns people, on standard error, about names that this server does not serve. Not for a remote server, whose networks are
 * unknown.
 */
export async function noteNetworks(
  context: Context,
  options: AdminOptions & { readonly networks?: readonly string[] | 'all' },
): Promise<void> {
  if (options.networks === undefined || options.networks === 'all') return
  if (options.url !== undefined || options.json === true) return
  const { config } = await settingsOf(context, options)
  const served = networkNames((await findStoredNetworks(config)).config)
  const strange = options.networks.filter((name) => !served.includes(name))
  if (strange.length === 0) return
  context.err(`Unknown network ${oneOf(strange)}: this server has ${served.join(', ')}.\n`)
}

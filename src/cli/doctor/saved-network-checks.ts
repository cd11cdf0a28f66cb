// Saved networks that the server does not serve. The upstreams of all others are checked with those of the settings.
// Tested by test/cli/cli-networks.test.ts
import { listedNetworks } from '../../config/saved-network.ts'
import type { Config } from '../../config/settings.ts'
import {
  problem,
  warning,
  type CommandLine,
  type Problem,
} from '../../server/network-checks/problem.ts'
import type { SavedNetwork } from '../../server/saved-networks.ts'

/** `config`: the settings without the saved networks. */
export function* checkSavedNetworks(
  config: Config,
  saved: readonly SavedNetwork[],
  command: CommandLine,
): Generator<Problem> {
  const own = new Set(listedNetworks(config).map(({ name }) => name))
  for (const { name, found } of saved) {
    const remove = command(`networks remove ${name}`)
    if ('problem' in found) {
      const text = `the saved network ${name} cannot be read: ${found.problem}`
      yield problem('saved_network_unreadable', text, remove)
    } else if (own.has(name)) {
      const text = `the saved network ${name} is not served, because the settings name a network ${name}`
      yield warning('saved_network_hidden', text, `${remove}; or rename that of the settings`)
    }
  }
}

// `routing/findprovs`: peers that have a block, found by routers and the DHT, one per line.
// Tested by src/kubo/commands/network/network-commands.test.ts
import { failed, integer, valueOf } from '../../kubo-command.ts'
import { cidArgument, type KuboNetwork, networkCommand } from '../../network-command.ts'
import type { CommandRequest, KuboCommand } from '../../kubo-command.ts'

const providersMax = 1000n
const declared = { providers: integer('num-providers', { alias: 'n', default: 20n }) }

/** Throws `command_failed` with Kubo's text. */
function checkCount(providers: bigint): number {
  if (providers < 1n) throw failed('number of providers must be greater than 0')
  return Number(providers > providersMax ? providersMax : providers)
}

export function createRoutingFindprovs(network: KuboNetwork | null): KuboCommand<CommandRequest> {
  return networkCommand(
    network,
    {
      name: 'routing/findprovs',
      argument: { name: 'key', required: true },
      options: Object.values(declared),
    },
    (request) => ({
      name: 'routing/findprovs',
      arg: cidArgument(request),
      max: checkCount(valueOf(request.options, declared.providers)),
    }),
  )
}

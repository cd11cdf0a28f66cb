// `routing/provide`: announces that this server has a block.
// Tested by src/kubo/commands/network/network-commands.test.ts
import { cidArgument, type KuboNetwork, networkCommand } from '../../network-command.ts'
import type { CommandRequest, KuboCommand } from '../../kubo-command.ts'

export function createRoutingProvide(network: KuboNetwork | null): KuboCommand<CommandRequest> {
  return networkCommand(
    network,
    {
      name: 'routing/provide',
      argument: { name: 'key', required: true },
      options: [],
      changes: true,
    },
    (request) => ({ name: 'routing/provide', arg: cidArgument(request) }),
  )
}

// `swarm/disconnect`: closes the connections to a peer.
// Tested by src/kubo/commands/network/network-commands.test.ts
import { firstArgument, type KuboNetwork, networkCommand } from '../../network-command.ts'
import type { CommandRequest, KuboCommand } from '../../kubo-command.ts'

export function createSwarmDisconnect(network: KuboNetwork | null): KuboCommand<CommandRequest> {
  return networkCommand(
    network,
    {
      name: 'swarm/disconnect',
      argument: { name: 'address', required: true },
      options: [],
      changes: true,
    },
    (request) => ({ name: 'swarm/disconnect', arg: firstArgument(request) }),
    (value) => value,
  )
}

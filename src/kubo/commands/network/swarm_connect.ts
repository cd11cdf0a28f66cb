// `swarm/connect`: connects to a peer, by its multiaddr with `/p2p/<peer ID>`.
// Tested by src/kubo/commands/network/network-commands.test.ts
import { firstArgument, type KuboNetwork, networkCommand } from '../../network-command.ts'
import type { CommandRequest, KuboCommand } from '../../kubo-command.ts'

export function createSwarmConnect(network: KuboNetwork | null): KuboCommand<CommandRequest> {
  return networkCommand(
    network,
    {
      name: 'swarm/connect',
      argument: { name: 'address', required: true },
      options: [],
      changes: true,
    },
    (request) => ({ name: 'swarm/connect', arg: firstArgument(request) }),
    (value) => value,
  )
}

// `swarm/peering/add`: keeps a peer connected until the process restarts; `ipfsNetwork.peers` does so permanently.
// Tested by src/kubo/commands/network/network-commands.test.ts
import { firstArgument, type KuboNetwork, networkCommand } from '../../network-command.ts'
import type { CommandRequest, KuboCommand } from '../../kubo-command.ts'

export function createSwarmPeeringAdd(network: KuboNetwork | null): KuboCommand<CommandRequest> {
  return networkCommand(
    network,
    {
      name: 'swarm/peering/add',
      argument: { name: 'address', required: true },
      options: [],
      changes: true,
    },
    (request) => ({ name: 'swarm/peering/add', arg: firstArgument(request) }),
    (value) => value,
  )
}

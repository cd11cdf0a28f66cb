// `swarm/peering/rm`: stops keeping a peer connected.
// Tested by src/kubo/commands/network/network-commands.test.ts
import { firstArgument, type KuboNetwork, networkCommand } from '../../network-command.ts'
import type { CommandRequest, KuboCommand } from '../../kubo-command.ts'

export function createSwarmPeeringRm(network: KuboNetwork | null): KuboCommand<CommandRequest> {
  return networkCommand(
    network,
    {
      name: 'swarm/peering/rm',
      argument: { name: 'ID', required: true },
      options: [],
      changes: true,
    },
    (request) => ({ name: 'swarm/peering/rm', arg: firstArgument(request) }),
    (value) => value,
  )
}

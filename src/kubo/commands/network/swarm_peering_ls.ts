// `swarm/peering/ls`: the peers of permanent connections.
// Tested by src/kubo/commands/network/network-commands.test.ts
import { type KuboNetwork, networkCommand } from '../../network-command.ts'
import type { CommandRequest, KuboCommand } from '../../kubo-command.ts'

export function createSwarmPeeringLs(network: KuboNetwork | null): KuboCommand<CommandRequest> {
  return networkCommand(
    network,
    { name: 'swarm/peering/ls', argument: null, options: [] },
    () => ({ name: 'swarm/peering/ls' }),
    (value) => value,
  )
}

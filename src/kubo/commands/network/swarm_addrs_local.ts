// `swarm/addrs/local`: the addresses that accept connections from peers.
// Tested by src/kubo/commands/network/network-commands.test.ts
import { type KuboNetwork, networkCommand } from '../../network-command.ts'
import type { CommandRequest, KuboCommand } from '../../kubo-command.ts'

export function createSwarmAddrsLocal(network: KuboNetwork | null): KuboCommand<CommandRequest> {
  return networkCommand(
    network,
    { name: 'swarm/addrs/local', argument: null, options: [] },
    () => ({ name: 'swarm/addrs/local' }),
    (value) => value,
  )
}

// `routing/findpeer`: the addresses of a peer.
// Tested by src/kubo/commands/network/network-commands.test.ts
import { firstArgument, type KuboNetwork, networkCommand } from '../../network-command.ts'
import type { CommandRequest, KuboCommand } from '../../kubo-command.ts'

export function createRoutingFindpeer(network: KuboNetwork | null): KuboCommand<CommandRequest> {
  return networkCommand(
    network,
    { name: 'routing/findpeer', argument: { name: 'peerID', required: true }, options: [] },
    (request) => ({ name: 'routing/findpeer', arg: firstArgument(request) }),
  )
}

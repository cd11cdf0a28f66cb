// `routing/get`: the IPNS record of a name, `/ipns/<name>`, in base64.
// Tested by src/kubo/commands/network/network-commands.test.ts
import { firstArgument, type KuboNetwork, networkCommand } from '../../network-command.ts'
import type { CommandRequest, KuboCommand } from '../../kubo-command.ts'

export function createRoutingGet(network: KuboNetwork | null): KuboCommand<CommandRequest> {
  return networkCommand(
    network,
    { name: 'routing/get', argument: { name: 'key', required: true }, options: [] },
    (request) => ({ name: 'routing/get', arg: firstArgument(request) }),
  )
}

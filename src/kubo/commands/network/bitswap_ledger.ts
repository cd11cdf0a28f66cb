// `bitswap/ledger`: bytes and blocks exchanged with a peer.
// Tested by src/kubo/commands/network/network-commands.test.ts
import { firstArgument, type KuboNetwork, networkCommand } from '../../network-command.ts'
import type { CommandRequest, KuboCommand } from '../../kubo-command.ts'

export function createBitswapLedger(network: KuboNetwork | null): KuboCommand<CommandRequest> {
  return networkCommand(
    network,
    { name: 'bitswap/ledger', argument: { name: 'peer', required: true }, options: [] },
    (request) => ({ name: 'bitswap/ledger', arg: firstArgument(request) }),
    (value) => value,
  )
}

// `bitswap/wantlist`: CIDs of pending fetches; with `peer`, the CIDs that a peer wants from this server.
// Tested by src/kubo/commands/network/network-commands.test.ts
import { text, valueOf, type KuboCommand } from '../../kubo-command.ts'
import { type KuboNetwork, requireNetwork } from '../../network-command.ts'
import { wantsOf } from './bitswap_stat.ts'

const declared = { peer: text('peer', { alias: 'p' }) }

export function createBitswapWantlist(
  network: KuboNetwork | null,
): KuboCommand<{ readonly peer: string }> {
  return {
    name: 'bitswap/wantlist',
    class: 'read',
    argument: null,
    body: 'none',
    options: Object.values(declared),
    parse: ({ options }) => ({ peer: valueOf(options, declared.peer) }),
    async run({ peer }, call) {
      const open = requireNetwork(network)
      const own = { Keys: wantsOf(open, call) }
      if (peer === '') return { kind: 'object', value: own }
      const wants = open.command({ name: 'bitswap/wantlist', arg: peer }, call.signal)
      const [value] = await Array.fromAsync(wants)
      // Null: the peer is this server.
      return { kind: 'object', value: value ?? own }
    },
  }
}

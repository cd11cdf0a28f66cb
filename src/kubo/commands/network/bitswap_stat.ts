// `bitswap/stat` and `stats/bitswap`: blocks exchanged with peers. Operators see all wanted CIDs, other accounts their own.
// Tested by src/kubo/commands/network/network-commands.test.ts
import { decodeCid } from '../../../codec/ipld/cid.ts'
import { flag, type CommandCall, type KuboCommand } from '../../kubo-command.ts'
import { type KuboNetwork, requireNetwork } from '../../network-command.ts'

type Link = { readonly '/': string }

/** `name`: name of the command. */
export function createBitswapStat(
  network: KuboNetwork | null,
  name: 'bitswap/stat' | 'stats/bitswap',
): KuboCommand<null> {
  return {
    name,
    class: 'read',
    argument: null,
    body: 'none',
    options: [flag('verbose', { alias: 'v' }), flag('human')],
    parse: () => null,
    async run(_input, call) {
      const open = requireNetwork(network)
      const [stat] = await Array.fromAsync(open.command({ name: 'bitswap/stat' }, call.signal))
      return { kind: 'object', value: { ...(stat as object), Wantlist: wantsOf(open, call) } }
    },
  }
}

/** CIDs that the caller may see. */
export function wantsOf(network: KuboNetwork, { caller }: CommandCall): readonly Link[] {
  const account = network.isOperator(caller.accountId) ? null : caller.accountId
  return network.wantsOf(account).flatMap((bytes) => {
    const cid = decodeCid(bytes)
    return cid === null ? [] : [{ '/': cid.toString() }]
  })
}

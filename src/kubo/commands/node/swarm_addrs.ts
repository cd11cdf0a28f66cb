// `swarm/addrs`: the addresses of known nodes: this one, and peers of the IPFS network.
// Tested by src/kubo/commands/node/node-commands.test.ts
import type { KuboCommand } from '../../kubo-command.ts'
import type { KuboNetwork } from '../../network-command.ts'
import { ownAddress, type OwnNode } from '../../replies/node-identity.ts'

type SwarmAddrsInput = { readonly addresses: readonly string[] }

export function createSwarmAddrs(
  { peerId }: OwnNode,
  network: KuboNetwork | null,
): KuboCommand<SwarmAddrsInput> {
  return {
    name: 'swarm/addrs',
    class: 'read',
    argument: null,
    body: 'none',
    options: [],
    parse({ host }) {
      const address = ownAddress(host)
      return { addresses: address === null ? [] : [address] }
    },
    async run({ addresses }, { signal }) {
      const peers =
        network === null
          ? []
          : await Array.fromAsync(network.command({ name: 'swarm/addrs' }, signal))
      const known = (peers as Known[]).map(({ ID, Addrs }) => [ID, Addrs] as const)
      const all = { [peerId]: addresses, ...Object.fromEntries(known) }
      return {
        kind: 'object',
        value: { Addrs: all },
        text: () => Object.entries(all).map(textOf).join(''),
      }
    },
  }
}

/** Addresses of a peer. */
type Known = { readonly ID: string; readonly Addrs: readonly string[] }

function textOf([peer, addresses]: readonly [string, readonly string[]]): string {
  const lines = addresses.map((address) => `\t${address}\n`).join('')
  return `${peer} (${addresses.length})\n${lines}`
}

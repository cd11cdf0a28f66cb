// `swarm/addrs`: the addresses of the nodes that are known, which is this one.
// Tested by src/kubo/commands/node/node-commands.test.ts
import type { KuboCommand } from '../../kubo-command.ts'
import { ownAddress, type OwnNode } from '../../replies/node-identity.ts'

type SwarmAddrsInput = { readonly addresses: readonly string[] }

export function createSwarmAddrs({ peerId }: OwnNode): KuboCommand<SwarmAddrsInput> {
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
    async run({ addresses }) {
      const lines = addresses.map((address) => `\t${address}\n`).join('')
      return {
        kind: 'object',
        value: { Addrs: { [peerId]: addresses } },
        text: () => `${peerId} (${addresses.length})\n${lines}`,
      }
    },
  }
}

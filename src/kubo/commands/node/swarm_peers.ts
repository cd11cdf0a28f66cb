// `swarm/peers`: always empty. Cairn speaks HTTP with its sources and has no connections of libp2p.
// Tested by src/kubo/commands/node/node-commands.test.ts
import type { KuboCommand } from '../../kubo-command.ts'

export const swarmPeers: KuboCommand<null> = {
  name: 'swarm/peers',
  class: 'read',
  argument: null,
  body: 'none',
  options: [],
  parse: () => null,
  // Null and not [], as in Kubo.
  run: async () => ({ kind: 'object', value: { Peers: null }, text: () => '' }),
}

// `swarm/peers`: the connected peers. Without the IPFS network there are none.
// Tested by src/kubo/commands/network/network-commands.test.ts
import { flag, valueOf, type KuboCommand, type OptionValues } from '../../kubo-command.ts'
import type { KuboNetwork } from '../../network-command.ts'

type Peer = {
  readonly Addr: string
  readonly Peer: string
  readonly Latency: string
  readonly Direction: number
  readonly Streams: readonly unknown[] | null
  readonly Identify: object
}

const declared = {
  verbose: flag('verbose', { alias: 'v' }),
  streams: flag('streams'),
  latency: flag('latency'),
  direction: flag('direction'),
  identify: flag('identify'),
}

/** As in Kubo if it was not requested. */
const noIdentify = { ID: '', PublicKey: '', Addresses: null, AgentVersion: '', Protocols: null }

export function createSwarmPeers(network: KuboNetwork | null): KuboCommand<OptionValues> {
  return {
    name: 'swarm/peers',
    class: 'read',
    argument: null,
    body: 'none',
    options: Object.values(declared),
    parse: ({ options }) => options,
    async run(options, { signal }) {
      const peers =
        network === null
          ? []
          : await Array.fromAsync(network.command({ name: 'swarm/peers' }, signal))
      const shown = peers.map((peer) => select(peer as Peer, options))
      return {
        kind: 'object',
        // Null and not [], as in Kubo.
        value: { Peers: shown.length === 0 ? null : shown },
        text: () => shown.map(({ Addr, Peer: id }) => `${Addr}/p2p/${id}\n`).join(''),
      }
    },
  }
}

/** Verbose peers have all members. As in Kubo, others are omitted if not requested. */
function select(peer: Peer, options: OptionValues): Partial<Peer> & Pick<Peer, 'Addr' | 'Peer'> {
  const has = (option: 'streams' | 'latency' | 'direction' | 'identify'): boolean =>
    valueOf(options, declared.verbose) || valueOf(options, declared[option])
  return {
    Addr: peer.Addr,
    Peer: peer.Peer,
    ...(has('latency') && { Latency: peer.Latency }),
    ...(has('direction') && { Direction: peer.Direction }),
    ...(has('streams') && { Streams: peer.Streams }),
    Identify: has('identify') ? peer.Identify : noIdentify,
  }
}

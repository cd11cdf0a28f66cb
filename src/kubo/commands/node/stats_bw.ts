// `stats/bw`: the traffic of connections with peers; zeros without the IPFS network. The traffic of a key is in its usage.
// Tested by src/kubo/commands/network/network-commands.test.ts
import { Fault } from '../../../base/fault.ts'
import { type KuboCommand, type OptionValues, text } from '../../kubo-command.ts'
import type { KuboNetwork } from '../../network-command.ts'
import { durationOf } from '../../params/ipns-options.ts'

const takes = {
  peer: text('peer', { alias: 'p' }),
  proto: text('proto', { alias: 't' }),
  interval: text('interval', { alias: 'i', default: '1s' }),
}

export function createStatsBw(network: KuboNetwork | null): KuboCommand<null> {
  return {
    name: 'stats/bw',
    class: 'read',
    argument: null,
    body: 'none',
    options: Object.values(takes),
    parse({ options }) {
      refuseShares(options)
      durationOf(options, takes.interval.name)
      return null
    },
    run: async (_input, { signal }) => ({
      kind: 'events',
      lines: network === null ? oneLine() : network.command({ name: 'stats/bw' }, signal),
      live: false,
    }),
  }
}

/** Bytes are counted for all peers and protocols together. Throws `unsupported_option`. */
function refuseShares(options: OptionValues): void {
  const given = [takes.peer, takes.proto].filter(({ name }) => options.has(name))
  const [first, second] = given
  if (second !== undefined) {
    throw new Fault('unsupported_option', { detail: 'please only specify peer OR protocol' })
  }
  if (first === undefined) return
  throw new Fault('unsupported_option', {
    detail: `option "${first.name}" is not supported by this server: it counts the traffic of all peers and protocols together`,
  })
}

async function* oneLine() {
  yield { TotalIn: 0, TotalOut: 0, RateIn: 0, RateOut: 0 }
}

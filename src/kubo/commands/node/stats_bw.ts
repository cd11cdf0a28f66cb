// `stats/bw`: the traffic of connections with peers; zeros without the IPFS network. The traffic of a key is in its usage.
// Tested by src/kubo/commands/network/network-commands.test.ts
import { type KuboCommand, text } from '../../kubo-command.ts'
import type { KuboNetwork } from '../../network-command.ts'
import { durationOf } from '../../params/ipns-options.ts'

const takes = { interval: text('interval', { alias: 'i', default: '1s' }) }

export function createStatsBw(network: KuboNetwork | null): KuboCommand<null> {
  return {
    name: 'stats/bw',
    class: 'read',
    argument: null,
    body: 'none',
    options: Object.values(takes),
    parse({ options }) {
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

async function* oneLine() {
  yield { TotalIn: 0, TotalOut: 0, RateIn: 0, RateOut: 0 }
}

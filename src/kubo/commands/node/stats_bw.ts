// `stats/bw`: the traffic of libp2p connections, of which Cairn has none. The traffic of a key is in its usage.
// Tested by src/kubo/commands/node/node-commands.test.ts
import type { KuboCommand } from '../../kubo-command.ts'

export const statsBw: KuboCommand<null> = {
  name: 'stats/bw',
  class: 'read',
  argument: null,
  body: 'none',
  options: [],
  parse: () => null,
  run: async () => ({ kind: 'events', lines: oneLine(), live: false }),
}

async function* oneLine() {
  yield { TotalIn: 0, TotalOut: 0, RateIn: 0, RateOut: 0 }
}

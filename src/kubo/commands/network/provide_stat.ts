// `provide/stat`: counts of this server's announcements, those of Kubo's sweep and Cairn's own.
// Tested by src/kubo/commands/network/network-commands.test.ts
import { flag, type KuboCommand } from '../../kubo-command.ts'
import { type KuboNetwork, requireNetwork } from '../../network-command.ts'

const none = { due: 0, done: 0, late: 0, over: 0, planned: 0 }

export function createProvideStat(network: KuboNetwork | null): KuboCommand<null> {
  return {
    name: 'provide/stat',
    class: 'read',
    argument: null,
    body: 'none',
    options: [flag('all', { alias: 'a' }), flag('lan')],
    parse: () => null,
    async run() {
      const stat = (await requireNetwork(network).provideStat()) ?? none
      const { due, planned } = stat
      const Sweep = {
        closed: false,
        schedule: { keys: planned },
        queues: { pending_key_provides: due },
      }
      return { kind: 'object', value: { Sweep, Cairn: stat } }
    },
  }
}

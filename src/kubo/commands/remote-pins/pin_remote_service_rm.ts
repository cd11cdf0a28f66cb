// `pin/remote/service/rm`: deletes a pinning service and its key. Its pins remain.
// Tested by test/files/remote-pins.test.ts
import { type KuboCommand, emptyReply, failed } from '../../kubo-command.ts'
import { type RemotePinDeps } from '../../remote-pins/remote-command.ts'

export function createPinRemotesRm({
  remotes,
}: Pick<RemotePinDeps, 'remotes'>): KuboCommand<{ readonly name: string }> {
  return {
    name: 'pin/remote/service/rm',
    class: 'write',
    argument: { name: 'service', required: true },
    body: 'none',
    options: [],
    parse({ args }) {
      const [name = ''] = args
      if (args.length !== 1) throw failed('expecting one argument: name')
      return { name }
    },
    async run({ name }, { caller }) {
      await remotes.remove(caller.accountId, name)
      return emptyReply()
    },
  }
}

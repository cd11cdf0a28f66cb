// `pin/remote/service/add`: adds a pinning service and its access key to the account.
// Tested by test/files/remote-pins.test.ts
import { Fault } from '../../../base/fault.ts'
import { type KuboCommand, emptyReply } from '../../kubo-command.ts'
import { type RemotePinDeps } from '../../remote-pins/remote-command.ts'

type RemoteAddInput = { readonly name: string; readonly endpoint: string; readonly token: string }

export function createPinRemotesAdd({
  remotes,
}: Pick<RemotePinDeps, 'remotes'>): KuboCommand<RemoteAddInput> {
  return {
    name: 'pin/remote/service/add',
    class: 'write',
    argument: { name: 'service', required: true },
    second: 'endpoint',
    hidesArguments: true,
    body: 'none',
    options: [],
    parse({ args }) {
      const [name = '', endpoint = '', token] = args
      if (token === undefined) {
        throw new Fault('bad_argument', { detail: 'argument "key" is required' })
      }
      return { name, endpoint, token }
    },
    async run(input, { caller }) {
      await remotes.add(caller.accountId, input)
      return emptyReply()
    },
  }
}

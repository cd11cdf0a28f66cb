// `pin/remote/rm`: removes pins of the account from a pinning service; several only with `force`.
// Tested by test/files/remote-pins.test.ts
import { type KuboCommand, emptyReply, failed, flag, valueOf } from '../../kubo-command.ts'
import type { RemoteFilter } from '../../remote-pins/psa-client.ts'
import {
  filterOf,
  filterOptions,
  remoteNameOf,
  type RemotePinDeps,
} from '../../remote-pins/remote-command.ts'

type RemoteRmInput = {
  readonly remote: string
  readonly filter: RemoteFilter
  readonly force: boolean
}

const declared = { ...filterOptions, force: flag('force') }

export function createPinRemoteRm(parts: RemotePinDeps): KuboCommand<RemoteRmInput> {
  const { remotes, client } = parts
  return {
    name: 'pin/remote/rm',
    class: 'write',
    argument: null,
    body: 'none',
    options: Object.values(declared),
    parse: ({ options }) => ({
      remote: remoteNameOf(options),
      filter: filterOf(options),
      force: valueOf(options, declared.force),
    }),
    async run({ remote, filter, force }, { caller, signal }) {
      const found = await remotes.get(caller.accountId, remote)
      const ids: string[] = []
      for await (const { id } of client.list(found, filter, signal)) {
        ids.push(id)
        if (ids.length > 1 && !force) {
          throw failed(
            'multiple remote pins are matching this query, add --force to confirm the bulk removal',
          )
        }
      }
      for (const id of ids) await client.remove(found, id, signal)
      return emptyReply()
    },
  }
}

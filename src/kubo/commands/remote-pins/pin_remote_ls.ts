// `pin/remote/ls`: the pins of the account at a pinning service.
// Tested by test/files/remote-pins.test.ts
import type { CID } from 'multiformats/cid'
import { type CommandCall, type KuboCommand } from '../../kubo-command.ts'
import { cidPrinter } from '../../params/file-options.ts'
import type { RemoteFilter } from '../../remote-pins/psa-client.ts'
import {
  filterOf,
  filterOptions,
  remoteNameOf,
  type RemotePinDeps,
  type ShownPin,
  shown,
} from '../../remote-pins/remote-command.ts'

type RemoteLsInput = {
  readonly remote: string
  readonly filter: RemoteFilter
  readonly print: (cid: CID) => string
}

export function createPinRemoteLs(parts: RemotePinDeps): KuboCommand<RemoteLsInput> {
  async function* linesOf({ remote, filter, print }: RemoteLsInput, call: CommandCall) {
    const found = await parts.remotes.get(call.caller.accountId, remote)
    for await (const pin of parts.client.list(found, filter, call.signal)) yield shown(pin, print)
  }
  return {
    name: 'pin/remote/ls',
    class: 'read',
    argument: null,
    body: 'none',
    options: Object.values(filterOptions),
    parse: ({ options }) => ({
      remote: remoteNameOf(options),
      filter: filterOf(options),
      print: cidPrinter(options),
    }),
    async run(input, call) {
      return { kind: 'events', lines: linesOf(input, call), live: false, text: asText }
    },
  }
}

function asText(line: unknown): string {
  const { Cid, Status, Name } = line as ShownPin
  return `${Cid}\t${Status}\t${Name}\n`
}

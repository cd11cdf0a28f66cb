// `pin/remote/add`: requests a pin from a pinning service, and waits until it is pinned.
// Tested by test/files/remote-pins.test.ts
import type { CID } from 'multiformats/cid'
import { waitFor } from '../../../base/retry-with-backoff.ts'
import type { FetchPolicy } from '../../../ipfs/files.ts'
import { type KuboCommand, failed, flag, text, texts, valueOf } from '../../kubo-command.ts'
import { checkPinName, cidPrinter, fetchPolicyOf } from '../../params/file-options.ts'
import type { RemotePin } from '../../remote-pins/psa-client.ts'
import {
  remoteNameOf,
  remoteOption,
  type RemotePinDeps,
  type ShownPin,
  shown,
} from '../../remote-pins/remote-command.ts'

type RemoteAddInput = {
  readonly path: string
  readonly remote: string
  readonly name: string
  readonly background: boolean
  readonly origins: readonly string[]
  readonly patience: FetchPolicy
  readonly print: (cid: CID) => string
}

/** Interval of status requests, as in Kubo. */
const pollMs = 500
const originsMax = 20

const declared = {
  service: remoteOption,
  name: text('name'),
  background: flag('background'),
  // Kubo has no such option, but kubo-rpc-client sends it.
  origin: texts('origin'),
}

export function createPinRemoteAdd(parts: RemotePinDeps): KuboCommand<RemoteAddInput> {
  return {
    name: 'pin/remote/add',
    class: 'write',
    argument: { name: 'ipfs-path', required: true },
    body: 'none',
    options: Object.values(declared),
    parse({ args, options }) {
      const [path = ''] = args
      if (args.length !== 1) throw failed('expecting one CID argument')
      const name = valueOf(options, declared.name)
      checkPinName(name)
      const origins = valueOf(options, declared.origin).split(',').filter(Boolean)
      if (origins.length > originsMax) throw failed(`more than ${originsMax} origins`)
      return {
        path,
        remote: remoteNameOf(options),
        name,
        background: valueOf(options, declared.background),
        origins,
        patience: fetchPolicyOf(options),
        print: cidPrinter(options),
      }
    },
    async run(input, { caller, files, signal }) {
      const { name, origins, background } = input
      const remote = await parts.remotes.get(caller.accountId, input.remote)
      const cid = await files.resolve(input.path, input.patience, signal)
      let pin: RemotePin = await parts.client.add(remote, { cid, name, origins }, signal)
      const { id } = pin
      while (!background && pin.status !== 'pinned') {
        pin = await parts.client.get(remote, id, signal)
        if (pin.status === 'failed') {
          throw failed(`remote service failed to pin requestid=${JSON.stringify(id)}`)
        }
        if (pin.status !== 'pinned') await waitFor(pollMs, parts.clock, signal)
      }
      return { kind: 'object', value: shown(pin, input.print), text: asText }
    },
  }
}

function asText(value: unknown): string {
  const { Cid, Name, Status } = value as ShownPin
  return `CID:    ${Cid}\nName:   ${Name}\nStatus: ${Status}\n`
}

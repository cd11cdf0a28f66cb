// Shared by the commands `pin/remote/*`: the selected service, filters, and the output of a remote pin.
// Tested by test/files/remote-pins.test.ts
import type { CID } from 'multiformats/cid'
import type { Clock } from '../../base/clock.ts'
import { parseCid } from '../../codec/ipld/cid.ts'
import { type OptionValues, failed, text, texts, valueOf } from '../kubo-command.ts'
import { checkPinName } from '../params/file-options.ts'
import type { PinRemotes } from './pin-remotes.ts'
import { type PsaClient, type RemoteFilter, type RemotePin, remoteStatuses } from './psa-client.ts'

export type RemotePinDeps = {
  readonly remotes: PinRemotes
  readonly client: PsaClient
  readonly clock: Clock
}

export const remoteOption = text('service')

export const filterOptions = {
  service: remoteOption,
  name: text('name'),
  cid: texts('cid'),
  status: texts('status', { default: 'pinned' }),
}

const cidsMax = 10

export function remoteNameOf(options: OptionValues): string {
  if (!options.has(remoteOption.name)) throw failed('a service name must be passed')
  return valueOf(options, remoteOption)
}

export function filterOf(options: OptionValues): RemoteFilter {
  const name = valueOf(options, filterOptions.name)
  checkPinName(name)
  const cids = listOf(valueOf(options, filterOptions.cid)).map((one) => {
    const cid = parseCid(one)
    if (cid === null) throw failed(`CID ${JSON.stringify(one)} cannot be parsed: invalid cid`)
    return cid
  })
  if (cids.length > cidsMax) throw failed(`more than ${cidsMax} CIDs`)
  const statuses = listOf(valueOf(options, filterOptions.status)).map((one) => {
    const status = remoteStatuses.find((known) => known === one)
    if (status === undefined) throw failed(`status ${JSON.stringify(one)} is not valid`)
    return status
  })
  return { name, cids, statuses }
}

function listOf(joined: string): readonly string[] {
  return joined === '' ? [] : joined.split(',')
}

export type ShownPin = { readonly Status: string; readonly Cid: string; readonly Name: string }

export function shown({ status, cid, name }: RemotePin, print: (cid: CID) => string): ShownPin {
  return { Status: status, Cid: print(cid), Name: name }
}

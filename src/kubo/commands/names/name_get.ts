// `name/get`: the newest signed record of an IPNS name.
// Tested by src/kubo/commands/names/names.test.ts
import { Fault } from '../../../base/fault.ts'
import { type IpnsName, parseIpnsName } from '../../../codec/ipld/ipns-name.ts'
import type { KuboCommand } from '../../kubo-command.ts'
import { valueOf } from '../../kubo-command.ts'
import { globalOptions } from '../../kubo-commands.ts'
import type { NameCommandDeps } from '../../params/ipns-options.ts'

type GetInput = { readonly name: IpnsName; readonly offline: boolean }

const recordType = 'application/vnd.ipfs.ipns-record'

export function createNameGet({ names }: NameCommandDeps): KuboCommand<GetInput> {
  return {
    name: 'name/get',
    class: 'read',
    argument: { name: 'name', required: true },
    body: 'none',
    options: [],
    parse: ({ args: [name = ''], options }) => ({
      name: readName(name),
      offline: valueOf(options, globalOptions.offline),
    }),
    async run({ name, offline }, { signal }) {
      const found = await names.find(name, { fresh: false, offline, routers: true }, signal)
      if (found === null) {
        const cause = new Fault('not_found')
        throw new Fault('command_failed', { detail: 'routing: not found', cause })
      }
      const length = BigInt(found.bytes.length)
      return { kind: 'bytes', chunks: only(found.bytes), length, type: recordType }
    },
  }
}

/** Throws `command_failed` with Kubo's text. */
export function readName(text: string): IpnsName {
  const name = parseIpnsName(text.replace(/^\/ipns\//, ''))
  if (name !== null) return name
  throw new Fault('command_failed', {
    detail: `invalid IPNS name: ${JSON.stringify(text.slice(0, 200))}`,
  })
}

async function* only(bytes: Uint8Array) {
  yield bytes
}

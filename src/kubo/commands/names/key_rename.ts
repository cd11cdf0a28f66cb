// `key/rename`: renames a stored key; `force` removes the key that has the new name.
// Tested by src/kubo/commands/names/names.test.ts
import type { IpnsName } from '../../../codec/ipld/ipns-name.ts'
import { type KuboCommand, flag, valueOf } from '../../kubo-command.ts'
import {
  type NameCommandDeps,
  keystoreOf,
  ipnsBase,
  namePrinter,
} from '../../params/ipns-options.ts'

type RenameInput = {
  readonly from: string
  readonly to: string
  readonly force: boolean
  readonly print: (name: IpnsName) => string
}

const declared = { force: flag('force', { alias: 'f' }), ipnsBase }

export function createKeyRename(parts: NameCommandDeps): KuboCommand<RenameInput> {
  return {
    name: 'key/rename',
    class: 'write',
    argument: { name: 'name', required: true },
    second: 'newName',
    body: 'none',
    options: Object.values(declared),
    parse: ({ args: [from = '', to = ''], options }) => ({
      from,
      to,
      force: valueOf(options, declared.force),
      print: namePrinter(options),
    }),
    async run({ from, to, force, print }, { caller }) {
      const { id, overwritten } = await keystoreOf(parts).rename(caller.accountId, from, to, force)
      const value = { Was: from, Now: to, Id: print(id), Overwrite: overwritten }
      const end = overwritten ? ' with overwriting' : ''
      return {
        kind: 'object',
        value,
        text: () => `Key ${value.Id} renamed to ${to}${end}\n`,
      }
    },
  }
}

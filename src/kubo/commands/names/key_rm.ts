// `key/rm`: removes keys that Cairn stores for the account. Their records remain until they expire.
// Tested by src/kubo/commands/names/names.test.ts
import type { IpnsName } from '../../../codec/ipld/ipns-name.ts'
import { type KuboCommand, flag, valueOf } from '../../kubo-command.ts'
import {
  type NameCommandDeps,
  keystoreOf,
  ipnsBase,
  namePrinter,
} from '../../params/ipns-options.ts'
import { keyList, type ShownKey } from '../../replies/key-list.ts'

type RmInput = {
  readonly names: readonly string[]
  readonly long: boolean
  readonly print: (name: IpnsName) => string
}

const declared = { long: flag('l'), ipnsBase }

export function createKeyRm(parts: NameCommandDeps): KuboCommand<RmInput> {
  return {
    name: 'key/rm',
    class: 'write',
    argument: { name: 'name', required: true },
    body: 'lines',
    options: Object.values(declared),
    parse: ({ args, options }) => ({
      names: args,
      long: valueOf(options, declared.long),
      print: namePrinter(options),
    }),
    async run({ names, long, print }, { caller }) {
      const keys = keystoreOf(parts)
      const removed: ShownKey[] = []
      for (const name of names) {
        const { id } = await keys.remove(caller.accountId, name)
        removed.push({ Name: name, Id: print(id) })
      }
      return keyList(removed, long)
    },
  }
}

// `key/list` and `key/ls`: the keys that Cairn stores for the account.
// Tested by src/kubo/commands/names/names.test.ts
import type { IpnsName } from '../../../codec/ipld/ipns-name.ts'
import { type KuboCommand, flag, valueOf } from '../../kubo-command.ts'
import {
  type NameCommandDeps,
  keystoreOf,
  ipnsBase,
  namePrinter,
} from '../../params/ipns-options.ts'
import { keyList } from '../../replies/key-list.ts'

type ListInput = { readonly long: boolean; readonly print: (name: IpnsName) => string }

const declared = { long: flag('l'), ipnsBase }

function createList(name: 'key/list' | 'key/ls') {
  return (parts: NameCommandDeps): KuboCommand<ListInput> => ({
    name,
    class: 'read',
    argument: null,
    body: 'none',
    options: Object.values(declared),
    parse: ({ options }) => ({
      long: valueOf(options, declared.long),
      print: namePrinter(options),
    }),
    async run({ long, print }, { caller }) {
      const keys = await keystoreOf(parts).list(caller.accountId)
      return keyList(
        keys.map((key) => ({ Name: key.name, Id: print(key.id) })),
        long,
      )
    },
  })
}

export const createKeyList = createList('key/list')
export const createKeyLs = createList('key/ls')

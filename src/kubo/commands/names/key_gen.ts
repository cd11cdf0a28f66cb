// `key/gen`: creates an Ed25519 key of an IPNS name, which Cairn stores for the account.
// Tested by src/kubo/commands/names/names.test.ts
import { Fault } from '../../../base/fault.ts'
import type { IpnsName } from '../../../codec/ipld/ipns-name.ts'
import { type KuboCommand, failed, integer, text, valueOf } from '../../kubo-command.ts'
import {
  type NameCommandDeps,
  keystoreOf,
  ipnsBase,
  namePrinter,
} from '../../params/ipns-options.ts'

type GenInput = { readonly name: string; readonly print: (name: IpnsName) => string }

const declared = {
  type: text('type', { alias: 't', default: 'ed25519' }),
  size: integer('size', { alias: 's', default: null }),
  ipnsBase,
}

export function createKeyGen(parts: NameCommandDeps): KuboCommand<GenInput> {
  return {
    name: 'key/gen',
    class: 'write',
    argument: { name: 'name', required: true },
    body: 'none',
    options: Object.values(declared),
    parse({ args: [name = ''], options }) {
      const type = valueOf(options, declared.type)
      if (type === 'rsa' || type === 'secp256k1') {
        const detail = `value ${JSON.stringify(type)} of option "type" is not supported by this server: expected ed25519`
        throw new Fault('unsupported_option', { detail })
      }
      if (type !== 'ed25519' && type !== '') throw failed(`unrecognized key type: ${type}`)
      const size = valueOf(options, declared.size)
      if (size !== null && size !== -1n && size !== 256n) {
        throw failed(`invalid key size ${size}: ed25519 keys are always 256 bits`)
      }
      return { name, print: namePrinter(options) }
    },
    async run({ name, print }, { caller }) {
      const key = await keystoreOf(parts).create(caller.accountId, name)
      const value = { Name: name, Id: print(key.id) }
      return { kind: 'object', value, text: () => `${value.Id}\n` }
    },
  }
}

// `key/import`: imports an Ed25519 key, as Kubo exports it or in PEM (PKCS #8), which Cairn then stores.
// Tested by src/kubo/commands/names/names.test.ts
import { type KeyObject, createPrivateKey } from 'node:crypto'
import { Fault } from '../../../base/fault.ts'
import type { IpnsName } from '../../../codec/ipld/ipns-name.ts'
import { decodePrivateKey } from '../../../codec/ipld/libp2p-key.ts'
import type { UploadEntry } from '../../../ipfs/import/upload-entry.ts'
import { type KuboCommand, failed, flag, text, valueOf } from '../../kubo-command.ts'
import {
  type NameCommandDeps,
  keystoreOf,
  ipnsBase,
  namePrinter,
  readOneFile,
} from '../../params/ipns-options.ts'

type ImportInput = {
  readonly name: string
  readonly entries: AsyncIterable<UploadEntry> | null
  readonly read: (bytes: Uint8Array) => KeyObject
  readonly print: (name: IpnsName) => string
}

const declared = {
  ipnsBase,
  format: text('format', { alias: 'f', default: 'libp2p-protobuf-cleartext' }),
  anyType: flag('allow-any-key-type'),
}

const keyBytesMax = 16 * 1024

export function createKeyImport(parts: NameCommandDeps): KuboCommand<ImportInput> {
  return {
    name: 'key/import',
    class: 'write',
    argument: { name: 'name', required: true },
    file: 'key',
    body: 'entries',
    options: Object.values(declared),
    parse({ args: [name = ''], options, entries }) {
      const format = valueOf(options, declared.format)
      const read = readers.get(format)
      if (read === undefined) throw failed(`unrecognized import format: ${format}`)
      return { name, entries, read, print: namePrinter(options) }
    },
    async run({ name, entries, read, print }, { caller }) {
      const keys = keystoreOf(parts)
      const tooBig = `a key of more than ${keyBytesMax} bytes`
      const bytes = await readOneFile(entries, 'key', { bytesMax: keyBytesMax, tooBig })
      const { id } = await keys.import(caller.accountId, name, read(bytes))
      const value = { Name: name, Id: print(id) }
      return { kind: 'object', value, text: () => `${value.Id}\n` }
    },
  }
}

const readers: ReadonlyMap<string, (bytes: Uint8Array) => KeyObject> = new Map([
  ['libp2p-protobuf-cleartext', decodePrivateKey],
  ['pem-pkcs8-cleartext', readPem],
])

function readPem(bytes: Uint8Array): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey({ key: Buffer.from(bytes), format: 'pem' })
  } catch (cause) {
    throw new Fault('command_failed', { detail: 'parsing PKCS8 format failed', cause })
  }
  if (key.asymmetricKeyType !== 'ed25519') throw failed('only Ed25519 keys can be imported')
  return key
}

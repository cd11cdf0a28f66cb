// `name/put`: stores and publishes a record that the client signed. `force` only skips Kubo's check of the sequence number: Cairn
// never stores an invalid record.
// Tested by src/kubo/commands/names/names.test.ts
import type { IpnsName } from '../../../codec/ipld/ipns-name.ts'
import type { UploadEntry } from '../../../ipfs/import/upload-entry.ts'
import { type KuboCommand, failed, flag, valueOf } from '../../kubo-command.ts'
import {
  type NameCommandDeps,
  isOffline,
  publishOptions,
  readRecord,
} from '../../params/ipns-options.ts'
import { readName } from './name_get.ts'

type PutInput = {
  readonly name: IpnsName
  readonly entries: AsyncIterable<UploadEntry> | null
  readonly force: boolean
  readonly offline: boolean
  readonly quiet: boolean
}

const declared = {
  force: flag('force', { alias: 'f' }),
  ...publishOptions,
  quiet: flag('quiet', { alias: 'q' }),
}

export function createNamePut({ names }: NameCommandDeps): KuboCommand<PutInput> {
  return {
    name: 'name/put',
    class: 'write',
    argument: { name: 'name', required: true },
    file: 'record',
    body: 'entries',
    options: Object.values(declared),
    parse({ args: [name = ''], options, entries }) {
      const offline = isOffline(options)
      return {
        name: readName(name),
        entries,
        force: valueOf(options, declared.force),
        offline,
        quiet: valueOf(options, declared.quiet),
      }
    },
    async run({ name, entries, force, offline, quiet }, { caller, signal }) {
      const bytes = await readRecord(entries)
      if (bytes.length === 0) throw failed('record is empty')
      const put = { name, bytes, force }
      const { value } = await names.put(caller.accountId, put, { offline }, signal)
      return {
        kind: 'object',
        value: { Name: name.text, Value: value },
        text: () => (quiet ? '' : `${name.text}\n`),
      }
    },
  }
}

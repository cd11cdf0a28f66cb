// `name/put`: stores a record that the client signed, and publishes it. `force` skips Kubo's check of the sequence number alone: Cairn
// stores no record that is not valid.
// Tested by src/kubo/commands/names/names.test.ts
import type { IpnsName } from '../../../codec/ipld/ipns-name.ts'
import { ipnsRecordBytesMax } from '../../../codec/ipld/ipns-record.ts'
import type { UploadEntry } from '../../../ipfs/import/upload-entry.ts'
import { type KuboCommand, failed, flag, valueOf } from '../../kubo-command.ts'
import { globalOptions } from '../../kubo-commands.ts'
import { type NameCommandDeps, readOneFile } from '../../params/ipns-options.ts'
import { readName } from './name_get.ts'

type PutInput = {
  readonly name: IpnsName
  readonly entries: AsyncIterable<UploadEntry> | null
  readonly force: boolean
  readonly offline: boolean
  readonly quiet: boolean
}

const takes = {
  force: flag('force', { alias: 'f' }),
  allowOffline: flag('allow-offline'),
  allowDelegated: flag('allow-delegated'),
  quiet: flag('quiet', { alias: 'q' }),
}

export function createNamePut({ names }: NameCommandDeps): KuboCommand<PutInput> {
  return {
    name: 'name/put',
    class: 'write',
    argument: { name: 'name', required: true },
    file: 'record',
    body: 'entries',
    options: Object.values(takes),
    parse({ args: [name = ''], options, entries }) {
      if (valueOf(options, takes.allowOffline) && valueOf(options, takes.allowDelegated)) {
        throw failed('cannot use both --allow-offline and --allow-delegated flags')
      }
      return {
        name: readName(name),
        entries,
        force: valueOf(options, takes.force),
        offline: valueOf(options, globalOptions.offline) || valueOf(options, takes.allowOffline),
        quiet: valueOf(options, takes.quiet),
      }
    },
    async run({ name, entries, force, offline, quiet }, { caller, signal }) {
      const tooBig = `record exceeds maximum size of ${ipnsRecordBytesMax} bytes`
      const bytes = await readOneFile(entries, 'record', { bytesMax: ipnsRecordBytesMax, tooBig })
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

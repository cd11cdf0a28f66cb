// `files/mv`: moves an entry of the account's file tree.
// Tested by src/kubo/commands/mfs/mfs-commands.test.ts
import { moveEntry } from '../../../ipfs/mfs/mfs-changes.ts'
import { checkMfsPath } from '../../../ipfs/mfs/mfs-path.ts'
import { type KuboCommand, emptyReply } from '../../kubo-command.ts'
import { type MfsInput, flush, mfsCall, mfsInput } from '../../params/mfs-options.ts'

type FilesMvInput = MfsInput & {
  readonly from: string
  readonly to: string
}

export const filesMv: KuboCommand<FilesMvInput> = {
  name: 'files/mv',
  class: 'write',
  argument: { name: 'source', required: true },
  second: 'dest',
  body: 'none',
  options: [flush],
  parse({ args: [from = '', to = ''], options }, profile) {
    return {
      from: checkMfsPath(from),
      to: checkMfsPath(to),
      ...mfsInput(options, profile),
    }
  },
  async run(input, call) {
    await call.files.mfs.change(mfsCall(input, call), {
      work: (tree) => moveEntry(tree, input.from, input.to),
    })
    return emptyReply()
  },
}

// `files/mkdir`: creates a directory in the account's file tree.
// Tested by src/kubo/commands/mfs/mfs-commands.test.ts
import type { CidFormat } from '../../../ipfs/mfs/cid-format.ts'
import { makeDirectory } from '../../../ipfs/mfs/mfs-changes.ts'
import { checkMfsPath } from '../../../ipfs/mfs/mfs-path.ts'
import { type KuboCommand, emptyReply, flag, valueOf } from '../../kubo-command.ts'
import {
  type MfsInput,
  flush,
  formatIn,
  formatOfProfile,
  formatOptions,
  mfsCall,
  mfsInput,
} from '../../params/mfs-options.ts'

type FilesMkdirInput = MfsInput & {
  readonly path: string
  readonly parents: boolean
  readonly format: CidFormat
}

const declared = { parents: flag('parents', { alias: 'p' }), ...formatOptions, flush }

export const filesMkdir: KuboCommand<FilesMkdirInput> = {
  name: 'files/mkdir',
  class: 'write',
  stores: true,
  argument: { name: 'path', required: true },
  body: 'none',
  options: Object.values(declared),
  parse({ args, options }, profile) {
    return {
      path: checkMfsPath(args[0] ?? ''),
      parents: valueOf(options, declared.parents),
      format: formatIn(options) ?? formatOfProfile(profile),
      ...mfsInput(options, profile),
    }
  },
  async run(input, call) {
    await call.files.mfs.change(mfsCall(input, call), {
      work: (tree) => makeDirectory(tree, input.path, input),
    })
    return emptyReply()
  },
}

// `files/chcid`: changes the CID version or hash function of a directory in the account's file tree.
// Tested by src/kubo/commands/mfs/mfs-commands.test.ts
import type { CidFormat } from '../../../ipfs/mfs/cid-format.ts'
import { changeFormat } from '../../../ipfs/mfs/mfs-changes.ts'
import { checkMfsPath } from '../../../ipfs/mfs/mfs-path.ts'
import { type KuboCommand, emptyReply, failed } from '../../kubo-command.ts'
import {
  type MfsInput,
  flush,
  formatIn,
  formatOptions,
  mfsCall,
  mfsInput,
} from '../../params/mfs-options.ts'

type FilesChcidInput = MfsInput & {
  readonly path: string
  readonly format: CidFormat | null
}

export const filesChcid: KuboCommand<FilesChcidInput> = {
  name: 'files/chcid',
  class: 'write',
  argument: { name: 'path', required: true },
  body: 'none',
  options: [...Object.values(formatOptions), flush],
  parse({ args: [given = ''], options }, profile) {
    if (!given.startsWith('/')) throw failed('file does not exist')
    const path = checkMfsPath(given)
    if (path === '/') {
      throw failed(
        "cannot change CID format of the MFS root; use 'ipfs config Import.CidVersion' and " +
          "'ipfs config Import.HashFunction' instead",
      )
    }
    return { path, format: formatIn(options), ...mfsInput(options, profile) }
  },
  async run(input, call) {
    await call.files.mfs.change(mfsCall(input, call), {
      work: (tree) => changeFormat(tree, input.path, input.format),
    })
    return emptyReply()
  },
}

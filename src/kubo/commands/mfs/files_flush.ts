// `files/flush`: the CID of a path in the account's file tree. All changes are durable without it.
// Tested by src/kubo/commands/mfs/mfs-commands.test.ts
import type { CID } from 'multiformats/cid'
import { segmentsOf } from '../../../ipfs/mfs/mfs-path.ts'
import type { KuboCommand } from '../../kubo-command.ts'
import { cidPrinter } from '../../params/file-options.ts'
import { type MfsInput, flush, mfsCall, mfsInput } from '../../params/mfs-options.ts'

type FilesFlushInput = MfsInput & {
  readonly path: string
  readonly print: (cid: CID) => string
}

export const filesFlush: KuboCommand<FilesFlushInput> = {
  name: 'files/flush',
  class: 'write',
  argument: { name: 'path', required: false },
  body: 'none',
  options: [flush],
  parse({ args, options }, profile) {
    return {
      path: args[0] ?? '/',
      ...mfsInput(options, profile),
      print: cidPrinter(options),
    }
  },
  async run(input, call) {
    const tree = await call.files.mfs.open(mfsCall(input, call))
    const { cid } = await tree.get(segmentsOf(input.path))
    return { kind: 'object', value: { Cid: input.print(cid) } }
  },
}

// `files/chmod`: sets the permissions of an entry of the account's file tree.
// Tested by src/kubo/commands/mfs/mfs-commands.test.ts
import { changeStat } from '../../../ipfs/mfs/mfs-changes.ts'
import { checkMfsPath } from '../../../ipfs/mfs/mfs-path.ts'
import { type KuboCommand, emptyReply, failed } from '../../kubo-command.ts'
import { type MfsInput, flush, mfsCall, mfsInput } from '../../params/mfs-options.ts'

type FilesChmodInput = MfsInput & {
  /** Null: removes the mode. */
  readonly mode: number | null
  readonly path: string
}

export const filesChmod: KuboCommand<FilesChmodInput> = {
  name: 'files/chmod',
  class: 'write',
  argument: { name: 'mode', required: true },
  second: 'path',
  body: 'none',
  options: [flush],
  parse({ args: [mode = '', path = ''], options }, profile) {
    const checked = checkMfsPath(path)
    return { mode: modeOf(mode), path: checked, ...mfsInput(options, profile) }
  },
  async run(input, call) {
    const { mode } = input
    await call.files.mfs.change(mfsCall(input, call), {
      work: (tree) => changeStat(tree, input.path, { mode }),
    })
    return emptyReply()
  },
}

/** The lowest 9 bits, as in Kubo. */
function modeOf(text: string): number | null {
  if (!/^[+-]?[0-7]+$/.test(text)) {
    throw failed(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
  }
  const value = Number.parseInt(text, 8)
  if (value >= 2 ** 31 || value < -(2 ** 31)) {
    throw failed(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`)
  }
  return value & 0o777 || null
}

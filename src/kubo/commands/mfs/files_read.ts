// `files/read`: the bytes of a file of the account's file tree.
// Tested by src/kubo/commands/mfs/mfs-commands.test.ts
import { hasCode } from '../../../base/fault.ts'
import { checkMfsPath, segmentsOf } from '../../../ipfs/mfs/mfs-path.ts'
import { type KuboCommand, failed, integer, valueOf } from '../../kubo-command.ts'
import { type MfsInput, flush, mfsCall, mfsInput } from '../../params/mfs-options.ts'

type FilesReadInput = MfsInput & {
  readonly path: string
  readonly offset: bigint
  /** Null: to the end. */
  readonly count: bigint | null
}

const declared = {
  offset: integer('offset', { type: 'int64', alias: 'o' }),
  count: integer('count', { type: 'int64', alias: 'n', default: null }),
  flush,
}

export const filesRead: KuboCommand<FilesReadInput> = {
  name: 'files/read',
  class: 'read',
  argument: { name: 'path', required: true },
  body: 'none',
  options: Object.values(declared),
  parse({ args, options }, profile) {
    return {
      path: checkMfsPath(args[0] ?? ''),
      offset: valueOf(options, declared.offset),
      count: valueOf(options, declared.count),
      ...mfsInput(options, profile),
    }
  },
  async run(input, call) {
    const { path, offset, count, patience } = input
    const tree = await call.files.mfs.open(mfsCall(input, call))
    const found = await tree.get(segmentsOf(path)).catch((thrown: unknown) => {
      const isCommandError = thrown instanceof Error && hasCode(thrown, 'command_failed')
      throw isCommandError ? failed(`${path}: ${thrown.message}`) : thrown
    })
    if (found.kind !== 'file') throw failed(`${path} was not a file`)
    if (offset < 0n) throw failed('cannot specify negative offset')
    const { kind, size } = await call.files.stat(found.cid, patience, call.signal)
    if (kind === 'symlink') throw failed('symlinks not yet supported')
    if (offset > size) throw failed(`offset was past end of file (${offset} > ${size})`)
    if (count !== null && count < 0n) throw failed("cannot specify negative 'count'")
    const { chunks } = await call.files.open(
      found.cid,
      { offset, length: count },
      patience,
      call.signal,
    )
    const rest = size - offset
    return { kind: 'bytes', chunks, length: count !== null && count < rest ? count : rest }
  },
}

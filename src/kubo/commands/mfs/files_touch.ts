// `files/touch`: sets the modification time of an entry of the account's file tree.
// Tested by src/kubo/commands/mfs/mfs-commands.test.ts
import type { Clock } from '../../../base/clock.ts'
import type { Mtime } from '../../../ipfs/import/upload-entry.ts'
import { changeStat } from '../../../ipfs/mfs/mfs-changes.ts'
import { checkMfsPath } from '../../../ipfs/mfs/mfs-path.ts'
import { type KuboCommand, emptyReply, failed, integer, valueOf } from '../../kubo-command.ts'
import { type MfsInput, flush, mfsCall, mfsInput } from '../../params/mfs-options.ts'

type FilesTouchInput = MfsInput & {
  readonly path: string
  readonly mtime: Mtime
}

const declared = {
  mtime: integer('mtime', { type: 'int64' }),
  mtimeNsecs: integer('mtime-nsecs', { type: 'uint' }),
  flush,
}

/** The time of the clock in UnixFS form. */
export function mtimeOf(clock: Clock): Mtime {
  const ms = clock.now()
  return { seconds: BigInt(Math.floor(ms / 1000)), nanos: Math.floor((ms % 1000) * 1e6) }
}

export function createFilesTouch(clock: Clock): KuboCommand<FilesTouchInput> {
  return {
    name: 'files/touch',
    class: 'write',
    argument: { name: 'path', required: true },
    body: 'none',
    options: Object.values(declared),
    parse({ args, options }, profile) {
      const seconds = valueOf(options, declared.mtime)
      const nanos = Number(valueOf(options, declared.mtimeNsecs))
      if (nanos > 999_999_999) throw failed('mtime nanoseconds must be in range [1, 999999999]')
      return {
        path: checkMfsPath(args[0] ?? ''),
        mtime: seconds === 0n ? mtimeOf(clock) : { seconds, nanos },
        ...mfsInput(options, profile),
      }
    },
    async run(input, call) {
      const { mtime } = input
      await call.files.mfs.change(mfsCall(input, call), {
        work: (tree) => changeStat(tree, input.path, { mtime }),
      })
      return emptyReply()
    },
  }
}

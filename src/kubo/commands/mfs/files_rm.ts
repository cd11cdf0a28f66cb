// `files/rm`: removes entries of the account's file tree. Kubo answers 200 with errors as lines; Cairn answers 500 with the same
// texts, so that clients cannot mistake it for success.
// Tested by src/kubo/commands/mfs/mfs-commands.test.ts
import { hasCode } from '../../../base/fault.ts'
import { removeEntry } from '../../../ipfs/mfs/mfs-changes.ts'
import { checkMfsPath } from '../../../ipfs/mfs/mfs-path.ts'
import {
  type CommandCall,
  type KuboCommand,
  emptyReply,
  failed,
  flag,
  valueOf,
} from '../../kubo-command.ts'
import { type MfsInput, flush, mfsCall, mfsInput } from '../../params/mfs-options.ts'

type FilesRmInput = MfsInput & {
  readonly paths: readonly string[]
  readonly recursive: boolean
  readonly force: boolean
}

const declared = { recursive: flag('recursive', { alias: 'r' }), force: flag('force'), flush }

export const filesRm: KuboCommand<FilesRmInput> = {
  name: 'files/rm',
  class: 'write',
  argument: { name: 'path', required: true },
  body: 'lines',
  options: Object.values(declared),
  parse({ args, options }, profile) {
    if (!valueOf(options, declared.flush)) {
      throw failed(
        'files rm always flushes for safety. The --flush flag cannot be set to false for this command',
      )
    }
    return {
      paths: args,
      recursive: valueOf(options, declared.recursive),
      force: valueOf(options, declared.force),
      ...mfsInput(options, profile),
    }
  },
  async run(input, call) {
    const failures: string[] = []
    for (const path of input.paths) {
      const failure = await removeOne(path, input, call)
      if (failure !== null) failures.push(failure)
    }
    if (failures.length > 0) throw failed(failures.join('\n'))
    return emptyReply()
  },
}

/** Null, or why the path cannot be removed. The other paths of the request are still removed. */
async function removeOne(
  given: string,
  input: FilesRmInput,
  call: CommandCall,
): Promise<string | null> {
  let path: string
  try {
    path = checkMfsPath(given)
  } catch (thrown) {
    return `${given} is not a valid path: ${reasonOf(thrown)}`
  }
  try {
    await call.files.mfs.change(mfsCall(input, call), {
      work: (tree) => removeEntry(tree, path, input),
      frees: true,
    })
    return null
  } catch (thrown) {
    return `${path}: ${reasonOf(thrown)}`
  }
}

/** Rethrows errors that do not concern this path alone. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof Error && hasCode(thrown, 'command_failed')) return thrown.message
  throw thrown
}

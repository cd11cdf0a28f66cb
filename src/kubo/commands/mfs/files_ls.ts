// `files/ls`: the entries of a directory in the account's file tree, in stored order.
// Tested by src/kubo/commands/mfs/mfs-commands.test.ts
import type { CID } from 'multiformats/cid'
import { checkMfsPath, segmentsOf } from '../../../ipfs/mfs/mfs-path.ts'
import { type CommandCall, type KuboCommand, flag, valueOf } from '../../kubo-command.ts'
import { cidPrinter } from '../../params/file-options.ts'
import { type MfsInput, flush, mfsCall, mfsInput } from '../../params/mfs-options.ts'

type FilesLsInput = MfsInput & {
  readonly path: string
  readonly long: boolean
  readonly unsorted: boolean
  readonly print: (cid: CID) => string
}

/** `Type`: 0 a file, 1 a directory. Without `long` only the name is set. */
type Listed = {
  readonly Name: string
  readonly Type: number
  readonly Size: bigint
  readonly Hash: string
}

const declared = { long: flag('long', { alias: 'l' }), unsorted: flag('U'), flush }

export const filesLs: KuboCommand<FilesLsInput> = {
  name: 'files/ls',
  class: 'read',
  argument: { name: 'path', required: false },
  body: 'none',
  options: Object.values(declared),
  parse({ args, options }, profile) {
    return {
      path: checkMfsPath(args[0] ?? '/'),
      long: valueOf(options, declared.long),
      unsorted: valueOf(options, declared.unsorted),
      ...mfsInput(options, profile),
      print: cidPrinter(options),
    }
  },
  async run(input, call) {
    const tree = await call.files.mfs.open(mfsCall(input, call))
    const segments = segmentsOf(input.path)
    const { cid, kind } = await tree.get(segments)
    const entries: Listed[] = []
    if (kind === 'file') {
      const name = input.path.endsWith('/') ? '' : (segments.at(-1) ?? '')
      entries.push(await listOne(name, cid, input, call, input.print))
    } else {
      for await (const entry of call.files.list(cid, input.patience, call.signal)) {
        entries.push(await listOne(entry.name, entry.cid, input, call, String))
      }
    }
    const value = { Entries: entries.length === 0 ? null : entries }
    return { kind: 'object', value, text: () => textOf(entries, input) }
  },
}

async function listOne(
  name: string,
  cid: CID,
  { long, patience }: FilesLsInput,
  { files, signal }: CommandCall,
  print: (cid: CID) => string,
): Promise<Listed> {
  if (!long) return { Name: name, Type: 0, Size: 0n, Hash: '' }
  const { kind, size } = await files.stat(cid, patience, signal)
  return { Name: name, Type: kind === 'directory' ? 1 : 0, Size: size, Hash: print(cid) }
}

function textOf(entries: readonly Listed[], { long, unsorted }: FilesLsInput): string {
  const listed = unsorted
    ? entries
    : entries.toSorted((one, other) =>
        Buffer.compare(Buffer.from(one.Name), Buffer.from(other.Name)),
      )
  return listed
    .map(({ Name, Type, Size, Hash }) =>
      long ? `${Name}${Type === 1 ? '/' : ''}\t${Hash}\t${Size}\n` : `${Name}\n`,
    )
    .join('')
}

// `files/cp`: adds an entry to the account's file tree: a copy of another entry, or content of which only the root is read.
// Tested by src/kubo/commands/mfs/mfs-commands.test.ts
import type { CID } from 'multiformats/cid'
import type { FaultCode } from '../../../base/fault.ts'
import type { CidFormat } from '../../../ipfs/mfs/cid-format.ts'
import { isUnixfs, putEntry, removeFile } from '../../../ipfs/mfs/mfs-changes.ts'
import { checkMfsPath, segmentsOf, splitPath } from '../../../ipfs/mfs/mfs-path.ts'
import { entryOf } from '../../../ipfs/mfs/mfs-tree.ts'
import type { MfsTree } from '../../../ipfs/mfs/tree.ts'
import {
  type CommandCall,
  type KuboCommand,
  emptyReply,
  failed,
  flag,
  valueOf,
} from '../../kubo-command.ts'
import {
  type MfsInput,
  flush,
  formatOfProfile,
  mfsCall,
  mfsInput,
  withStep,
} from '../../params/mfs-options.ts'
import { checkSourcePath, isContentPath } from '../../params/mfs-source.ts'

type FilesCpInput = MfsInput & {
  readonly from: string
  readonly to: string
  readonly parents: boolean
  readonly force: boolean
  readonly format: CidFormat
}

const declared = {
  force: flag('force'),
  parents: flag('parents', { alias: 'p' }),
  flush,
}

export const filesCp: KuboCommand<FilesCpInput> = {
  name: 'files/cp',
  class: 'write',
  stores: true,
  argument: { name: 'source', required: true },
  second: 'dest',
  body: 'none',
  options: Object.values(declared),
  parse({ args: [source = '', dest = ''], options }, profile) {
    const from = checkSourcePath(source).replace(/\/+$/, '')
    const to = checkMfsPath(dest)
    return {
      from,
      to: to.endsWith('/') ? to + (from.split('/').at(-1) || '.') : to,
      parents: valueOf(options, declared.parents),
      force: valueOf(options, declared.force),
      format: formatOfProfile(profile),
      ...mfsInput(options, profile),
    }
  },
  async run(input, call) {
    const { from, patience } = input
    const content = isContentPath(from) ? await findContent(input, call) : null
    await call.files.mfs.change(mfsCall(input, call), {
      work: async (tree) => {
        const cid =
          content ??
          (await withCpStep(`cannot get node from path ${from}`, () => findInTree(tree, from)))
        const block =
          content === null
            ? await tree.blocks.read(cid)
            : await call.files.block(cid, patience, call.signal)
        tree.blocks.adopt(cid, block)
        await copyTo(tree, cid, block, input)
      },
    })
    return emptyReply()
  },
}

async function findContent({ from, patience }: FilesCpInput, call: CommandCall): Promise<CID> {
  return await withCpStep(`cannot get node from path ${from}`, async () => {
    const cid = await call.files.resolve(from, patience, call.signal)
    await call.files.block(cid, patience, call.signal)
    return cid
  })
}

async function findInTree(tree: MfsTree, path: string): Promise<CID> {
  return (await tree.get(segmentsOf(path))).cid
}

async function copyTo(
  tree: MfsTree,
  cid: CID,
  block: Uint8Array,
  { to, parents, force, format }: FilesCpInput,
): Promise<void> {
  const invalid = 'cp: source must be a valid UnixFS (dag-pb or raw codec)'
  let isValid = false
  try {
    isValid = isUnixfs(cid, block)
  } catch (thrown) {
    throw failed(`${invalid}: ${thrown instanceof Error ? thrown.message : ''}`)
  }
  if (!isValid) throw failed(invalid)
  if (parents) await tree.makeDirectories(splitPath(to).parent, format)
  if (force) await withCpStep('cannot unlink existing file', () => removeFile(tree, to))
  const entry = await entryOf(cid, tree.blocks)
  await withCpStep(`cannot put node in path ${to}`, () => putEntry(tree, to, entry))
}

/** Also prefixes errors of looking up content. */
function withCpStep<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
  return withStep(`cp: ${step}`, work, stepCodes)
}

const stepCodes: readonly FaultCode[] = ['command_failed', 'deadline', 'unverified', 'not_found']

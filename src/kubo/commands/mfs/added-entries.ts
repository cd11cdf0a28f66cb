// `add?to-files=`: links added entries into the account's file tree, in one change after the commit of the upload.
// Tested by src/kubo/commands/mfs/mfs-commands.test.ts
import type { CID } from 'multiformats/cid'
import type { ImportProfile } from '../../../codec/ipld/import-profile.ts'
import { putEntry } from '../../../ipfs/mfs/mfs-changes.ts'
import { checkMfsPath, segmentsOf, splitPath } from '../../../ipfs/mfs/mfs-path.ts'
import { entryOf } from '../../../ipfs/mfs/mfs-tree.ts'
import type { MfsTree } from '../../../ipfs/mfs/tree.ts'
import { type CommandCall, failed } from '../../kubo-command.ts'
import { mfsCall, withStep } from '../../params/mfs-options.ts'

/** A top-level entry of an upload. */
export type AddedEntry = { readonly name: string; readonly cid: CID }

export const unnamedToFiles = 'to-files: cannot add unnamed files to MFS'

/** `target`: value of the option. Throws `command_failed` with Kubo's texts; the added content remains stored. */
export async function linkAdded(
  added: readonly AddedEntry[],
  target: string,
  profile: ImportProfile,
  call: CommandCall,
): Promise<void> {
  const patience = { offline: true, timeoutMs: null }
  await call.files.mfs.change(mfsCall({ profile, patience }, call), {
    work: async (tree) => {
      const path = await withStep('to-files', () => checkMfsPath(target === '' ? '/' : target))
      for (const [index, { name, cid }] of added.entries()) {
        if (index > 0 && !path.endsWith('/')) {
          throw failed(
            `to-files: MFS destination is a file: only one entry can be copied to ${quote(path)}`,
          )
        }
        await linkOne(tree, path, name, cid)
      }
    },
  })
}

async function linkOne(tree: MfsTree, target: string, name: string, cid: CID): Promise<void> {
  let path = target
  if (path.endsWith('/')) {
    const step = `to-files: MFS destination directory ${quote(path)} does not exist`
    const { kind } = await withStep(step, () => tree.get(segmentsOf(target)))
    if (kind === 'file') {
      throw failed(`to-files: MFS destination ${quote(path)} is not a directory`)
    }
    path += name
  }
  const above = `/${splitPath(path).parent.join('/')}`
  const step = `to-files: MFS destination parent ${quote(path)} ${quote(above)} does not exist`
  await withStep(step, () => tree.get(segmentsOf(above)))
  const entry = await entryOf(cid, tree.blocks)
  const last = `to-files: cannot put node in path ${quote(path)}`
  await withStep(last, () => putEntry(tree, path, entry))
}

function quote(text: string): string {
  return JSON.stringify(text)
}

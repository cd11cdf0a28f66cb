// Arguments that are content (`/ipfs/<cid>`, `ipfs://<cid>`) or a path of the account's file tree.
// Tested by src/kubo/commands/mfs/mfs-commands.test.ts
import type { CID } from 'multiformats/cid'
import { checkMfsPath, segmentsOf } from '../../ipfs/mfs/mfs-path.ts'
import type { CommandCall } from '../kubo-command.ts'
import { type MfsInput, mfsCall } from './mfs-options.ts'

export function isContentPath(path: string): boolean {
  return /^\/+ip[fln][sd]\/|^ip[fln][sd]:/i.test(path)
}

/** Throws `command_failed` for a path of the tree that does not start with `/`. */
export function checkSourcePath(path: string): string {
  return isContentPath(path) ? path : checkMfsPath(path)
}

/** Resolves the argument to a CID. Throws as `files.resolve`, and `file does not exist`. */
export async function resolveSource(
  input: MfsInput & { readonly path: string },
  call: CommandCall,
): Promise<CID> {
  const { path, patience } = input
  if (isContentPath(path)) return await call.files.resolve(path, patience, call.signal)
  const tree = await call.files.mfs.open(mfsCall(input, call))
  return (await tree.get(segmentsOf(path))).cid
}

// Reads the `_redirects` file of a site for a path that the site does not contain.
// Tested by src/ipfs-gateway/site-redirects.test.ts
import { gatherChunks } from './gather-chunks.ts'
import type { PathCall, PathRequest } from './path-operation.ts'
import {
  findRedirect,
  parseRedirects,
  type RedirectTarget,
  redirectsBytesMax,
  redirectsFault,
  redirectsName,
} from './redirects-file.ts'
import { traceToFile } from './traced-block.ts'

/** Null: the site has no such file, or no rule for the path. Throws `command_failed` for a file that cannot be parsed. */
export async function findSiteTarget(
  { root, segments: all, mount, slash, search }: PathRequest,
  call: PathCall,
): Promise<RedirectTarget | null> {
  const { files, patience, signal } = call
  // The site of a name may be a folder below the root.
  const folder = all.slice(0, mount?.depth ?? 0)
  const segments = all.slice(folder.length)
  const path = { root, segments: [...folder, redirectsName], ipld: false }
  const found = await traceToFile(path, call)
  if (found === null) return null
  if (found.size > BigInt(redirectsBytesMax)) {
    throw redirectsFault(`redirects file size cannot exceed ${redirectsBytesMax} bytes`)
  }
  const range = { offset: 0n, length: BigInt(redirectsBytesMax) }
  const { chunks } = await files.open(found.cid, range, patience, signal)
  const rules = parseRedirects((await gatherChunks(chunks)).toString('utf8'))
  const end = slash && segments.length > 0 ? '/' : ''
  const target = findRedirect(rules, `/${segments.map(encodeURIComponent).join('/')}${end}`, search)
  return target?.kind === 'page' ? { ...target, segments: [...folder, ...target.segments] } : target
}

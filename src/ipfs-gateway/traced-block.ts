// The walk of a reader's path, for answers with one whole block or the DAG below it.
// Tested by src/ipfs-gateway/path-content.test.ts
import { Fault } from '../base/fault.ts'
import type { ContentPath, TracedPath } from '../ipfs/read/path.ts'
import type { PathCall } from './path-operation.ts'

/**
 * The end of the path, each step checked against the deny list. Reads nothing for a bare CID. Throws `denied`, `not_implemented` for a path
 * to a value inside a block, and what resolving throws.
 */
export async function traceToBlock(
  path: ContentPath,
  { files, patience, checkAllowed, signal }: PathCall,
): Promise<TracedPath> {
  const traced = await files.trace(path, patience, signal)
  for (const cid of traced.roots) checkAllowed(cid)
  if (traced.rest.length > 0) {
    const inside = JSON.stringify(traced.rest.join('/').slice(0, 200))
    const detail = `${inside} is a value inside the block ${traced.cid.toString()}: ask for the block and read it there`
    throw new Fault('not_implemented', { detail })
  }
  return traced
}

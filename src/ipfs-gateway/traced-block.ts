// Walks the path of a gateway request, for replies with one whole block or the DAG below it.
// Tested by src/ipfs-gateway/path-content.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../base/fault.ts'
import { dagPbCodec, rawCodec } from '../codec/ipld/cid.ts'
import type { ContentPath, TracedPath } from '../ipfs/read/path.ts'
import { isNoLink } from '../ipfs/read/resolve.ts'
import type { PathCall } from './path-operation.ts'

/**
 * Walks to the end of the path and checks each step against the deny rules. Reads nothing for a bare CID. Throws `denied` or
 * `denied_legally`, `not_implemented` for a path to a value inside a block, and the errors of resolving.
 */
export async function traceToBlock(
  path: ContentPath,
  { files, patience, checkAllowed, signal }: PathCall,
): Promise<TracedPath> {
  const traced = await files.trace(path, patience, signal)
  const [root, ...below] = traced.roots
  // Checked together with the path, so that a rule may allow a path of a root that another rule denies.
  if (root !== undefined) checkAllowed(root, path.segments)
  for (const cid of below) checkAllowed(cid)
  if (traced.rest.length > 0) {
    const inside = JSON.stringify(traced.rest.join('/').slice(0, 200))
    const detail = `${inside} is a value inside the block ${traced.cid.toString()}: ask for the block and read it there`
    throw new Fault('not_implemented', { detail })
  }
  return traced
}

/** As `traceToBlock`; null: the path does not exist. A missing block is still an error. */
export async function findPath(path: ContentPath, call: PathCall): Promise<TracedPath | null> {
  return await traceToBlock(path, call).catch((thrown: unknown) => {
    if (isNoLink(thrown)) return null
    throw thrown
  })
}

/** Null: the path does not exist, or its target is not a file. */
export async function traceToFile(
  path: ContentPath,
  call: PathCall,
): Promise<{ readonly cid: CID; readonly size: bigint } | null> {
  const traced = await findPath(path, call)
  if (traced === null || ![dagPbCodec, rawCodec].includes(traced.cid.code)) return null
  const { kind, size } = await call.files.stat(traced.cid, call.patience, call.signal)
  return kind === 'file' ? { cid: traced.cid, size } : null
}

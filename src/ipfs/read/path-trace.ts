// The walk of a path with all it went through: what a reader needs to check the way by itself.
// Tested by src/ipfs-gateway/path-car.test.ts
import type { CID } from 'multiformats/cid'
import type { ReadBlock } from './blocks.ts'
import type { ContentPath, TracedPath } from './path.ts'
import { resolveNode } from './resolve.ts'

/** Throws as resolveNode. */
export async function tracePath(path: ContentPath, read: ReadBlock): Promise<TracedPath> {
  const roots: CID[] = [path.root]
  const passed: CID[] = []
  const node = await resolveNode(
    path,
    async (cid) => {
      passed.push(cid)
      return await read(cid)
    },
    (cid) => roots.push(cid),
  )
  return { ...node, roots, passed }
}

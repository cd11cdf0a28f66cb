// One version of an account's file tree in memory during a change: each change replaces the directories on its path, so that the
// root refers to the new tree.
// Tested by src/ipfs/mfs/mfs.test.ts, test/files/mfs-kubo.test.ts
import type { CID } from 'multiformats/cid'
import type { Sharding } from '../../codec/ipld/import-profile.ts'
import { decodeNode } from '../read/node.ts'
import { nodeStat } from '../read/node-stat.ts'
import { findEntry } from '../read/resolve.ts'
import { changeDirectory, putEmptyDirectory } from './change-directory.ts'
import { type CidFormat, formatOf } from './cid-format.ts'
import { failed, joinPath } from './mfs-path.ts'
import type { Entry, Found, MfsTree, NodeKind, TreeBlocks } from './tree.ts'

export type TreeRules = {
  /** Form of the root: that of the import profile, whatever it was before. */
  readonly rootFormat: CidFormat
  readonly sharding: Sharding
}

export const notThere = 'file does not exist'

export function openTree(first: CID, blocks: TreeBlocks, rules: TreeRules): MfsTree {
  let root = first

  async function find(path: readonly string[]): Promise<Found | null> {
    let at: Found = { cid: root, kind: 'directory' }
    for (const [index, segment] of path.entries()) {
      if (at.kind === 'file') {
        throw failed(`cannot access ${path.slice(0, index + 1).join('/')}: Not a directory`)
      }
      const cid = await findEntry(at.cid, segment, blocks.read)
      if (cid === null) return null
      at = { cid, kind: await kindOf(cid, blocks) }
    }
    return at
  }

  async function get(path: readonly string[]): Promise<Found> {
    const found = await find(path)
    if (found === null) throw failed(notThere)
    return found
  }

  async function set(path: readonly string[], entry: Entry | null): Promise<void> {
    if (path.length === 0) {
      if (entry !== null) root = entry.cid
      return
    }
    const directories: CID[] = [root]
    for (const [index, segment] of path.slice(0, -1).entries()) {
      const cid = await findEntry(directories[index] as CID, segment, blocks.read)
      if (cid === null) throw failed(notThere)
      directories.push(cid)
    }
    let below = entry
    for (let index = path.length - 1; index >= 0; index -= 1) {
      const directory = directories[index] as CID
      below = await changeDirectory(directory, {
        name: path[index] as string,
        entry: below,
        sharding: rules.sharding,
        format: index === 0 ? rules.rootFormat : formatOf(directory),
        blocks,
      })
    }
    if (below !== null) root = below.cid
  }

  return {
    get root() {
      return root
    },
    blocks,
    find,
    get,
    set,
    async makeDirectories(path, format) {
      for (let depth = 1; depth <= path.length; depth += 1) {
        const part = path.slice(0, depth)
        const found = await find(part)
        if (found === null) await set(part, putEmptyDirectory(format, blocks))
        else if (found.kind === 'file') {
          throw failed(
            depth === path.length
              ? 'file already exists'
              : `${joinPath(part.slice(0, -1)).slice(1)} was not a directory`,
          )
        }
      }
    },
  }
}

/** Throws `command_failed` if it is neither a file nor a directory. */
async function kindOf(cid: CID, blocks: TreeBlocks): Promise<NodeKind> {
  const node = decodeNode(cid, await blocks.read(cid))
  if (node.kind === 'raw') return 'file'
  const { type } = node.unixfs
  if (type === 'directory' || type === 'hamt') return 'directory'
  if (type === 'metadata') throw failed('not yet implemented')
  return 'file'
}

/** An existing node as an entry. Throws `command_failed` if it is not UnixFS. */
export async function entryOf(cid: CID, blocks: TreeBlocks): Promise<Entry> {
  return { cid, size: nodeStat(cid, await blocks.read(cid)).cumulativeSize }
}

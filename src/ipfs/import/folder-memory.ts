// The memory that the folders of one upload take until they are complete: names and CIDs of their entries. Bounded in
// bytes, so that the number of files and the depth of paths need no bound of their own.
// Tested by src/ipfs/import/import-tree.test.ts
import { Fault } from '../../base/fault.ts'

/** Bytes of an entry without its name, measured on V8: an entry of a map with two strings; a folder; a finished root. */
const fileBytes = 160
const folderBytes = 512
const rootBytes = 1024

export interface FolderMemory {
  /** An entry of that name in a folder. */
  file(name: string): void
  /** A folder; `path`: the whole of it, which the reply names. */
  folder(path: string): void
  /** A finished root that waits for the commit. */
  root(): void
  /** All roots are committed. */
  rootsGone(): void
}

/** Each throws `too_large` when that would be more than `bytesMax` together. */
export function createFolderMemory(bytesMax: number): FolderMemory {
  let bytes = 0
  let roots = 0

  function take(more: number): void {
    bytes += more
    if (bytes + roots * rootBytes <= bytesMax) return
    const detail = `folders of the request take more than ${bytesMax} bytes of memory (files.folderBytesMax)`
    throw new Fault('too_large', { detail })
  }

  return {
    file: (name) => take(fileBytes + name.length),
    folder: (path) => take(folderBytes + path.length),
    root() {
      roots += 1
      take(0)
    },
    rootsGone() {
      roots = 0
    },
  }
}

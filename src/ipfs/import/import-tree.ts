// The tree under one top-level name of an upload: parents are made as paths need them, files are put in as
// they arrive, directories are built at the end, children before parents.
// Tested by src/ipfs/import/import.test.ts
import { Fault } from '../../base/fault.ts'
import type { BlockSink } from './block-sink.ts'
import type { Built, Metadata } from './built.ts'
import type { ImportOptions } from './entry.ts'
import {
  type DirectoryOptions,
  importDirectory,
  type NamedChild,
  sortedByName,
} from './import-directory.ts'

const depthMax = 128

type Directory = {
  readonly children: Map<string, Built | Directory>
  metadata: Metadata
  named: boolean
}

/** One tree in the making. */
export type ImportTree = {
  /** Puts a finished file or symlink at `path`. Throws `command_failed` when the name is taken. */
  place(path: readonly string[], built: Built): void
  /** Makes the directory at `path`, or gives metadata to the one that is there. */
  directory(path: readonly string[], metadata: Metadata): void
  /**
   * Builds all directories, yielding each with its path, the root last. Sharded ones list their children by
   * name as well. `emptyDirs` false leaves out those without entries, except at the depths `kept` names.
   */
  build(
    options: DirectoryOptions & Pick<ImportOptions, 'emptyDirs'>,
    keptDepth: number,
    sink: BlockSink,
  ): AsyncGenerator<{ readonly path: readonly string[]; readonly built: Built }>
}

/** `implied`: the metadata of directories that come to be as parents. The root has `rootMetadata`. */
export function createImportTree(rootMetadata: Metadata, implied: Metadata): ImportTree {
  const root: Directory = { children: new Map(), metadata: rootMetadata, named: false }

  function enter(path: readonly string[]): Directory {
    if (path.length > depthMax) {
      throw new Fault('command_failed', { detail: `path is deeper than ${depthMax} segments` })
    }
    let at = root
    for (const segment of path) {
      const next = at.children.get(segment)
      if (next !== undefined && !('children' in next)) throw taken()
      if (next === undefined) {
        const made: Directory = { children: new Map(), metadata: implied, named: false }
        at.children.set(segment, made)
        at = made
      } else at = next
    }
    return at
  }

  return {
    place(path, built) {
      const name = path.at(-1) ?? ''
      const parent = enter(path.slice(0, -1))
      if (parent.children.has(name)) throw taken()
      parent.children.set(name, built)
    },
    directory(path, metadata) {
      const directory = enter(path)
      if (!directory.named) directory.metadata = metadata
      directory.named = true
    },
    async *build(options, keptDepth, sink) {
      const results = new Map<Directory, Built>()
      for (const { path, directory } of childrenFirst(root)) {
        const empty = directory.children.size === 0
        if (empty && !options.emptyDirs && path.length > keptDepth) continue
        const children: NamedChild[] = []
        for (const [name, child] of directory.children) {
          const built = 'children' in child ? results.get(child) : child
          if (built !== undefined) children.push({ name, child: built })
          if ('children' in child) results.delete(child)
        }
        const built = await importDirectory(children, options, directory.metadata, sink)
        results.set(directory, built)
        yield { path, built }
      }
    },
  }
}

/** Every directory after those inside it, siblings by name. */
function childrenFirst(
  root: Directory,
): { readonly path: readonly string[]; readonly directory: Directory }[] {
  const reversed: { path: readonly string[]; directory: Directory }[] = []
  const open: { path: readonly string[]; directory: Directory }[] = [{ path: [], directory: root }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    reversed.push(next)
    const inside: { name: string; directory: Directory }[] = []
    for (const [name, child] of next.directory.children) {
      if ('children' in child) inside.push({ name, directory: child })
    }
    for (const { name, directory } of sortedByName(inside)) {
      open.push({ path: [...next.path, name], directory })
    }
  }
  return reversed.reverse()
}

function taken(): Fault {
  return new Fault('command_failed', { detail: 'directory already has entry by that name' })
}

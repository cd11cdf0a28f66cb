// The tree under one top-level name of an upload: parents are created as paths require them, files are added as they arrive,
// directories are built at the end, children before parents.
// Tested by src/ipfs/import/import.test.ts
import { Fault } from '../../base/fault.ts'
import { flatText } from '../../codec/ipld/cid.ts'
import type { BlockSink } from './block-sink.ts'
import type { Built, Metadata } from './built.ts'
import type { ImportOptions } from './upload-entry.ts'
import { type FolderMemory, type NamedChild, type PackedChild, packChild } from './folder-memory.ts'
import { type DirectoryOptions, importDirectory, sortedByName } from './import-directory.ts'

/** Same limit as for links that `refs` and CARs of paths follow. */
const depthMax = 1024

type Directory = {
  /** Files, symlinks and completed directories are packed. */
  readonly children: Map<string, PackedChild | Directory>
  metadata: Metadata
  named: boolean
}

/** An unfinished tree. */
export type ImportTree = {
  /** Adds a finished file or symlink at `path`. Throws `command_failed` if the name is taken. */
  add(path: readonly string[], built: Built): void
  /** Creates the directory at `path`, or sets the metadata of the existing one. */
  directory(path: readonly string[], metadata: Metadata): void
  /**
   * Builds all directories and yields each with its path, the root last. Sharded directories, too, list their children by name.
   * `emptyDirs` false omits directories without entries below `keptDepth`.
   */
  build(
    options: DirectoryOptions & Pick<ImportOptions, 'emptyDirs'>,
    keptDepth: number,
    sink: BlockSink,
  ): AsyncGenerator<{ readonly path: readonly string[]; readonly built: Built }>
}

/** `implied`: the metadata of directories that are created as parents. The root has `rootMetadata`. */
export function createImportTree(
  rootMetadata: Metadata,
  implied: Metadata,
  memory: FolderMemory,
): ImportTree {
  const root: Directory = { children: new Map(), metadata: rootMetadata, named: false }

  function enter(path: readonly string[]): Directory {
    if (path.length > depthMax) {
      throw new Fault('command_failed', { detail: `path is deeper than ${depthMax} segments` })
    }
    let at = root
    for (const [depth, segment] of path.entries()) {
      const next = at.children.get(segment)
      if (typeof next === 'string') throw taken()
      if (next === undefined) {
        memory.folder(path.slice(0, depth + 1).join('/'))
        const made: Directory = { children: new Map(), metadata: implied, named: false }
        at.children.set(flatText(segment), made)
        at = made
      } else at = next
    }
    return at
  }

  return {
    add(path, built) {
      const name = path.at(-1) ?? ''
      const parent = enter(path.slice(0, -1))
      if (parent.children.has(name)) throw taken()
      memory.file(name)
      // A substring would keep the whole text in memory.
      parent.children.set(flatText(name), packChild(built))
    },
    directory(path, metadata) {
      const directory = enter(path)
      if (!directory.named) directory.metadata = metadata
      directory.named = true
    },
    async *build(options, keptDepth, sink) {
      for (const { path, directory, parent } of childrenFirst(root)) {
        const name = path.at(-1) ?? ''
        const empty = directory.children.size === 0
        if (empty && !options.emptyDirs && path.length > keptDepth) {
          parent?.children.delete(name)
          continue
        }
        const built = await importDirectory(
          childrenOf(directory),
          options,
          directory.metadata,
          sink,
        )
        directory.children.clear()
        parent?.children.set(name, packChild(built))
        yield { path, built }
      }
    },
  }
}

/** Called when all children are built. */
function childrenOf({ children }: Directory): readonly NamedChild[] {
  const all: NamedChild[] = []
  for (const [name, packed] of children) if (typeof packed === 'string') all.push({ name, packed })
  return all
}

type Level = {
  readonly name: string
  readonly directory: Directory
  readonly inside: readonly NamedDirectory[]
  next: number
}
type NamedDirectory = { readonly name: string; readonly directory: Directory }

/** Yields every directory after those inside it, siblings by name. `parent`: null for the root. */
function* childrenFirst(root: Directory): Generator<{
  readonly path: readonly string[]
  readonly directory: Directory
  readonly parent: Directory | null
}> {
  const levels: Level[] = [levelOf('', root)]
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const below = level.inside[level.next]
    if (below !== undefined) {
      level.next += 1
      levels.push(levelOf(below.name, below.directory))
      continue
    }
    const path = levels.slice(1).map(({ name }) => name)
    levels.pop()
    yield { path, directory: level.directory, parent: levels.at(-1)?.directory ?? null }
  }
}

function levelOf(name: string, directory: Directory): Level {
  const inside: NamedDirectory[] = []
  for (const [below, child] of directory.children) {
    if (typeof child !== 'string') inside.push({ name: below, directory: child })
  }
  return { name, directory, inside: sortedByName(inside), next: 0 }
}

function taken(): Fault {
  return new Fault('command_failed', { detail: 'directory already has entry by that name' })
}

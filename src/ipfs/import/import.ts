// `add` without HTTP: takes entries and yields events in Kubo's order. Blocks are stored as they are created and become visible,
// together with the pins, in one commit.
import { Fault } from '../../base/fault.ts'
import type { Batch } from '../../content/block-store.ts'
import type { Statement } from '../../db/writer.ts'
import { type Keep, type YielderFor, createBlockSink } from './block-sink.ts'
import { noMetadata, type Built, type Metadata } from './built.ts'
import type { UploadEntry, ImportEvent, ImportOptions } from './upload-entry.ts'
import { createFolderMemory } from './folder-memory.ts'
import { importSymlink } from './import-directory.ts'
import { importContent } from './import-file.ts'
import { createImportTree, type ImportTree } from './import-tree.ts'
import type { StagedTree } from '../../tables/roots.ts'

export type ImportContext = {
  readonly blocksMax: number
  /** Maximum memory for entries of unfinished directories and for roots before the commit. */
  readonly folderBytesMax: number
  /** Time slices of the account. */
  readonly yielderFor: YielderFor
  /** Opens a Batch; called once per commit. */
  readonly batch: () => Batch
  /** The rows that store a finished root, pinned or not. `put`: the staged tree with its blocks. */
  readonly rootRows: (root: Built, put: StagedTree) => readonly Statement[]
  /** Called after each commit, for callers that wait for content. */
  readonly committed: () => void
  readonly proceed: () => boolean
  readonly signal: AbortSignal
}

type Declared = Pick<Extract<ImportEvent, { kind: 'added' }>, 'mode' | 'mtime'>
type TopLevel = { readonly name: string; readonly tree: ImportTree; readonly declared: Declared }

/** The generator of `Files.import`. If it ends early, uncommitted content is discarded. */
export async function* importEntries(
  entries: AsyncIterable<UploadEntry>,
  options: ImportOptions,
  context: ImportContext,
): AsyncGenerator<ImportEvent> {
  checkLinks(options.maxFileLinks)
  const keeping = !options.onlyHash
  let batch = null as Batch | null
  let roots: { readonly built: Built; readonly tree: number }[] = []
  const held: ImportEvent[] = []
  let top = null as TopLevel | null
  let any = false
  let committedAlone = false
  const keep: Keep = {
    put: (items, tree) => opened().put(items, tree),
    leaves: (cut, onLeaf, tree) => opened().leaves(cut, onLeaf, tree),
  }
  const sink = createBlockSink(
    options,
    context.blocksMax,
    keeping ? keep : null,
    context.yielderFor,
  )
  const memory = createFolderMemory(context.folderBytesMax)
  const wrapper = options.wrap ? createImportTree(noMetadata, metadataOf(null), memory) : null
  const declaredBelow = new Map<string, Declared>()

  function opened(): Batch {
    batch ??= context.batch()
    return batch
  }

  try {
    for await (const entry of entries) {
      context.signal.throwIfAborted()
      any = true
      sink.countInput({ entries: 1 })
      const path = entry.path === '' ? [] : entry.path.split('/')
      if (wrapper !== null) {
        const [name] = path
        if (name !== undefined && !declaredBelow.has(name)) {
          memory.file(name)
          declaredBelow.set(name, path.length === 1 ? declaredOf(entry) : {})
        }
        const below =
          (name === undefined ? undefined : declaredBelow.get(name)) ?? declaredOf(entry)
        yield* emitAll(place(entry, path, wrapper, below))
        continue
      }
      const single = path.length < 2
      if (
        top !== null &&
        (top.name !== (path[0] ?? '') || (single && entry.kind !== 'directory'))
      ) {
        yield* emitAll(finish(top))
        top = null
      }
      if (single && entry.kind !== 'directory') {
        yield* emitAll(alone(entry))
        continue
      }
      top ??= {
        name: path[0] ?? '',
        tree: createImportTree(metadataOf(null), metadataOf(null), memory),
        declared: single ? declaredOf(entry) : {},
      }
      yield* emitAll(place(entry, path.slice(1), top.tree, top.declared))
    }
    if (!any) throw new Fault('command_failed', { detail: 'expected a file argument' })
    if (top !== null) yield* emitAll(finish(top))
    if (wrapper !== null) yield* emitAll(wrapUp(wrapper))
    await commit()
    yield* held
  } finally {
    // Waits for a group that is being stored, so that no block is put after the discard.
    await sink.settled()
    await batch?.discard()
  }

  /** Yields each `added` event one step late: the last one must not be visible before the commit. */
  async function* emitAll(events: AsyncIterable<ImportEvent>): AsyncGenerator<ImportEvent> {
    for await (const event of events) {
      yield* held.splice(0)
      if (event.kind === 'progress') yield event
      else held.push(event)
    }
    if (committedAlone) yield* held.splice(0)
    committedAlone = false
  }

  async function commit(): Promise<void> {
    if (!keeping) return
    await sink.flush()
    if (batch === null && roots.length === 0) return
    context.signal.throwIfAborted()
    if (!context.proceed()) {
      throw new Fault('command_failed', { detail: 'request was aborted before it was complete' })
    }
    const ready = opened()
    const rows = roots.flatMap(({ built, tree }) =>
      context.rootRows(built, { batch: ready.id, tree }),
    )
    await ready.commit(rows)
    batch = null
    roots = []
    memory.rootsCommitted()
    context.committed()
  }

  function metadataOf(entry: UploadEntry | null): Metadata {
    const mode = options.mode ?? (options.preserveMode ? entry?.mode : undefined)
    const mtime = options.mtime ?? (options.preserveMtime ? entry?.mtime : undefined)
    return { mode: mode ?? null, mtime: mtime ?? null }
  }

  async function* leaf(entry: UploadEntry, declared: Declared): AsyncGenerator<ImportEvent, Built> {
    let built: Built
    if (entry.kind === 'file') {
      const { content } = entry
      const bytes = importContent({ content, options, metadata: metadataOf(entry) }, sink)
      let step = await bytes.next()
      while (!step.done) {
        if (options.progress) yield { kind: 'progress', name: entry.path, bytes: step.value }
        step = await bytes.next()
      }
      built = step.value
    } else {
      const target = entry.kind === 'symlink' ? entry.target : ''
      built = await importSymlink(target, options.cidVersion, metadataOf(entry).mtime, sink)
    }
    const name = entry.path === '' ? built.cid.toString() : entry.path
    if (!options.silent) yield added(name, built, declared)
    return built
  }

  async function* place(
    entry: UploadEntry,
    path: readonly string[],
    tree: ImportTree,
    declared: Declared,
  ): AsyncGenerator<ImportEvent> {
    if (entry.kind === 'directory') return tree.directory(path, metadataOf(entry))
    const built = yield* leaf(entry, declared)
    tree.add(path.length === 0 ? [built.cid.toString()] : path, built)
  }

  async function* alone(entry: UploadEntry): AsyncGenerator<ImportEvent> {
    await rooted(yield* leaf(entry, declaredOf(entry)))
  }

  async function* finish({ name, tree, declared }: TopLevel): AsyncGenerator<ImportEvent> {
    let root: Built | null = null
    for await (const { path, built } of tree.build(options, 0, sink)) {
      yield added([name, ...path].join('/'), built, declared)
      if (path.length === 0) root = built
    }
    if (root !== null) await rooted(root)
  }

  async function* wrapUp(tree: ImportTree): AsyncGenerator<ImportEvent> {
    for await (const { path, built } of tree.build(options, 1, sink)) {
      yield added(path.join('/'), built, declaredBelow.get(path[0] ?? '') ?? {})
      if (path.length === 0) await rooted(built)
    }
  }

  /**
   * A top-level entry is complete. With progress it is committed separately, because the client receives its events immediately.
   */
  async function rooted(root: Built): Promise<void> {
    const tree = sink.endTree()
    if (keeping) {
      memory.root()
      roots.push({ built: root, tree })
    }
    if (!options.progress) return
    await commit()
    committedAlone = true
  }
}

function added(name: string, built: Built, declared: Declared): ImportEvent {
  return { kind: 'added', name, cid: built.cid, size: built.size, ...declared }
}

function declaredOf(entry: UploadEntry): Declared {
  return {
    ...(entry.mode === undefined ? {} : { mode: entry.mode }),
    ...(entry.mtime === undefined ? {} : { mtime: entry.mtime }),
  }
}

/** With one link per node the tree would never end; with too many links a node would exceed 2 MiB. */
function checkLinks(links: number): void {
  if (links >= 2 && links <= 30_000) return
  const detail = `value "${links}" of option "max-file-links" is not supported by this server`
  throw new Fault('unsupported_option', { detail })
}

// Streams a file or directory as a tar archive, without recursion. Names that could make a client write outside the target folder
// are refused: dots, slashes, and the same name twice (a link, then an entry below it). As in Kubo, a name that leads up, but not
// above the root, is an entry of that parent folder.
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { type TarEntry, tarEnd, tarHeader, tarPadding } from '../../codec/ipld/tar.ts'
import type { Mtime } from '../import/upload-entry.ts'
import type { Files, FetchPolicy } from '../files.ts'
import { openLinksMax } from './links.ts'
import type { DirectoryEntry, NodeStat } from './listed.ts'

export type TarTerms = {
  /** Whether to store nanoseconds. */
  readonly precise: boolean
  /** Modification time of entries that have none. */
  readonly now: Mtime
  /** Maximum number of entries of one archive. */
  readonly entriesMax: number
}

const depthMax = 128
const pathBytesMax = 8192
const defaultModes = { file: 0o644, directory: 0o755, symlink: 0o777 }

type Folder = {
  readonly path: string
  /** Null for the root. */
  readonly parent: Folder | null
  /** Number of links in its block. */
  readonly links: number
  readonly names: Set<string>
  readonly entries: AsyncIterator<DirectoryEntry>
}

/**
 * The archive of `root`, whose stat is known, under `name`. Throws `command_failed` for names that leave the root, paths that are
 * too deep or long, and more than `entriesMax` entries; and the errors of reads.
 */
export async function* tarTree(
  files: Pick<Files, 'stat' | 'list' | 'open'>,
  root: { readonly cid: CID; readonly name: string; readonly stat: NodeStat },
  terms: TarTerms,
  patience: FetchPolicy,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const folders: Folder[] = []
  let count = 1
  let openLinks = 0
  checkName(root.name)
  try {
    yield* write(root.cid, null, root.name, root.stat)
    for (let folder = folders.at(-1); folder !== undefined; folder = folders.at(-1)) {
      const step = await folder.entries.next()
      if (step.done === true) {
        folders.pop()
        openLinks -= folder.links
        continue
      }
      signal.throwIfAborted()
      const { cid } = step.value
      const { parent, name } = placeOf(step.value.name, folder)
      if (parent.names.has(name))
        throw failed(`directory has two entries named ${JSON.stringify(name)}`)
      parent.names.add(name)
      count += 1
      if (count > terms.entriesMax)
        throw failed(`archive has more than ${terms.entriesMax} entries`)
      const path = `${parent.path}/${name}`
      if (folders.length >= depthMax || Buffer.byteLength(path) > pathBytesMax) {
        throw failed(`path of an entry is over ${depthMax} levels or ${pathBytesMax} bytes`)
      }
      yield* write(cid, parent, path, await files.stat(cid, patience, signal))
    }
    yield tarEnd()
  } finally {
    for (const { entries } of folders) await entries.return?.()
  }

  async function* write(
    cid: CID,
    parent: Folder | null,
    path: string,
    stat: NodeStat,
  ): AsyncGenerator<Uint8Array> {
    const { kind, target } = stat
    const size = kind === 'file' ? stat.size : 0n
    const mode = stat.mode ?? defaultModes[kind]
    const entry: TarEntry = { path, kind, size, mode, mtime: stat.mtime ?? terms.now, target }
    if (target.includes('\0')) throw outside()
    yield tarHeader(entry, terms.precise)
    if (kind === 'directory') {
      openLinks += stat.links
      if (openLinks > openLinksMax) throw failed('directory has too many links on one path')
      const entries = files.list(cid, patience, signal)[Symbol.asyncIterator]()
      folders.push({ path, parent, links: stat.links, names: new Set(), entries })
    }
    if (kind !== 'file') return
    const whole = { offset: 0n, length: null }
    const { chunks } = await files.open(cid, whole, patience, signal)
    yield* chunks
    yield tarPadding(size)
  }
}

/** The folder and name of the entry that `folder` lists as `name`: `../a` is `a` of the parent folder. */
function placeOf(name: string, folder: Folder): { readonly parent: Folder; readonly name: string } {
  let parent = folder
  let rest = name
  // Terminates: each iteration removes three characters.
  while (rest.startsWith('../')) {
    if (parent.parent === null) throw outside()
    parent = parent.parent
    rest = rest.slice(3)
  }
  checkName(rest)
  return { parent, name: rest }
}

function checkName(name: string): void {
  if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name)) throw outside()
}

function outside(): Fault {
  return failed('relative UnixFS paths outside the root are not allowed, use CAR instead')
}

function failed(detail: string): Fault {
  return new Fault('command_failed', { detail })
}

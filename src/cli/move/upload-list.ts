// Lists the files, folders and links of an upload: each path with everything below it, in the order of `ipfs add`. Follows no links
// and reads only folders.
// Tested by src/cli/move/upload-list.test.ts
import { isUtf8 } from 'node:buffer'
import type { Stats } from 'node:fs'
import { lstat, readdir, readlink, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { UsageError } from '../usage-error.ts'

export type UploadItem = {
  /** Name in the upload, with `/` as separator; '' for standard input without a name. */
  readonly name: string
  /** Permissions and modification time; null for standard input. */
  readonly stat: { readonly mode: number; readonly mtimeMs: number } | null
} & (
  | { readonly kind: 'file'; readonly path: string; readonly bytes: number }
  | { readonly kind: 'input' }
  | { readonly kind: 'directory' }
  | { readonly kind: 'symlink'; readonly target: string }
)

export type UploadTerms = {
  /** Includes names in folders that start with a dot. */
  readonly hidden: boolean
  /** Replaces an argument that is a link by its target. */
  readonly dereference: boolean
  /** Name for `-`. */
  readonly inputName: string
}

/** Limits the memory of the list, about 300 bytes per item. The server limits a request by bytes (`files.folderBytesMax`). */
const itemsMax = 2_000_000

/**
 * Throws UsageError for two paths with the same name; an Error for a path that is not a file, folder or link, for a name that is
 * not valid text, and for more than 2,000,000 items; and file system errors.
 */
export async function listUpload(
  paths: readonly string[],
  terms: UploadTerms,
): Promise<readonly UploadItem[]> {
  const items: UploadItem[] = []
  const names = new Set<string>()
  for (const path of paths) {
    const name = path === '-' ? terms.inputName : basename(resolve(path))
    if (path !== '-' && name === '') throw new UsageError(`${path} has no file name`)
    if (names.has(name)) throw new UsageError(`two paths have the same name "${name}"`)
    names.add(name)
    if (path === '-') items.push({ kind: 'input', name, stat: null })
    else await addTree(items, { path, name }, terms)
  }
  return items
}

type Place = { readonly path: string; readonly name: string }

async function addTree(items: UploadItem[], root: Place, terms: UploadTerms): Promise<void> {
  const queue: Place[] = [root]
  for (let place = queue.pop(); place !== undefined; place = queue.pop()) {
    const found =
      place === root && terms.dereference ? await stat(place.path) : await lstat(place.path)
    if (items.length >= itemsMax) {
      throw new Error(`more than ${itemsMax} files and folders: use several runs`)
    }
    const item = await itemOf(place, found)
    items.push(item)
    if (item.kind !== 'directory') continue
    const inner = await namesIn(place.path)
    // A stack: the last one is taken first.
    for (const name of inner.toReversed()) {
      if (!terms.hidden && name.startsWith('.')) continue
      queue.push({ path: join(place.path, name), name: `${place.name}/${name}` })
    }
  }
}

async function itemOf({ path, name }: Place, found: Stats): Promise<UploadItem> {
  const entry = { name, stat: { mode: found.mode & 0o7777, mtimeMs: found.mtimeMs } }
  if (found.isFile()) return { ...entry, kind: 'file', path, bytes: found.size }
  if (found.isDirectory()) return { ...entry, kind: 'directory' }
  if (found.isSymbolicLink()) return { ...entry, kind: 'symlink', target: await readlink(path) }
  throw new Error(`${path} is not a file, folder or link`)
}

/** Sorted by bytes, as Go sorts names. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { encoding: 'buffer' })
  return names.toSorted(Buffer.compare).map((name) => {
    if (!isUtf8(name))
      throw new Error(`a name in ${folder} is not UTF-8: ${name.toString('latin1')}`)
    return name.toString('utf8')
  })
}

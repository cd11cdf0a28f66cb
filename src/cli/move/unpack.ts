// Unpacks a tar beside its final place and moves it there when all of it has come: nothing leaves the folder, no link
// is followed, and a run that ends early leaves nothing behind.
import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { chmod, lstat, lutimes, mkdir, open, readdir, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { TarEntry } from '../../codec/ipld/tar.ts'
import { readTar, type TarRead } from '../../codec/ipld/tar-reader.ts'

export type Unpacked = { readonly files: number; readonly bytes: number }

/**
 * Unpacks `chunks`, an archive of one root, so that the root is `place`. Without `force`, what is there already is
 * refused; with it files are replaced one by one, and what else is in a folder stays. Throws a sentence for an archive
 * that tries to leave its root, and what `chunks` and the disk say; then `place` is as it was.
 */
export async function unpackTar(
  chunks: AsyncIterable<Uint8Array>,
  place: string,
  { force }: { readonly force: boolean },
): Promise<Unpacked> {
  if (!force) await refusePresent(place)
  const aside = join(dirname(place), `.${basename(place)}.${randomUUID().slice(0, 8)}.part`)
  try {
    const unpacked = await unpackInto(chunks, aside)
    if (force) await settle(aside, place)
    else {
      await refusePresent(place)
      await rename(aside, place)
    }
    return unpacked
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

/** Throws a sentence when something is there. */
export async function refusePresent(place: string): Promise<void> {
  if ((await lookAt(place)) !== null) {
    throw new Error(
      `${place} already exists: use --force to overwrite it, or -o to choose another path`,
    )
  }
}

async function unpackInto(chunks: AsyncIterable<Uint8Array>, aside: string): Promise<Unpacked> {
  const folders = new Map<string, { readonly entry: TarEntry; readonly mode: number }>()
  let files = 0
  let bytes = 0
  let root: string | null = null
  for await (const read of readTar(chunks)) {
    const { entry } = read
    const [first = '', ...rest] = checkedSegments(entry.path)
    if (root === null ? rest.length > 0 : first !== root || rest.length === 0) throw leaves(entry)
    // Made here, in this run: so no link is on the way.
    if (root !== null && !folders.has(dirname(entry.path))) throw leaves(entry)
    root ??= first
    const path = join(aside, ...rest)
    if (entry.kind === 'directory') folders.set(entry.path, await makeFolder(path, entry))
    else if (entry.kind === 'symlink') await symlink(entry.target, path)
    else bytes += await writeFile(path, read)
    if (entry.kind === 'symlink') await lutimes(path, timeOf(entry), timeOf(entry))
    if (entry.kind !== 'directory') files += 1
  }
  if (root === null) throw new Error('the archive is empty')
  // The inner ones first: what is made in a folder changes its time.
  for (const [name, { entry, mode }] of [...folders].toReversed()) {
    const path = join(aside, ...name.split('/').slice(1))
    await lutimes(path, timeOf(entry), timeOf(entry))
    if ((mode & 0o700) !== 0o700) await chmod(path, mode)
  }
  return { files, bytes }
}

function checkedSegments(path: string): readonly string[] {
  const segments = path.split('/')
  const isSafe = segments.every((name) => !['', '.', '..'].includes(name) && !name.includes('\0'))
  if (!isSafe) throw new Error(`the archive has an entry outside its root: ${path}`)
  return segments
}

function leaves({ path }: TarEntry): Error {
  return new Error(`the archive has an entry outside its root: ${path}`)
}

/** What the file mode mask takes away stays away; the owner may write until all is there. */
async function makeFolder(path: string, entry: TarEntry) {
  await mkdir(path, { mode: entry.mode & 0o777 })
  const mode = (await lstat(path)).mode & 0o777
  if ((mode & 0o700) !== 0o700) await chmod(path, mode | 0o700)
  return { entry, mode }
}

async function writeFile(path: string, { entry, content }: TarRead): Promise<number> {
  await using file = await open(path, 'wx', entry.mode & 0o777)
  let bytes = 0
  for await (const piece of content) {
    await file.writeFile(piece)
    bytes += piece.length
  }
  await file.utimes(timeOf(entry), timeOf(entry))
  return bytes
}

function timeOf({ mtime: { seconds, nanos } }: TarEntry): number {
  return Number(seconds) + nanos / 1e9
}

/** Moves `from` over `to`: folders are merged, files and links replaced, and a link is never followed. */
async function settle(from: string, to: string): Promise<void> {
  const [source, target] = [await lstat(from), await lookAt(to)]
  if (target === null || (!source.isDirectory() && !target.isDirectory())) {
    await rename(from, to)
    return
  }
  if (!source.isDirectory() || !target.isDirectory()) {
    const [one, other] = target.isDirectory() ? ['folder', 'file'] : ['file', 'folder']
    throw new Error(`${to} is a ${one}, but the new entry is a ${other}: remove it first`)
  }
  for (const name of await readdir(from)) await settle(join(from, name), join(to, name))
}

async function lookAt(path: string): Promise<Stats | null> {
  try {
    return await lstat(path)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw thrown
  }
}

// Unpacks a tar archive next to its final place and moves it there when complete: it writes nothing outside the folder, follows no
// link, and an interrupted run leaves nothing behind.
import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { chmod, lstat, lutimes, mkdir, open, readdir, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { TarEntry } from '../../codec/ipld/tar.ts'
import { readTar, type TarRead } from '../../codec/ipld/tar-reader.ts'

export type Unpacked = { readonly files: number; readonly bytes: number }

/**
 * Unpacks `chunks`, an archive with one root, as `place`. Without `force`, refuses a place that exists; with it, replaces files one
 * by one and leaves other files in the folder. Throws an Error for an archive that tries to leave its root, and errors of `chunks`
 * and of the file system; then `place` is unchanged.
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

/** Throws an Error if something exists at the place. */
export async function refusePresent(place: string): Promise<void> {
  if ((await lstatIfExists(place)) !== null) {
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
    // Only folders that this run created, so no component of the path is a link.
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
  // Inner folders first: creating an entry changes the folder's time.
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

/** Applies the umask. The owner can write until the archive is complete. */
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

/** Moves `from` over `to`: merges folders, replaces files and links, and never follows a link. */
async function settle(from: string, to: string): Promise<void> {
  const [source, target] = [await lstat(from), await lstatIfExists(to)]
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

async function lstatIfExists(path: string): Promise<Stats | null> {
  try {
    return await lstat(path)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw thrown
  }
}

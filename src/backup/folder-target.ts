// Backups in a folder. A file appears under its name completely written and synced, or not at all. A final segment is a hard link
// if the folder is on the file system of the data folder.
// Tested by src/backup/target.test.ts
import { randomUUID } from 'node:crypto'
import { link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { hasErrno } from '../base/describe-errno.ts'
import { linkRefusals, mustMatch, readPieces, syncFolder, writeFileOf } from './file-digest.ts'
import type { BackupTarget, SourceFile, TargetFolder } from './target.ts'

const folders: readonly TargetFolder[] = ['backups', 'objects']
/** Folder of files that are being written. */
const partial = 'partial'
/** Creates nothing before the first file is stored. */
export function openFolderTarget(path: string): BackupTarget {
  const root = resolve(path)
  const pathOf = (folder: TargetFolder, name: string): string => join(root, folder, name)
  let created: Promise<void> | null = null

  async function makeFolders(): Promise<void> {
    for (const folder of [...folders, partial]) {
      await mkdir(join(root, folder), { recursive: true, mode: 0o700 })
    }
  }

  function make(): Promise<void> {
    created ??= makeFolders()
    return created
  }

  /** A new path for a file that is being written. */
  async function freshPath(): Promise<string> {
    await make()
    return join(root, partial, randomUUID())
  }

  async function write(
    pieces: AsyncIterable<Uint8Array>,
    to: string,
    sha256: string | null,
  ): Promise<void> {
    const fresh = await freshPath()
    try {
      const written = await writeFileOf(fresh, pieces)
      if (sha256 !== null) mustMatch(written.sha256, sha256, to)
      await rename(fresh, to)
    } catch (error) {
      await rm(fresh, { force: true })
      throw error
    }
  }

  /** False: the file systems do not support the link. */
  async function tryLink(file: SourceFile, to: string): Promise<boolean> {
    try {
      await link(file.path, to)
      return true
    } catch (error) {
      if (hasErrno(error, ['EEXIST'])) return true
      if (hasErrno(error, linkRefusals)) return false
      throw error
    }
  }

  return {
    label: path,
    parallel: 1,
    async clear() {
      await rm(join(root, partial), { recursive: true, force: true })
      created = null
    },
    async list(folder) {
      const names = await readdir(join(root, folder)).catch((error: unknown) => {
        if (hasErrno(error, ['ENOENT'])) return []
        throw error
      })
      const found = new Map<string, number>()
      for (const name of names) found.set(name, (await stat(pathOf(folder, name))).size)
      return found
    },
    async *read(folder, name, signal) {
      const from = pathOf(folder, name)
      yield* readPieces(from, (await stat(from)).size, signal)
    },
    async store(sha256, file, signal) {
      await make()
      const to = pathOf('objects', sha256)
      if (file.final && (await tryLink(file, to))) return
      await write(readPieces(file.path, file.bytes, signal), to, sha256)
    },
    async writeManifest(name, text) {
      await make()
      await syncFolder(join(root, 'objects'))
      await write(once(Buffer.from(text)), pathOf('backups', name), null)
      await syncFolder(join(root, 'backups'))
    },
    remove: (folder, name) => rm(pathOf(folder, name), { force: true }),
    async close() {},
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

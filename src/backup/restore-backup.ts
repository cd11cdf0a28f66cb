// Copies a backup into an empty data folder and verifies every file by its digest. The files are written into a separate folder and
// moved into place at the end, the database last: a server refuses content without a database.
// Tested by src/backup/restore-backup.test.ts
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describeErrno, hasErrno } from '../base/describe-errno.ts'
import { syncFolder, writeFileOf } from './file-digest.ts'
import { inParallel } from './in-parallel.ts'
import { type BackupFile, keyFiles, type Manifest, bytesOf } from './manifest.ts'
import type { OnProgress } from './make-backup.ts'
import type { BackupTarget } from './target.ts'

/** Name of that folder in the data folder, until the restore is complete. */
const restoringName = 'restoring'

/**
 * `dataDir`: absent, empty, or with remains of an interrupted restore. Throws a sentence for the operator, or `signal.reason`; the
 * folder then contains no data with which a server would start.
 */
export async function restoreBackup(
  manifest: Manifest,
  target: BackupTarget,
  parts: {
    readonly dataDir: string
    readonly signal: AbortSignal
    readonly onProgress?: OnProgress
  },
): Promise<void> {
  const { dataDir, signal, onProgress = () => {} } = parts
  await mustBeEmpty(dataDir)
  const restoring = join(dataDir, restoringName)
  await rm(restoring, { recursive: true, force: true })
  for (const folder of ['', 'store', 'store/ext', 'store/log']) {
    await mkdir(join(restoring, folder), { recursive: true, mode: 0o700 })
  }
  const total = bytesOf(manifest)
  let done = 0
  await inParallel(manifest.files, target.parallel, signal, async (file, either) => {
    await copyFile(file, target, join(restoring, file.path), either, (bytes) => {
      onProgress((done += bytes), total)
    })
  })
  for (const folder of ['store/ext', 'store/log', 'store', '']) {
    await syncFolder(join(restoring, folder))
  }
  const keys = keyFiles.filter((name) => manifest.files.some(({ path }) => path === name))
  for (const name of ['store', ...keys, 'cairn.db']) {
    await rename(join(restoring, name), join(dataDir, name))
    await syncFolder(dataDir)
  }
  await rm(restoring, { recursive: true, force: true })
}

async function mustBeEmpty(dataDir: string): Promise<void> {
  let names: readonly string[]
  try {
    names = await readdir(dataDir)
  } catch (error) {
    if (hasErrno(error, ['ENOENT'])) return
    throw new Error(`cannot restore into ${dataDir}: ${describeErrno(error)}`, { cause: error })
  }
  // The root folder of a file system may contain it.
  const found = names.find((name) => name !== restoringName && name !== 'lost+found')
  if (found === undefined) return
  throw new Error(
    `${dataDir} is not empty (${found}): choose another folder with --data-dir, or move its files away`,
  )
}

async function copyFile(
  { path, bytes, sha256 }: BackupFile,
  target: BackupTarget,
  to: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const written = await writeFileOf(to, target.read('objects', sha256, signal), onBytes)
  if (written.bytes === bytes && written.sha256 === sha256) return
  throw new Error(
    `${path} of the backup is damaged in ${target.label} (object ${sha256}): restore another backup; cairn backup verify checks it`,
  )
}

// Makes one backup: stages the files of the data folder, stores those that the target does not contain, then writes the manifest.
// An interruption leaves earlier backups complete, and the next backup reuses the stored objects.
// Tested by src/backup/make-backup.test.ts
import type { Clock } from '../base/clock.ts'
import { lockBackups } from '../db/lock.ts'
import { digestFile } from './file-digest.ts'
import { inParallel } from './in-parallel.ts'
import { findNewest, manifestName } from './list-backups.ts'
import {
  type BackupFile,
  type Manifest,
  bytesOf,
  createBackupId,
  encodeManifest,
  newManifest,
} from './manifest.ts'
import { type StagedFile, clearStaging, stageFiles } from './stage-files.ts'
import type { BackupTarget } from './target.ts'

export type BackupOrder = {
  readonly dataDir: string
  /** Public key of the server in hex. */
  readonly server: string
  /** Version of Cairn. */
  readonly version: string
}

export type BackupResult = {
  readonly id: string
  readonly began: number
  readonly ended: number
  readonly files: number
  /** Total size of all files. */
  readonly bytes: number
  /** Number of files that the target did not contain. */
  readonly storedFiles: number
  readonly storedBytes: number
  /** See Manifest. */
  readonly missing: readonly number[]
}

/** `done` of `total` bytes are stored, or were stored already. */
export type OnProgress = (done: number, total: number) => void

/** Throws a sentence for the operator, or `signal.reason`. Only one backup of a data folder may run at a time. */
export async function makeBackup(
  { dataDir, server, version }: BackupOrder,
  target: BackupTarget,
  parts: { readonly clock: Clock; readonly signal: AbortSignal; readonly onProgress?: OnProgress },
): Promise<BackupResult> {
  const { clock, signal, onProgress = () => {} } = parts
  const unlock = lockBackups(dataDir)
  try {
    const began = clock.now()
    const previous = await findNewest(target, server, signal)
    await target.clear(signal)
    const staged = await stageFiles({ dataDir, now: began, signal })
    const stored = await storeAll(staged.files, previous, target, signal, onProgress)
    const manifest = newManifest({
      id: createBackupId(began),
      server,
      cairn: version,
      began,
      ended: clock.now(),
      missing: staged.missing,
      files: stored.files,
    })
    await mustBeComplete(manifest, target, signal)
    await target.writeManifest(manifestName(manifest.id), encodeManifest(manifest), signal)
    return {
      id: manifest.id,
      began,
      ended: manifest.ended,
      files: manifest.files.length,
      bytes: bytesOf(manifest),
      storedFiles: stored.storedFiles,
      storedBytes: stored.storedBytes,
      missing: manifest.missing,
    }
  } finally {
    await clearStaging(dataDir).finally(unlock)
  }
}

async function storeAll(
  files: readonly StagedFile[],
  previous: Manifest | null,
  target: BackupTarget,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<{
  readonly files: readonly BackupFile[]
  readonly storedFiles: number
  readonly storedBytes: number
}> {
  const earlier = new Map(previous?.files.map((file) => [file.path, file]))
  const objects = new Map(await target.list('objects', signal))
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const stored: BackupFile[] = []
  const counts = { storedFiles: 0, storedBytes: 0 }
  let done = 0

  async function storeOne(
    { path, source, bytes, modified }: StagedFile,
    either: AbortSignal,
  ): Promise<void> {
    const earlierFile = earlier.get(path)
    const isUnchanged =
      modified !== null && earlierFile?.modified === modified && earlierFile.bytes === bytes
    const sha256 =
      isUnchanged && objects.get(earlierFile.sha256) === bytes
        ? earlierFile.sha256
        : await digestFile(source, bytes, either)
    const found = objects.get(sha256)
    if (found !== bytes) {
      // The object differs in size only if another program truncated it.
      if (found !== undefined) await target.remove('objects', sha256, either)
      await target.store(sha256, { path: source, bytes, final: modified !== null }, either)
      objects.set(sha256, bytes)
      counts.storedFiles += 1
      counts.storedBytes += bytes
    }
    stored.push({ path, bytes, sha256, modified })
    done += bytes
    onProgress(done, total)
  }

  await inParallel(files, target.parallel, signal, storeOne)
  return { files: stored.sort((one, other) => (one.path < other.path ? -1 : 1)), ...counts }
}

/** Throws unless the target has every object with the right size. */
async function mustBeComplete(
  { files }: Manifest,
  target: BackupTarget,
  signal: AbortSignal,
): Promise<void> {
  const objects = await target.list('objects', signal)
  const lost = files.find(({ sha256, bytes }) => objects.get(sha256) !== bytes)
  if (lost === undefined) return
  throw new Error(
    `${target.label} does not contain ${lost.path} after it was stored: another program removed or changed it`,
  )
}

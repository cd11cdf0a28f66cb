// Lists the backups of a target, and removes old ones with the objects that no other backup needs.
// Tested by src/backup/make-backup.test.ts
import { DamagedManifest, type Manifest, bytesOf, isBackupId, parseManifest } from './manifest.ts'
import type { BackupTarget } from './target.ts'

export type BackupSummary = {
  readonly id: string
  readonly began: number
  readonly ended: number
  readonly cairn: string
  readonly files: number
  readonly bytes: number
  readonly missing: number
}

const suffix = '.json'
const manifestBytesMax = 256 * 1024 * 1024

export function manifestName(id: string): string {
  return `${id}${suffix}`
}

/** The oldest first. */
export async function listBackupIds(
  target: BackupTarget,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const names = [...(await target.list('backups', signal)).keys()]
  return names
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length))
    .filter(isBackupId)
    .sort()
}

/** Throws a sentence for the operator if it is absent or damaged. */
async function readManifest(
  target: BackupTarget,
  id: string,
  signal: AbortSignal,
): Promise<Manifest> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of target.read('backups', manifestName(id), signal)) {
    bytes += piece.length
    if (bytes > manifestBytesMax)
      throw new DamagedManifest(`the manifest of backup ${id} is too large`)
    pieces.push(new Uint8Array(piece))
  }
  return parseManifest(Buffer.concat(pieces).toString('utf8'), id)
}

/**
 * The newest backup with a valid manifest; null: none. Throws a sentence for the operator, also if it belongs to another server.
 */
export async function findNewest(
  target: BackupTarget,
  server: string,
  signal: AbortSignal,
): Promise<Manifest | null> {
  for (const id of (await listBackupIds(target, signal)).toReversed()) {
    let manifest: Manifest
    try {
      manifest = await readManifest(target, id, signal)
    } catch (error) {
      if (error instanceof DamagedManifest) continue
      throw error
    }
    if (manifest.server === server) return manifest
    throw new Error(
      `${target.label} contains backups of another server: choose another folder or prefix`,
    )
  }
  return null
}

/** `id` null: the newest. Throws a sentence for the operator. */
export async function findBackup(
  target: BackupTarget,
  id: string | null,
  signal: AbortSignal,
): Promise<Manifest> {
  const ids = await listBackupIds(target, signal)
  const wanted = id ?? ids.at(-1)
  if (wanted === undefined) throw new Error(`${target.label} contains no backup`)
  if (!ids.includes(wanted)) {
    throw new Error(`${target.label} contains no backup ${wanted}: cairn backup list shows them`)
  }
  return await readManifest(target, wanted, signal)
}

/** The oldest first. Backups with a damaged manifest are omitted, and `damaged` is called with the reason. */
export async function listBackups(
  target: BackupTarget,
  signal: AbortSignal,
  damaged: (reason: string) => void = () => {},
): Promise<readonly BackupSummary[]> {
  const found: BackupSummary[] = []
  for (const id of await listBackupIds(target, signal)) {
    try {
      const manifest = await readManifest(target, id, signal)
      const { began, ended, cairn, files, missing } = manifest
      const bytes = bytesOf(manifest)
      found.push({ id, began, ended, cairn, files: files.length, bytes, missing: missing.length })
    } catch (error) {
      if (!(error instanceof DamagedManifest)) throw error
      damaged(error.message)
    }
  }
  return found
}

/**
 * Removes all backups but the newest `keep`, then the objects that the remaining ones do not need. Removes no objects if a manifest
 * cannot be read. Returns the number of removed backups.
 */
export async function removeOldBackups(
  target: BackupTarget,
  keep: number,
  signal: AbortSignal,
): Promise<number> {
  const ids = await listBackupIds(target, signal)
  const old = ids.slice(0, Math.max(0, ids.length - keep))
  for (const id of old) await target.remove('backups', manifestName(id), signal)
  const needed = new Set<string>()
  for (const id of ids.slice(old.length)) {
    for (const { sha256 } of (await readManifest(target, id, signal)).files) needed.add(sha256)
  }
  for (const name of (await target.list('objects', signal)).keys()) {
    if (!needed.has(name)) await target.remove('objects', name, signal)
  }
  return old.length
}

// The manifest of a backup: its files, with their sizes and digests. It is written last, so a backup without a manifest does not
// exist. All data read from a target is validated here before it is used.
// Tested by src/backup/manifest.test.ts
import { randomBytes } from 'node:crypto'

/**
 * Key files of the data folder that a backup contains if they exist: the server's key, and that of its peer on the IPFS network.
 */
export const keyFiles: readonly string[] = ['identity.pem', 'network.pem']

/** One file of the data folder. */
export type BackupFile = {
  /** Path relative to the data folder: `cairn.db`, `identity.pem`, `store/ext/1.ext`. */
  readonly path: string
  readonly bytes: number
  /** SHA-256 of the bytes, in hex, which is the name of the object. */
  readonly sha256: string
  /** Modification time of a final segment in nanoseconds; null: another file. */
  readonly modified: string | null
}

export type Manifest = {
  readonly version: typeof manifestVersion
  /** IDs sort by time: `20260131T235959000Z-1a2b3c`. */
  readonly id: string
  /** Public key of the server in hex, because a target belongs to one server. */
  readonly server: string
  /** Version of Cairn. */
  readonly cairn: string
  /** Milliseconds since 1970 UTC. The backup contains everything that was acknowledged before `began`. */
  readonly began: number
  readonly ended: number
  /** Segments that rows refer to and that the data folder lacked. */
  readonly missing: readonly number[]
  readonly files: readonly BackupFile[]
}

const manifestVersion = 1
const filesMax = 1_000_000
const idForm = /^\d{8}T\d{9}Z-[0-9a-f]{6}$/
/** Paths that a restore may write in a data folder. */
const pathForm =
  /^(?:cairn\.db|identity\.pem|network\.pem|store\/ext\/[1-9]\d{0,9}\.ext|store\/log\/[1-9]\d{0,9}\.log)$/
const digestForm = /^[0-9a-f]{64}$/

/** `now`: milliseconds since 1970 UTC. */
export function createBackupId(now: number): string {
  const time = new Date(now).toISOString().replaceAll(/[-:.]/g, '')
  return `${time}-${randomBytes(3).toString('hex')}`
}

export function isBackupId(text: string): boolean {
  return idForm.test(text)
}

/** Sum of the sizes of all files. */
export function bytesOf({ files }: Pick<Manifest, 'files'>): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

export function newManifest(parts: Omit<Manifest, 'version'>): Manifest {
  return { version: manifestVersion, ...parts }
}

export function encodeManifest(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 1)}\n`
}

/** The message is a sentence that contains the ID of the backup. */
export class DamagedManifest extends Error {
  override readonly name = 'DamagedManifest'
}

/** Throws DamagedManifest. */
export function parseManifest(text: string, id: string): Manifest {
  const refuse = (why: string, cause?: unknown): DamagedManifest =>
    new DamagedManifest(`the manifest of backup ${id} ${why}`, { cause })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw refuse('is not JSON', error)
  }
  if (!isObject(value)) throw refuse('is not an object')
  const { version, server, cairn, began, ended, missing, files } = value
  if (version !== manifestVersion) {
    throw refuse(
      `has version ${String(version)}, this Cairn reads version ${manifestVersion}: use a newer Cairn`,
    )
  }
  if (value['id'] !== id) throw refuse(`names another backup, ${String(value['id'])}`)
  if (typeof server !== 'string' || typeof cairn !== 'string') throw refuse('names no server')
  if (!isCount(began) || !isCount(ended)) throw refuse('has no times')
  if (!Array.isArray(missing) || !missing.every(isCount))
    throw refuse('has a damaged list of segments')
  if (!Array.isArray(files) || files.length > filesMax || !files.every(isFile)) {
    throw refuse('has a damaged list of files')
  }
  if (new Set(files.map(({ path }) => path)).size < files.length) throw refuse('lists a file twice')
  if (!files.some(({ path }) => path === 'cairn.db')) throw refuse('lists no cairn.db')
  return { version, id, server, cairn, began, ended, missing, files }
}

function isFile(value: unknown): value is BackupFile {
  if (!isObject(value)) return false
  const { path, bytes, sha256, modified } = value
  return (
    typeof path === 'string' &&
    pathForm.test(path) &&
    isCount(bytes) &&
    typeof sha256 === 'string' &&
    digestForm.test(sha256) &&
    (modified === null || (typeof modified === 'string' && /^\d{1,20}$/.test(modified)))
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

// Checks a backup without restoring it: every object by its digest, the database by SQLite's check, every row of the block index
// against the segments, and every pin against the index. Needs space for the database in the temporary folder.
// Tested by src/backup/verify-backup.test.ts
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Damage, checkIntegrity } from '../db/integrity.ts'
import { findAll, findOne } from '../db/sqlite-rows.ts'
import { type Database, openDatabase } from '../db/sqlite.ts'
import { blockTableExists, listSegmentEnds } from '../tables/segment-ends.ts'
import { writeFileOf } from './file-digest.ts'
import { inParallel } from './in-parallel.ts'
import type { OnProgress } from './make-backup.ts'
import { type BackupFile, type Manifest, bytesOf } from './manifest.ts'
import type { BackupTarget } from './target.ts'

export type Verified = {
  readonly files: number
  readonly bytes: number
  /** Files whose object is missing or corrupt. */
  readonly damaged: readonly {
    readonly path: string
    readonly sha256: string
    readonly reason: string
  }[]
  readonly database: readonly Damage[]
  /** Segments that rows refer to and that the backup lacks, completely or in part. */
  readonly missing: readonly number[]
  readonly pins: number
  readonly unreadablePins: number
}

/** Counts the pins of a database, and those that cannot be read. */
export type CheckPins = (db: Database) => { readonly pins: number; readonly unreadable: number }

/** Maximum number of reported problems of the database. */
const damagesMax = 100

/** True if the backup is as complete as when it was made. */
export function isSound({ damaged, database, missing, unreadablePins }: Verified): boolean {
  return damaged.length + database.length + missing.length + unreadablePins === 0
}

/** Throws a sentence for the operator if the target does not answer, or `signal.reason`. */
export async function verifyBackup(
  manifest: Manifest,
  target: BackupTarget,
  parts: {
    readonly checkPins: CheckPins
    readonly signal: AbortSignal
    readonly onProgress?: OnProgress
  },
): Promise<Verified> {
  const { checkPins, signal, onProgress = () => {} } = parts
  const folder = await mkdtemp(join(tmpdir(), 'cairn-verify-'))
  try {
    const total = bytesOf(manifest)
    const objects = await target.list('objects', signal)
    const damaged: Verified['damaged'][number][] = []
    const database = join(folder, 'cairn.db')
    let done = 0
    const onBytes = (bytes: number): void => onProgress((done += bytes), total)
    await inParallel(manifest.files, target.parallel, signal, async (file, either) => {
      const { path, bytes, sha256 } = file
      const found = objects.get(sha256)
      const into = path === 'cairn.db' ? database : null
      const reason =
        found === undefined
          ? 'missing'
          : found !== bytes
            ? `${found} bytes, expected ${bytes}`
            : await read(file, target, into, either, onBytes)
      if (reason !== null) damaged.push({ path, sha256, reason })
    })
    const isDamaged = damaged.some(({ path }) => path === 'cairn.db')
    const found = isDamaged
      ? { database: [], missing: [], pins: 0, unreadablePins: 0 }
      : checkDatabase(database, manifest, checkPins)
    return { files: manifest.files.length, bytes: total, damaged, ...found }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The reason why the object is damaged; null: it is not. */
async function read(
  { bytes, sha256 }: BackupFile,
  target: BackupTarget,
  into: string | null,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<string | null> {
  const pieces = target.read('objects', sha256, signal)
  const got =
    into === null ? await digestOf(pieces, onBytes) : await writeFileOf(into, pieces, onBytes)
  if (got.bytes !== bytes) return `${got.bytes} bytes, expected ${bytes}`
  return got.sha256 === sha256 ? null : `its bytes have the digest ${got.sha256}`
}

async function digestOf(
  pieces: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of pieces) {
    hash.update(piece)
    bytes += piece.length
    onBytes(piece.length)
  }
  return { bytes, sha256: hash.digest('hex') }
}

function checkDatabase(
  path: string,
  manifest: Manifest,
  checkPins: CheckPins,
): Omit<Verified, 'files' | 'bytes' | 'damaged'> {
  const db = openDatabase(path, { readOnly: true })
  try {
    const database: Damage[] = []
    for (const damage of checkIntegrity(db, false)) {
      if (database.length < damagesMax) database.push(damage)
    }
    const { pins, unreadable } = checkPins(db)
    return { database, missing: findMissing(db, manifest), pins, unreadablePins: unreadable }
  } finally {
    db.close()
  }
}

function findMissing(db: Database, { files }: Manifest): readonly number[] {
  if (findOne(db, blockTableExists()) === null) return []
  const sizes = new Map(files.map(({ path, bytes }) => [segmentOf(path), bytes]))
  return findAll(db, listSegmentEnds())
    .filter(({ file, end }) => (sizes.get(file) ?? -1) < end)
    .map(({ file }) => file)
}

/** 0: not a segment. */
function segmentOf(path: string): number {
  const [, number = '0'] = /\/(\d+)\.\w+$/.exec(path) ?? []
  return Number(number)
}

// Brings the files of a data folder into one consistent state while a server may write to it: a copy of the database, and segments
// that contain everything its rows refer to. Segments are hard links in a separate folder, so that garbage collection cannot remove
// them from the backup.
//
// Order: link the segments, copy the database, link the segments that were created in the meantime. A row refers only to bytes that
// were synced before it was written, and garbage collection moves rows before it removes their segment. So a segment that the
// copied rows refer to existed in the first step, or was created before the last one. Only a segment that was created and removed
// in between is missed; then all steps are repeated.
// Tested by src/backup/make-backup.test.ts
import { existsSync } from 'node:fs'
import { link, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hasErrno } from '../base/describe-errno.ts'
import { lockBackups } from '../db/lock.ts'
import { findAll, findOne } from '../db/sqlite-rows.ts'
import { copyDatabase, openDatabase } from '../db/sqlite.ts'
import { type SegmentEnd, blockTableExists, listSegmentEnds } from '../tables/segment-ends.ts'
import { linkRefusals, readPieces, writeFileOf } from './file-digest.ts'
import { keyFiles } from './manifest.ts'

export type StagedFile = {
  /** Path in the manifest. */
  readonly path: string
  /** Path from which its bytes are read. */
  readonly source: string
  readonly bytes: number
  /** Modification time of a final segment in nanoseconds; null: another file. */
  readonly modified: string | null
}

export type Staged = {
  readonly files: readonly StagedFile[]
  /** Segments that rows refer to and that the data folder lacks: damage older than this backup. */
  readonly missing: readonly number[]
}

/** In the data folder, because hard links cannot cross file systems. After a crash the next backup or server start removes it. */
const stagingName = 'backup-staging'
const kinds = ['ext', 'log'] as const
const attemptsMax = 3
/**
 * A segment is final if it is not the newest of its kind and was not written for this long. The last writes to it began before the
 * newest was created, and take milliseconds.
 */
const settledMs = 5 * 60_000

type Segment = { readonly id: number; readonly path: string; readonly source: string }

/** Removes remains of an interrupted backup. The caller holds the backup lock. */
export async function clearStaging(dataDir: string): Promise<void> {
  await rm(join(dataDir, stagingName), { recursive: true, force: true })
}

/** As `clearStaging` at the start of a server; does nothing if a command is making a backup at this time. */
export async function clearStaleStaging(dataDir: string): Promise<void> {
  if (!existsSync(join(dataDir, stagingName))) return
  let unlock: () => void
  try {
    unlock = lockBackups(dataDir)
  } catch {
    return
  }
  await clearStaging(dataDir).finally(unlock)
}

/** `now`: milliseconds since 1970. The caller clears the staging folder afterwards. */
export async function stageFiles(parts: {
  readonly dataDir: string
  readonly now: number
  readonly signal: AbortSignal
}): Promise<Staged> {
  const { dataDir, now, signal } = parts
  const staging = join(dataDir, stagingName)
  let previous: readonly number[] | null = null
  for (let attempt = 1; ; attempt += 1) {
    await clearStaging(dataDir)
    for (const kind of kinds) await mkdir(join(staging, kind), { recursive: true, mode: 0o700 })
    const segments = new Map<string, Segment>()
    await linkSegments(dataDir, segments, signal)
    const database = join(staging, 'cairn.db')
    await copyDatabase(join(dataDir, 'cairn.db'), database, { signal })
    await linkSegments(dataDir, segments, signal)
    const rows = await describeAll([...segments.values()], now)
    const missing = findMissing(readEnds(database), rows)
    if (missing.length === 0 || isSame(missing, previous) || attempt === attemptsMax) {
      const others = await copyOthers(dataDir, database)
      return { files: [...others, ...(await settle(rows, staging, signal))], missing }
    }
    previous = missing
  }
}

async function linkSegments(
  dataDir: string,
  into: Map<string, Segment>,
  signal: AbortSignal,
): Promise<void> {
  for (const kind of kinds) {
    for (const name of await namesIn(join(dataDir, 'store', kind))) {
      const [, number] = new RegExp(`^([1-9]\\d{0,9})\\.${kind}$`).exec(name) ?? []
      const path = `store/${kind}/${name}`
      if (number === undefined || into.has(path)) continue
      signal.throwIfAborted()
      const source = await linkOne(join(dataDir, path), join(dataDir, stagingName, kind, name))
      if (source !== null) into.set(path, { id: Number(number), path, source })
    }
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (hasErrno(error, ['ENOENT'])) return []
    throw error
  }
}

/** The path to read the file from: the link, or the file itself if links are not supported. Null: it was removed. */
async function linkOne(from: string, to: string): Promise<string | null> {
  try {
    await link(from, to)
    return to
  } catch (error) {
    if (hasErrno(error, ['ENOENT'])) return null
    if (hasErrno(error, linkRefusals)) return from
    throw error
  }
}

type Described = Segment & StagedFile

async function describeAll(
  segments: readonly Segment[],
  now: number,
): Promise<readonly Described[]> {
  const newest = new Map<string, number>()
  const kindOf = ({ path }: Segment): string => path.slice(-3)
  for (const one of segments) {
    newest.set(kindOf(one), Math.max(newest.get(kindOf(one)) ?? 0, one.id))
  }
  const described: Described[] = []
  for (const one of segments) {
    const { size, mtimeNs, mtimeMs } = await stat(one.source, { bigint: true })
    const isFinal = one.id < (newest.get(kindOf(one)) ?? 0) && Number(mtimeMs) < now - settledMs
    described.push({ ...one, bytes: Number(size), modified: isFinal ? String(mtimeNs) : null })
  }
  return described
}

function readEnds(database: string): readonly SegmentEnd[] {
  const db = openDatabase(database, { readOnly: true, bare: true })
  try {
    return findOne(db, blockTableExists()) === null ? [] : findAll(db, listSegmentEnds())
  } finally {
    db.close()
  }
}

function findMissing(
  ends: readonly SegmentEnd[],
  segments: readonly Described[],
): readonly number[] {
  const sizes = new Map(segments.map(({ id, bytes }) => [id, bytes]))
  return ends.filter(({ file, end }) => (sizes.get(file) ?? -1) < end).map(({ file }) => file)
}

function isSame(some: readonly number[], others: readonly number[] | null): boolean {
  return others !== null && some.join() === others.join()
}

/** The database and the keys. */
async function copyOthers(dataDir: string, database: string): Promise<readonly StagedFile[]> {
  const { size } = await stat(database)
  const files: StagedFile[] = [{ path: 'cairn.db', source: database, bytes: size, modified: null }]
  for (const path of keyFiles) {
    const source = join(dataDir, path)
    const found = await stat(source).catch(() => null)
    if (found !== null) files.push({ path, source, bytes: found.size, modified: null })
  }
  return files
}

/** A segment that may still grow is copied up to its current size; later bytes were not acknowledged yet. */
async function settle(
  segments: readonly Described[],
  staging: string,
  signal: AbortSignal,
): Promise<readonly StagedFile[]> {
  const files: StagedFile[] = []
  for (const { id: _id, ...file } of segments) {
    if (file.modified !== null) files.push(file)
    else {
      const source = join(staging, `${file.path.replaceAll('/', '-')}`)
      await writeFileOf(source, readPieces(file.source, file.bytes, signal))
      files.push({ ...file, source })
    }
  }
  return files
}

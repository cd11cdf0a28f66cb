// What is known of each resumable upload, on disk beside its bytes: `<id>.json`, replaced whole, and `<id>.bytes`.
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'

export type ResumableUpload = {
  /** 32 hex digits. */
  readonly id: string
  readonly accountId: string
  readonly keyId: string
  /** Of the whole upload. */
  readonly bytes: number
  /** Those that are synced to disk. */
  readonly received: number
  /** Milliseconds since 1970. */
  readonly created: number
  readonly metadata: Readonly<Record<string, string>>
  /** The last line of `add`; null: it is not added yet. */
  readonly added: Added | null
}

export type Added = { readonly Name: string; readonly Hash: string; readonly Size: string }

export interface ResumableUploads {
  find(id: string): ResumableUpload | null
  /** Uploads of a key that are not added yet, with those that begin. */
  openOf(keyId: string): number
  /** Bytes that unfinished uploads of an account have declared, with those that begin. */
  declaredOf(accountId: string): number
  /** Bytes of unfinished uploads on disk. */
  readonly storedBytes: number
  /** Counts an upload that begins, until it is saved; call the returned function when the request ends. */
  begin(record: ResumableUpload): () => void
  /** The file of an upload has so many bytes now; 0: it is gone. */
  noteStored(id: string, bytes: number): void
  /** Durable on return. */
  save(record: ResumableUpload): Promise<void>
  /** Takes the bytes too. */
  remove(id: string): Promise<void>
  pathOf(id: string): string
  stop(): void
}

/** How long an upload is kept after it began, added or not. */
export const uploadLifeMs = 24 * 3_600_000
const sweepMs = 600_000
const idForm = /^[0-9a-f]{32}$/

/** Reads what is there, and takes away what is too old, now and every ten minutes. */
export async function openResumableUploads(
  folder: string,
  clock: Clock,
): Promise<ResumableUploads> {
  const records = new Map<string, ResumableUpload>()
  const beginning = new Map<string, ResumableUpload>()
  const stored = new Map<string, number>()
  let storedBytes = 0
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder)) {
    const id = name.replace(/\.json$/, '')
    const record = idForm.test(id) ? await readRecord(join(folder, name)) : null
    if (record !== null) records.set(id, record)
  }
  // What a crash left: half a record, bytes that no record wants.
  for (const name of await readdir(folder)) {
    const record = records.get(name.slice(0, 32))
    const wanted =
      record === undefined ? [] : ['.json', ...(record.added === null ? ['.bytes'] : [])]
    if (!wanted.includes(name.slice(32)))
      await rm(join(folder, name), { recursive: true, force: true })
  }
  const pathOf = (id: string): string => join(folder, `${id}.bytes`)

  function noteStored(id: string, bytes: number): void {
    storedBytes += bytes - (stored.get(id) ?? 0)
    if (bytes === 0) stored.delete(id)
    else stored.set(id, bytes)
  }

  for (const { id, added } of records.values()) {
    if (added === null) noteStored(id, await sizeOf(pathOf(id)))
  }

  function unfinished(): readonly ResumableUpload[] {
    return [...records.values(), ...beginning.values()].filter((one) => one.added === null)
  }

  async function remove(id: string): Promise<void> {
    records.delete(id)
    await rm(join(folder, `${id}.json`), { force: true })
    await rm(pathOf(id), { force: true })
    noteStored(id, 0)
  }

  async function sweep(): Promise<void> {
    for (const { id, created } of records.values()) {
      if (clock.now() - created > uploadLifeMs) await remove(id)
    }
  }

  await sweep()
  // What cannot be removed now is tried again at the next round.
  const stop = clock.every(sweepMs, () => void sweep().catch(() => {}))
  return {
    find: (id) => records.get(id) ?? null,
    openOf: (keyId) => unfinished().filter((one) => one.keyId === keyId).length,
    declaredOf: (accountId) =>
      unfinished()
        .filter((one) => one.accountId === accountId)
        .reduce((sum, { bytes }) => sum + bytes, 0),
    get storedBytes() {
      return storedBytes
    },
    begin(record) {
      beginning.set(record.id, record)
      return () => void beginning.delete(record.id)
    },
    noteStored,
    async save(record) {
      const path = join(folder, `${record.id}.json`)
      await using file = await open(`${path}.new`, 'w', 0o600)
      await file.writeFile(JSON.stringify(record))
      await file.datasync()
      await rename(`${path}.new`, path)
      await using names = await open(folder, 'r')
      await names.sync()
      beginning.delete(record.id)
      records.set(record.id, record)
    },
    remove,
    pathOf,
    stop,
  }
}

async function sizeOf(path: string): Promise<number> {
  return await stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

/** Null: what is there is no record. */
async function readRecord(path: string): Promise<ResumableUpload | null> {
  try {
    const record = JSON.parse(await readFile(path, 'utf8')) as ResumableUpload
    return typeof record.bytes === 'number' && typeof record.created === 'number' ? record : null
  } catch {
    return null
  }
}

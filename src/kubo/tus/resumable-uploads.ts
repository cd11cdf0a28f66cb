// Resumable uploads of a single machine, on disk: `<id>.json`, always replaced as a whole, and the bytes in `<id>.bytes`. Received
// bytes are synced, so that acknowledged bytes survive a crash.
// Tested by src/kubo/tus/resumable-uploads.test.ts, test/files/tus.test.ts
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'

export type ResumableUpload = {
  /** 32 hex digits. */
  readonly id: string
  readonly accountId: string
  readonly keyId: string
  /** Size of the whole upload. */
  readonly bytes: number
  /** Number of bytes that are synced to disk. */
  readonly received: number
  /** Milliseconds since 1970. */
  readonly created: number
  readonly metadata: Readonly<Record<string, string>>
  /** The last line of the reply of `add`; null: the upload is not added yet. */
  readonly added: Added | null
}

export type Added = { readonly Name: string; readonly Hash: string; readonly Size: string }

/** Of one machine, or shared by several, in which case reads return promises. */
export interface ResumableUploads {
  find(id: string): ResumableUpload | null | Promise<ResumableUpload | null>
  /** Number of uploads of a key that are not added yet, including those being created. */
  openOf(keyId: string): number | Promise<number>
  /** Declared bytes of an account's unfinished uploads, including those being created. */
  declaredOf(accountId: string): number
  /** Bytes of unfinished uploads on the disk of this machine. */
  readonly storedBytes: number
  /** Counts an upload that is being created until it is saved; call the returned function when the request ends. */
  begin(record: ResumableUpload): () => void
  /** Creates an upload without bytes. Durable when it resolves. */
  create(record: ResumableUpload): Promise<void>
  /**
   * Stores bytes from `offset` on as they arrive, however the body ends. Returns the new, durable offset; null: another machine has
   * stored bytes there. `mustFit` is called before each piece.
   */
  append(
    id: string,
    offset: number,
    pieces: AsyncIterable<Uint8Array>,
    mustFit: (bytes: number) => void,
  ): Promise<number | null>
  /** The bytes of an upload that is complete and not yet added. */
  read(id: string): AsyncIterable<Uint8Array>
  /** The bytes have been added as content: stores the record and deletes the bytes. */
  finish(record: ResumableUpload): Promise<void>
  /** Removes the record and the bytes. */
  remove(id: string): Promise<void>
  stop(): void
}

/** Uploads of a single machine. */
export type LocalUploads = Omit<ResumableUploads, 'find' | 'openOf'> & {
  find(id: string): ResumableUpload | null
  openOf(keyId: string): number
  /** Durable when it resolves. */
  save(record: ResumableUpload): Promise<void>
  pathOf(id: string): string
}

/** How long an upload is stored after its creation, added or not. */
export const uploadLifeMs = 24 * 3_600_000
const sweepMs = 600_000
/** Maximum number of received bytes that a crash may lose. */
const syncBytes = 8 * 1024 * 1024
const idForm = /^[0-9a-f]{32}$/

/** Loads existing uploads, and removes expired ones now and every ten minutes. */
export async function openResumableUploads(folder: string, clock: Clock): Promise<LocalUploads> {
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
  // Removes remains of a crash: incomplete records, and bytes without a record.
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

  async function save(record: ResumableUpload): Promise<void> {
    const path = join(folder, `${record.id}.json`)
    await using file = await open(`${path}.new`, 'w', 0o600)
    await file.writeFile(JSON.stringify(record))
    await file.datasync()
    await rename(`${path}.new`, path)
    await using names = await open(folder, 'r')
    await names.sync()
    beginning.delete(record.id)
    records.set(record.id, record)
  }

  async function append(
    id: string,
    offset: number,
    pieces: AsyncIterable<Uint8Array>,
    mustFit: (bytes: number) => void,
  ): Promise<number> {
    await using file = await open(pathOf(id), 'r+')
    let at = offset
    let synced = offset
    const sync = async (): Promise<void> => {
      const record = records.get(id)
      if (record === undefined || at === synced) return
      await file.datasync()
      synced = at
      await save({ ...record, received: at })
    }
    try {
      for await (const chunk of pieces) {
        mustFit(chunk.length)
        noteStored(id, at + chunk.length)
        for (let done = 0; done < chunk.length;) {
          const { bytesWritten } = await file.write(chunk, done, chunk.length - done, at + done)
          done += bytesWritten
        }
        at += chunk.length
        if (at - synced >= syncBytes) await sync()
      }
    } catch (thrown) {
      throw isFull(thrown) ? new Fault('no_space', { cause: thrown }) : thrown
    } finally {
      // However the body ended, the received bytes are stored.
      await sync()
    }
    return at
  }

  await sweep()
  // Failed removals are tried again in the next round.
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
    async create(record) {
      await using file = await open(pathOf(record.id), 'wx', 0o600)
      await file.datasync()
      await save(record)
    },
    append,
    read: (id) => createReadStream(pathOf(id), { highWaterMark: 1024 * 1024 }),
    async finish(record) {
      await save(record)
      await rm(pathOf(record.id), { force: true })
      noteStored(record.id, 0)
    },
    save,
    remove,
    pathOf,
    stop,
  }
}

function isFull(thrown: unknown): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
}

async function sizeOf(path: string): Promise<number> {
  return await stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

/** Null: the file is not a valid record. */
async function readRecord(path: string): Promise<ResumableUpload | null> {
  try {
    const record = JSON.parse(await readFile(path, 'utf8')) as ResumableUpload
    return typeof record.bytes === 'number' && typeof record.created === 'number' ? record : null
  } catch {
    return null
  }
}

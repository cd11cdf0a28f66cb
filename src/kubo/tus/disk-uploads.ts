// Where the tus server keeps uploads: bytes synced as they come, so that what it says it has is there after a crash.
// Tested by test/files/tus.test.ts
import { open, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { DataStore, ERRORS, Upload } from '@tus/server'
import { Fault } from '../../base/fault.ts'
import { uploadLifeMs, type ResumableUpload, type ResumableUploads } from './resumable-uploads.ts'
import type { UploadSpace } from './upload-space.ts'

/** What a crash may cost of an upload under way. */
const syncBytes = 8 * 1024 * 1024

/** `draft`: the record of an upload that begins with this request. Throws the errors of the tus server, `no_space`. */
export class DiskUploads extends DataStore {
  override extensions = ['creation', 'creation-with-upload', 'termination', 'expiration']
  readonly #records: ResumableUploads
  readonly #room: UploadSpace
  readonly #draft: ResumableUpload | null

  constructor(records: ResumableUploads, room: UploadSpace, draft: ResumableUpload | null) {
    super()
    this.#records = records
    this.#room = room
    this.#draft = draft
  }

  override async create(upload: Upload): Promise<Upload> {
    if (this.#draft === null || this.#draft.id !== upload.id) throw ERRORS.FILE_NOT_FOUND
    await using file = await open(this.#records.pathOf(upload.id), 'wx', 0o600)
    await file.datasync()
    await this.#records.save(this.#draft)
    return upload
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    await using file = await open(this.#records.pathOf(id), 'r+')
    let at = offset
    let synced = offset
    const sync = async (): Promise<void> => {
      const record = this.#records.find(id)
      if (record === null || at === synced) return
      await file.datasync()
      synced = at
      await this.#records.save({ ...record, received: at })
    }
    try {
      for await (const chunk of stream as AsyncIterable<Uint8Array>) {
        this.#room.mustFit(chunk.length)
        this.#records.noteStored(id, at + chunk.length)
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
      // Whatever ended it: what has come is kept.
      await sync()
    }
    return at
  }

  override async getUpload(id: string): Promise<Upload> {
    const record = this.#records.find(id)
    if (record === null) throw ERRORS.FILE_NOT_FOUND
    return await Promise.resolve(
      new Upload({
        id,
        size: record.bytes,
        offset: record.received,
        metadata: { ...record.metadata },
        creation_date: new Date(record.created).toISOString(),
      }),
    )
  }

  override async remove(id: string): Promise<void> {
    await this.#records.remove(id)
  }

  override getExpiration(): number {
    return uploadLifeMs
  }
}

/** The bytes are content now. */
export async function dropBytes(records: ResumableUploads, id: string): Promise<void> {
  await rm(records.pathOf(id), { force: true })
  records.noteStored(id, 0)
}

function isFull(thrown: unknown): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
}

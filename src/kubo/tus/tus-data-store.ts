// Adapter for the tus library: the library implements the protocol, `ResumableUploads` stores the bytes.
// Tested by test/files/tus.test.ts
import type { Readable } from 'node:stream'
import { DataStore, ERRORS, Upload } from '@tus/server'
import { uploadLifeMs, type ResumableUpload, type ResumableUploads } from './resumable-uploads.ts'
import type { UploadSpace } from './upload-space.ts'

/** `draft`: the record of an upload that this request creates. Throws the errors of the tus server, `no_space`. */
export class TusDataStore extends DataStore {
  override extensions = ['creation', 'creation-with-upload', 'termination', 'expiration']
  readonly #records: ResumableUploads
  readonly #space: UploadSpace
  readonly #draft: ResumableUpload | null

  constructor(records: ResumableUploads, space: UploadSpace, draft: ResumableUpload | null) {
    super()
    this.#records = records
    this.#space = space
    this.#draft = draft
  }

  override async create(upload: Upload): Promise<Upload> {
    if (this.#draft === null || this.#draft.id !== upload.id) throw ERRORS.FILE_NOT_FOUND
    await this.#records.create(this.#draft)
    return upload
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    const pieces = stream as AsyncIterable<Uint8Array>
    const end = await this.#records.append(id, offset, pieces, this.#space.mustFit)
    // Another machine has stored bytes from this offset on.
    if (end === null) throw ERRORS.INVALID_OFFSET
    return end
  }

  override async getUpload(id: string): Promise<Upload> {
    const record = await this.#records.find(id)
    if (record === null) throw ERRORS.FILE_NOT_FOUND
    return new Upload({
      id,
      size: record.bytes,
      offset: record.received,
      metadata: { ...record.metadata },
      creation_date: new Date(record.created).toISOString(),
    })
  }

  override async remove(id: string): Promise<void> {
    await this.#records.remove(id)
  }

  override getExpiration(): number {
    return uploadLifeMs
  }
}

// Resumable uploads shared by several machines: records in PostgreSQL, bytes as objects of at most 8 MiB. A client can continue on
// any machine. If two machines receive bytes of one upload at the same offset, only one of them stores them.
// Tested by test/files/shared-uploads.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { objectName } from '../../content/objects/range-cache.ts'
import type { ObjectStore } from '../../content/objects/object-store.ts'
import type { PartBuffers } from '../../content/objects/part-buffers.ts'
import type { SegmentIds } from '../../content/objects/segment-ids.ts'
import type { Rows } from '../../db/rows.ts'
import { NothingChanged } from '../../db/writer.ts'
import { abandonSegments, publishSegment } from '../../tables/objects/object-segments.ts'
import {
  countOpenUploads,
  deleteOldUploads,
  deleteUpload,
  findUpload,
  finishUpload,
  insertPart,
  insertUpload,
  listParts,
  sumOpenUploads,
  type UploadRow,
} from '../../tables/objects/shared-uploads.ts'
import {
  uploadLifeMs,
  type Added,
  type ResumableUpload,
  type ResumableUploads,
} from './resumable-uploads.ts'

const sweepMs = 600_000
/** Maximum age of the cached declared bytes of accounts. */
const declaredMs = 5000
const partsAtOnce = 1000

/** `buffers`: buffers for parts; each upload that receives bytes uses one. */
export async function openSharedUploads(parts: {
  readonly rows: Rows
  readonly objects: Pick<ObjectStore, 'put' | 'read'>
  readonly ids: Pick<SegmentIds, 'next'>
  readonly buffers: PartBuffers
  readonly clock: Clock
  readonly log: Log
}): Promise<ResumableUploads> {
  const { rows, objects, ids, buffers, clock, log } = parts
  const never = new AbortController().signal
  const beginning = new Map<string, ResumableUpload>()
  let declared = await readDeclared()

  async function readDeclared(): Promise<ReadonlyMap<string, number>> {
    const found = await rows.find(sumOpenUploads())
    return new Map(found.map(({ accountId, bytes }) => [accountId, bytes] as const))
  }

  async function sweep(): Promise<void> {
    await rows.write(deleteOldUploads(clock.now() - uploadLifeMs), { lock: 'none' })
  }

  /** False: another machine has stored bytes at this offset. */
  async function storePart(id: string, at: number, body: Uint8Array): Promise<boolean> {
    const segment = await ids.next()
    await objects.put(objectName(segment.id), body, never)
    const part = { at, bytes: body.length, segment: segment.id }
    try {
      const publish = publishSegment({ ...segment, bytes: body.length })
      await rows.write([publish, ...insertPart(id, part)], { lock: 'none' })
      return true
    } catch (error) {
      if (!(error instanceof NothingChanged)) throw error
      await rows.write([abandonSegments([segment.id], segment.token)], { lock: 'none' })
      return false
    }
  }

  async function append(
    id: string,
    offset: number,
    pieces: AsyncIterable<Uint8Array>,
    mustFit: (bytes: number) => void,
  ): Promise<number | null> {
    const buffer = await buffers.acquire()
    let at = offset
    let filled = 0
    let ownsUpload = true
    const store = async (): Promise<void> => {
      if (filled === 0 || !ownsUpload) return
      ownsUpload = await storePart(id, at, buffer.subarray(0, filled))
      at += filled
      filled = 0
    }
    try {
      for await (const piece of pieces) {
        mustFit(piece.length)
        for (let from = 0; from < piece.length && ownsUpload;) {
          const part = piece.subarray(from, from + buffer.length - filled)
          buffer.set(part, filled)
          filled += part.length
          from += part.length
          if (filled === buffer.length) await store()
        }
        if (!ownsUpload) return null
      }
    } finally {
      // However the body ended, the received bytes are stored.
      await store().finally(() => buffers.release(buffer))
    }
    return ownsUpload ? at : null
  }

  await sweep()
  const stops = [
    every(sweepMs, sweep),
    every(declaredMs, async () => {
      declared = await readDeclared()
    }),
  ]

  /** Runs one at a time; a failure waits for the next round. */
  function every(periodMs: number, work: () => Promise<void>): () => void {
    let isRunning = false
    return clock.every(periodMs, () => {
      if (isRunning) return
      isRunning = true
      work()
        .catch((error: unknown) => log('warn', 'uploads_not_read', { error }))
        .finally(() => (isRunning = false))
    })
  }

  return {
    async find(id) {
      const row = await rows.first(findUpload(id))
      return row === null ? null : toUpload(row)
    },
    async openOf(keyId) {
      const found = await rows.first(countOpenUploads(keyId))
      const beginningUploads = [...beginning.values()].filter((one) => one.keyId === keyId)
      return (found?.uploads ?? 0) + beginningUploads.length
    },
    declaredOf(accountId) {
      const beginningUploads = [...beginning.values()].filter((one) => one.accountId === accountId)
      return beginningUploads.reduce((sum, { bytes }) => sum + bytes, declared.get(accountId) ?? 0)
    },
    storedBytes: 0,
    begin(record) {
      beginning.set(record.id, record)
      return () => void beginning.delete(record.id)
    },
    async create(record) {
      await rows.write([insertUpload(toRow(record))], { lock: 'none' })
      beginning.delete(record.id)
      declared = new Map(declared).set(
        record.accountId,
        (declared.get(record.accountId) ?? 0) + record.bytes,
      )
    },
    append,
    async *read(id) {
      for (let from = 0; ;) {
        const page = await rows.find(listParts(id, from, partsAtOnce))
        for (const { at, bytes, segment } of page) {
          yield await objects.read(objectName(segment), 0, bytes, never)
          from = at + bytes
        }
        if (page.length < partsAtOnce) return
      }
    },
    async finish({ id, added }) {
      await rows.write(finishUpload(id, JSON.stringify(added)), { lock: 'none' })
      declared = await readDeclared()
    },
    async remove(id) {
      await rows.write(deleteUpload(id), { lock: 'none' })
      declared = await readDeclared()
    },
    stop() {
      for (const stop of stops) stop()
    },
  }
}

function toUpload({ metadata, added, ...row }: UploadRow): ResumableUpload {
  return {
    ...row,
    metadata: JSON.parse(metadata) as Record<string, string>,
    added: added === null ? null : (JSON.parse(added) as Added),
  }
}

function toRow({ metadata, added, ...record }: ResumableUpload): UploadRow {
  return {
    ...record,
    metadata: JSON.stringify(metadata),
    added: added === null ? null : JSON.stringify(added),
  }
}

// Backups in a bucket. Objects larger than a part are uploaded in parts, so that memory is limited to one part for each concurrent
// file.
// Tested by test/backup/backup-s3.test.ts
import { createHash } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { mustMatch, readPieces } from './file-digest.ts'
import { type UploadedPart, createS3Client } from '../content/objects/s3-client.ts'
import type { S3Settings } from '../content/objects/s3-policy.ts'
import type { BackupTarget, SourceFile, TargetFolder } from './target.ts'

const mebibyte = 1024 * 1024
const partBytes = 8 * mebibyte
/** Limit of S3. */
const partsMax = 10_000

/** `prefix`: of all keys; may be empty. `label`: without credentials. */
export function openS3Target(
  settings: S3Settings,
  {
    label,
    bucket,
    prefix,
  }: { readonly label: string; readonly bucket: string; readonly prefix: string },
  clock: Clock,
): BackupTarget {
  const client = createS3Client(settings, bucket, clock)
  const root = prefix === '' ? '' : `${prefix}/`
  const keyOf = (folder: TargetFolder, name: string): string => `${root}${folder}/${name}`

  async function storeInParts(
    sha256: string,
    { path, bytes }: SourceFile,
    size: number,
    signal: AbortSignal,
  ): Promise<void> {
    const key = keyOf('objects', sha256)
    const id = await client.beginUpload(key, signal)
    try {
      const parts: UploadedPart[] = []
      const hash = createHash('sha256')
      for await (const piece of readPieces(path, bytes, signal, size)) {
        hash.update(piece)
        parts.push(await client.putPart({ key, id, part: parts.length + 1 }, piece, signal))
      }
      mustMatch(hash.digest('hex'), sha256, path)
      await client.endUpload({ key, id }, parts, signal)
    } catch (error) {
      // The owner of the bucket would be charged for the parts.
      await client.abortUpload({ key, id }).catch(() => undefined)
      throw error
    }
  }

  return {
    label,
    parallel: client.parallel,
    async clear(signal) {
      for (const upload of await client.listUploads(`${root}objects/`, signal)) {
        await client.abortUpload(upload)
      }
    },
    async list(folder, signal) {
      const start = keyOf(folder, '')
      const found = await client.list(start, signal)
      return new Map([...found].map(([key, bytes]) => [key.slice(start.length), bytes] as const))
    },
    read: (folder, name, signal) => client.read(keyOf(folder, name), signal),
    async store(sha256, file, signal) {
      const size = Math.max(partBytes, Math.ceil(file.bytes / partsMax / mebibyte) * mebibyte)
      if (file.bytes > size) return await storeInParts(sha256, file, size, signal)
      let body: Uint8Array = Buffer.alloc(0)
      for await (const piece of readPieces(file.path, file.bytes, signal, size)) body = piece
      mustMatch(createHash('sha256').update(body).digest('hex'), sha256, file.path)
      await client.put(keyOf('objects', sha256), body, signal)
    },
    writeManifest: (name, text, signal) =>
      client.put(keyOf('backups', name), Buffer.from(text), signal),
    remove: (folder, name, signal) => client.remove(keyOf(folder, name), signal),
    close: () => client.close(),
  }
}

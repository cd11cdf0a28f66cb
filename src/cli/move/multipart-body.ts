// The multipart body of an upload; streams the files one after the other.
// Tested by test/cli/add-get.test.ts
import { createReadStream } from 'node:fs'
import type { UploadItem } from './upload-list.ts'

export type MultipartTerms = {
  readonly boundary: string
  readonly preserveMode: boolean
  readonly preserveMtime: boolean
  /** Number of file bytes sent so far. */
  readonly sent: (bytes: number) => void
}

const types: Readonly<Record<UploadItem['kind'], string>> = {
  file: 'application/octet-stream',
  input: 'application/octet-stream',
  directory: 'application/x-directory',
  symlink: 'application/symlink',
}
const pieceBytes = 256 * 1024

/** Throws file system errors; then the body remains incomplete. */
export async function* multipartBody(
  items: readonly UploadItem[],
  terms: MultipartTerms,
): AsyncGenerator<Uint8Array> {
  let sent = 0
  for (const item of items) {
    const head = [
      `--${terms.boundary}`,
      `Content-Disposition: form-data; name="${partName(item, terms)}"; filename="${encodeURIComponent(item.name)}"`,
      `Content-Type: ${types[item.kind]}`,
      '\r\n',
    ]
    yield Buffer.from(head.join('\r\n'))
    if (item.kind === 'symlink') yield Buffer.from(item.target)
    if (item.kind === 'file' || item.kind === 'input') {
      for await (const piece of readPieces(item)) {
        yield piece
        sent += piece.length
        terms.sent(sent)
      }
    }
    yield Buffer.from('\r\n')
  }
  yield Buffer.from(`--${terms.boundary}--\r\n`)
}

function readPieces(
  item: Extract<UploadItem, { kind: 'file' | 'input' }>,
): AsyncIterable<Uint8Array> {
  // Read standard input as a stream: a read of its descriptor could not be cancelled.
  return item.kind === 'file'
    ? createReadStream(item.path, { highWaterMark: pieceBytes })
    : process.stdin
}

function partName({ stat }: UploadItem, { preserveMode, preserveMtime }: MultipartTerms): string {
  if (stat === null) return 'file'
  const seconds = Math.floor(stat.mtimeMs / 1000)
  const nanos = Math.round((stat.mtimeMs - seconds * 1000) * 1e6)
  const pairs = [
    ...(preserveMode ? [`mode=0${stat.mode.toString(8)}`] : []),
    ...(preserveMtime ? [`mtime=${seconds}`, `mtime-nsecs=${Math.min(nanos, 999_999_999)}`] : []),
  ]
  return pairs.length === 0 ? 'file' : `file?${pairs.join('&')}`
}

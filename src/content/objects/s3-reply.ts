// The whole body of a reply of an S3 service, bounded.
// Tested by src/content/objects/s3-client.test.ts
import { S3Error } from './s3-error.ts'

export type ReplyBody = {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: AsyncIterable<Uint8Array>
}

const replyBytesMax = 16 * 1024 * 1024
/** A longer body is copied into one buffer as it arrives. */
const copiedBytesMin = 64 * 1024

/** Throws S3Error for more than 16 MiB, and the error of a body that breaks off. */
export async function readReply({ headers, body }: ReplyBody): Promise<Buffer> {
  const length = Number(headers['content-length'] ?? 0)
  if (length >= copiedBytesMin && length <= replyBytesMax) return await readInto(length, body)
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > replyBytesMax) throw new S3Error(`a reply of more than ${replyBytesMax} bytes`, 1)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Frees each piece as it arrives: if all are held until the end, V8 collects all garbage more often. */
async function readInto(length: number, body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const into = Buffer.allocUnsafeSlow(length)
  let bytes = 0
  for await (const piece of body) {
    into.set(piece, bytes)
    bytes += piece.length
  }
  return into.subarray(0, bytes)
}

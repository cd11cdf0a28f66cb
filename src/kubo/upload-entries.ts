// Multipart parts as the entries of an upload: directories have no body, symlinks are their target.
import { Fault } from '../base/fault.ts'
import type { UploadEntry } from '../ipfs/import/upload-entry.ts'
import type { Part } from './multipart.ts'

const targetBytesMax = 4096

/** One entry per part, in order. Files stream; throws what the parts throw, `bad_params` for a bad target. */
export async function* uploadEntries(parts: AsyncIterable<Part>): AsyncGenerator<UploadEntry> {
  for await (const { head, content } of parts) {
    const { kind, ...declared } = head
    if (kind === 'file') yield { kind, ...declared, content }
    else if (kind === 'directory') yield { kind, ...declared }
    else yield { kind, ...declared, target: await readText(content, targetBytesMax) }
  }
}

/** The content as UTF-8 text. Throws `bad_params` over `bytesMax`. */
export async function readText(
  content: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > bytesMax) {
      throw new Fault('bad_params', { detail: `part is over ${bytesMax} bytes` })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

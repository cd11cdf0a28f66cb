// Reply lines kept back until the request body has been read: in memory up to a limit,
// then in a temporary file that has no name and vanishes with the process.
import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memoryBytesMax = 1_048_576
const readBytes = 65_536

export class BufferedLines implements AsyncDisposable {
  #waiting: string[] = []
  #waitingBytes = 0
  #file: FileHandle | null = null
  readonly #memoryBytesMax: number

  constructor(bytesMax = memoryBytesMax) {
    this.#memoryBytesMax = bytesMax
  }

  /** Adds one line, its line feed included. */
  async add(line: string): Promise<void> {
    this.#waiting.push(line)
    this.#waitingBytes += Buffer.byteLength(line)
    if (this.#waitingBytes <= this.#memoryBytesMax) return
    this.#file ??= await openNameless()
    await this.#file.appendFile(this.#waiting.join(''))
    this.#waiting = []
    this.#waitingBytes = 0
  }

  /** Everything added, in order. */
  async *read(): AsyncGenerator<Uint8Array> {
    if (this.#file !== null) {
      for (let at = 0; ;) {
        const { bytesRead, buffer } = await this.#file.read(
          Buffer.alloc(readBytes),
          0,
          readBytes,
          at,
        )
        if (bytesRead === 0) break
        at += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
    }
    if (this.#waiting.length > 0) yield Buffer.from(this.#waiting.join(''))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close()
  }
}

async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `cairn-reply-${randomUUID()}`)
  const file = await open(path, 'ax+', 0o600)
  await unlink(path)
  return file
}
